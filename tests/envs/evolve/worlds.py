"""What the tests of evolution share: a run's verdicts written by hand, and a scripted code agent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from antiphon.envs.domain import Domain, open_domain
from antiphon.envs.verdict import Verdict
from antiphon.jsonl import to_row, write_rows


def run_of(folder: Path, domain: Domain, passes: Mapping[str, Sequence[bool | None]], **more: Any) -> Path:
    """A run folder with verdicts: for each task whether each trial passed, None for an invalid one."""
    rows = [
        Verdict(
            domain.name, task, trial, 0, "scripted:a", "scripted:b", domain.task(task).expected_outcome,
            "partner_hung_up", "invalid" if passed is None else "valid", passed, "strict",
            reason=None if passed else "terminal state: it is not there",
            state=() if passed else ("/x must be 1",), tags=domain.task(task).tags,
            versions={"domain": domain.version}, **more,
        )
        for task, trials in passes.items()
        for trial, passed in enumerate(trials)
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "verdicts.jsonl", (to_row(each) for each in rows))
    return folder


def flights() -> Domain:
    return open_domain("flight_search_desk")


def files_reply(files: Mapping[str, str]) -> str:
    """Files as a code agent sends them."""
    return "".join(f"=== {name}\n{text.rstrip()}\n" for name, text in files.items()) + "=== end"


def script_of(path: Path, *lines: Mapping[str, Any]) -> str:
    """A scripted chat from its lines, and its URI."""
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")
    return f"scripted:{path}"
