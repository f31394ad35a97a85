"""`Proposal`: a new task, with what it needs, before anybody has checked it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import msgspec

from antiphon.envs.task import task_of

if TYPE_CHECKING:
    from antiphon.envs.task import Task


@dataclass(frozen=True, slots=True)
class Proposal:
    """A new task as JSON, made from `parent` (empty: from nothing) by `mutation`; `db` is its own database where
    it needs one, to lie in `dbs/{task_id}.json`. `by` is the mutator or the code agent, by its full name.

    `temptation` is what an agent does that falls for the change: a `flaw` of the reference agent, or the `task` whose
    reference it plays instead. Such an agent must fail, or the change has no bite.
    """

    task: dict[str, Any]
    parent: str
    mutation: str
    by: str
    db: dict[str, Any] | None = None
    note: str = ""
    temptation: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def task_id(self) -> str:
        return str(self.task["task_id"])


def as_json(task: Task) -> dict[str, Any]:
    """A task as its file has it: fields at their default left out."""
    found = cast("dict[str, Any]", msgspec.to_builtins(task))
    plain = {name: value for name, value in found.items() if value not in ((), [], {}, "", None)}
    return {"expected_db": {}, "reference_tool_calls": [], "assertions": [], **plain}


def as_task(proposal: Proposal) -> Task:
    """The proposed task. Raises DataError for one that is none."""
    return task_of(proposal.task, f"proposal {proposal.task_id}")
