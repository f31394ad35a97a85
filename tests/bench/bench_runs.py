"""Runs of the starter suite in which every part is scripted: fast, and the same every time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.bench.catalog import open_suite
from antiphon.bench.folder import RunFolder
from antiphon.bench.run import Plan, run
from antiphon.bench.suite import Selection
from antiphon.bench.takes import Instruments
from antiphon.jsonl import dumps
from antiphon.stage.progress import Silent

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

INSTRUMENTS = Instruments("scripted:", ("scripted:?names=distillmos",), None, "scripted:")


def plan(out: Path, system: str = "scripted:echo", **changes: Any) -> Plan:
    """A plan for 16 items, one of each subset."""
    suite = open_suite("starter", Selection())
    base = Plan(suite, system, RunFolder(out), INSTRUMENTS, limit=16, balanced=True)
    return replace(base, **changes)


def perform(out: Path, system: str = "scripted:echo", **changes: Any) -> RunFolder:
    """Run it."""
    return asyncio.run(run(plan(out, system, **changes), lambda _: Silent()))


def script(path: Path, *rows: dict[str, Any]) -> str:
    """A scripted system that answers as the rows say: its URI."""
    path.write_text("".join(dumps(row) + "\n" for row in rows), encoding="utf-8")
    return f"scripted:{path}"


def kept(folder: Path) -> dict[str, bytes]:
    """Every file of a run that must be the same in an equal run."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in (".jsonl", ".flac", ".json") and "earlier" not in path.parts
    }
