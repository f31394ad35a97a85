"""`Proposal`: a new task, with what it needs, before anybody has checked it."""

from __future__ import annotations

import copy
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


_ALWAYS = ("expected_db", "reference_tool_calls", "assertions")  # the paper's fields, empty ones too


def as_json(task: Task) -> dict[str, Any]:
    """A task as its file has it, in the order of the fields; what is at its default is left out."""
    return cast("dict[str, Any]", _plain(task, _ALWAYS))


def _plain(value: Any, always: tuple[str, ...] = ()) -> Any:
    if isinstance(value, msgspec.Struct):
        return {
            each.name: _plain(getattr(value, each.name))
            for each in msgspec.structs.fields(value)
            if each.name in always or getattr(value, each.name) != _default(each)
        }
    if isinstance(value, tuple | list):
        return [_plain(each) for each in cast("list[Any]", value)]
    return copy.deepcopy(value)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def as_task(proposal: Proposal) -> Task:
    """The proposed task. Raises DataError for one that is none."""
    return task_of(proposal.task, f"proposal {proposal.task_id}")
