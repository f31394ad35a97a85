"""`Defect`: one thing that is wrong with a domain or a task, with file, task and field."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antiphon.errors import DataError


@dataclass(frozen=True, slots=True)
class Defect:
    """One line of `antiphon envs check`. `task` and `field` are empty where the whole file is meant."""

    file: str
    task: str
    field: str
    problem: str

    @property
    def line(self) -> str:
        """File, task, field and problem in one line."""
        place = " ".join(part for part in (self.file, self.task, self.field) if part)
        return f"{place}: {' '.join(self.problem.split())}"


@dataclass(frozen=True, slots=True)
class Report:
    """What the construction checks found: no defects, and the domain may be played and trained on."""

    domain: str
    tasks: int
    defects: tuple[Defect, ...]

    def row(self) -> dict[str, Any]:
        """The report as JSON."""
        lines = [
            {"file": each.file, "task": each.task, "field": each.field, "problem": each.problem}
            for each in self.defects
        ]
        return {"domain": self.domain, "tasks": self.tasks, "defects": lines}


def of_file(error: DataError, folder: Path) -> Defect:
    """A problem of reading as a defect. A task's problem names the task first in its field."""
    path = Path(error.path)
    file = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.as_posix()
    at = f":{error.line}" if error.line is not None else ""
    field = error.field or ""
    head = f"{error.path}{at} {field}: " if field else f"{error.path}{at}: "
    task, _, below = field.partition(" ") if file.startswith("tasks/") else ("", "", field)
    if task == "task" and below:  # "task 3": a task without a name
        number, _, below = below.partition(" ")
        task = f"task {number}"
    return Defect(f"{file}{at}", task, below, str(error).removeprefix(head))
