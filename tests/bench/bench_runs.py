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
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from antiphon.score import Score

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


def row(scores: Sequence[Score], item: str, metric: str) -> Score:
    """The one row of an item under a metric."""
    (found,) = (score for score in scores if (score.item, score.metric) == (item, metric))
    return found


def own_suite(folder: Path, *entries: dict[str, str], subset: str = "general_knowledge") -> Path:
    """A user's own suite in the published format; entries need only say what is special about them."""
    (folder / "json").mkdir(parents=True, exist_ok=True)
    rows = [
        {"Set": subset, "Qid": f"q-{index}", "Question": f"第{index}题？", "Answer": "北京", **entry}
        for index, entry in enumerate(entries)
    ]
    (folder / "json" / f"{subset}.json").write_text(dumps(rows), encoding="utf-8")
    return folder
