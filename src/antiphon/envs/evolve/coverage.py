"""Coverage of a generation: how complex its tasks are and how long their dialogues, against targets."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.envs.contract import replay

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

# The share of tasks that each cell is to have at least: of outcomes, of complexity, and of length.
TARGETS: Mapping[str, float] = {
    "write": 0.25, "refusal": 0.15, "unsupported": 0.1, "informational": 0.1,
    "simple": 0.2, "medium": 0.3, "complex": 0.1,
    "short": 0.2, "middling": 0.3, "long": 0.1,
}  # fmt: skip
_MEDIUM, _COMPLEX = 3, 6  # points
_MIDDLING, _LONG = 5, 8  # turns of the agent


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of `tasks` lie in each cell."""

    tasks: int
    cells: dict[str, int]

    def shortfalls(self) -> dict[str, int]:
        """How many tasks each cell lacks for its target, the emptiest first; met ones are left out."""
        lacking = {
            cell: -int(-share * self.tasks // 1) - self.cells.get(cell, 0) for cell, share in TARGETS.items()
        }
        return dict(sorted(((k, v) for k, v in lacking.items() if v > 0), key=lambda pair: -pair[1]))


def points(domain: Domain, task: Task) -> int:
    """How complex a task is: one point for each reference call, one more for each that writes, one for each rule
    under test."""
    played = replay(domain, task)
    return len(played.outcomes) + sum(bool(each.changes) for each in played.outcomes) + len(task.clauses)


def turns(task: Task) -> int:
    """How many turns an agent needs at least: for each fact that is asked for, each read-back, each insistence
    and further request, and one to close. What is asked in one breath takes fewer."""
    script = task.script
    asked = 0 if script is None else len(script.facts) + len(script.insists) + len(script.more)
    return asked + sum(each.predicate in ("confirmed_before", "asked") for each in task.checks) + 1


def cells(domain: Domain, task: Task) -> tuple[str, str, str]:
    """The outcome, complexity and length of a task."""
    value, length = points(domain, task), turns(task)
    return (
        task.expected_outcome,
        "complex" if value >= _COMPLEX else "medium" if value >= _MEDIUM else "simple",
        "long" if length >= _LONG else "middling" if length >= _MIDDLING else "short",
    )


def coverage(domain: Domain, tasks: Iterable[Task]) -> Coverage:
    """The cells that some tasks of a domain fill."""
    listed = list(tasks)
    return Coverage(len(listed), dict(Counter(cell for task in listed for cell in cells(domain, task))))


def most_needed(domain: Domain, tasks: Sequence[Task], have: Coverage) -> list[Task]:
    """Tasks in the order in which they fill what is lacking: those in the emptiest cells first."""
    lacking = have.shortfalls()
    return sorted(tasks, key=lambda task: -sum(lacking.get(cell, 0) for cell in cells(domain, task)))
