"""An imported corpus, written as an ordinary domain folder: whole, or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antiphon.envs.contract import replay
from antiphon.envs.domain import read_domain
from antiphon.envs.task import task_of
from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antiphon.envs.changes import Json
    from antiphon.envs.contract import Replay
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

    Finish = Callable[[Domain, Task, Replay, Json], "str | None"]
    """Complete the entry of a task from its replay; what keeps its reference from the expected state, or None."""


@dataclass(frozen=True, slots=True)
class Content:
    """What stands in a domain folder before its tasks know what they expect. `tasks` are entries of tasks/*.json.

    `tools` and `partner_tools` are Python; `unavailable` says why there are no tools, and then tools.py says it too.
    """

    name: str
    rules: str
    dbs: Mapping[str, Json]
    tools: str
    tasks: tuple[Json, ...]
    audit: tuple[str, ...] = ()
    partner_tools: str = ""
    unavailable: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """A corpus as it was written.

    `missed`: task → why its reference does not reach the expected state; `failing`: task → the reference steps that
    fail, and should not, or the other way round. `replay` is "unavailable" where the tools could not be had: then
    nothing was reached and nothing was missed, and `why` says what brings them.
    """

    name: str
    folder: Path
    tasks: int
    outcomes: dict[str, int]
    replay: str
    missed: dict[str, str] = field(default_factory=dict[str, str])
    failing: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    why: str = ""

    def row(self) -> dict[str, Any]:
        """The import as JSON."""
        reached = None if self.replay == "unavailable" else self.tasks - len(self.missed)
        return {
            "domain": self.name, "folder": str(self.folder), "tasks": self.tasks, "outcomes": self.outcomes,
            "replay": self.replay, "reached": reached, "missed": self.missed, "failing": self.failing, "why": self.why,
        }  # fmt: skip


def write(content: Content, out: Path, finish: Finish) -> Imported:
    """Write a domain folder `out/NAME`, with the expectations that the replay of its references shows.

    Raises ConfigError where that folder exists: what was imported may have been edited.
    """
    target = out / content.name
    if target.exists():
        raise ConfigError(f"{target} exists, and may have been edited; remove it, or name another --out")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".import-") as scratch:
        folder = Path(scratch) / content.name
        _write_frame(content, folder)
        entries, missed, failing = _finished(content, folder, finish)
        _dump(folder / "tasks" / "imported.json", entries)
        shutil.rmtree(folder / "__pycache__", ignore_errors=True)
        folder.rename(target)
    outcomes = dict(sorted(Counter(each["expected_outcome"] for each in entries).items()))
    state = "unavailable" if content.unavailable else "done"
    return Imported(content.name, target, len(entries), outcomes, state, missed, failing, content.unavailable)


def _write_frame(content: Content, folder: Path) -> None:
    """Everything but the tasks."""
    (folder / "dbs").mkdir(parents=True)
    (folder / "tasks").mkdir()
    (folder / "rules.md").write_text(content.rules, "utf-8")
    (folder / "tools.py").write_text(content.tools, "utf-8")
    if content.partner_tools:
        (folder / "partner_tools.py").write_text(content.partner_tools, "utf-8")
    settings = f"audit = {json.dumps(list(content.audit))}\npartial_references = true\n"
    (folder / "domain.toml").write_text(settings, "utf-8")
    for name, db in content.dbs.items():
        _dump(folder / "dbs" / name, db)


def _finished(
    content: Content, folder: Path, finish: Finish
) -> tuple[list[Json], dict[str, str], dict[str, list[str]]]:
    """The entries with what they expect, why references miss it, and which of their steps fail."""
    if content.unavailable:
        return list(content.tasks), {}, {}
    domain, problems = read_domain(folder)
    if domain is None:
        raise problems[0]
    entries: list[Json] = []
    missed: dict[str, str] = {}
    failing: dict[str, list[str]] = {}
    for entry in content.tasks:
        completed = dict(entry)
        task = task_of(entry, folder / "tasks" / "imported.json")
        played = replay(domain, task)
        why = finish(domain, task, played, completed)
        if why is not None:
            missed[task.task_id] = why
        if played.problems:
            failing[task.task_id] = [f"{where}: {problem}" for where, problem in played.problems]
        entries.append(completed)
    return entries, missed, failing


def _dump(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")
