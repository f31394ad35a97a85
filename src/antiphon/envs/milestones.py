"""Milestones: the states on the way that a task's reference chain defines (section 4.4).

A milestone is reached by the expected successful calls up to it, in order, with the required arguments. A failed
call does not count, and a reference step that must fail is none. Other calls in between do no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.story import fits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.envs.changes import Json
    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Requestor, Task
    from antiphon.trace import Step


@dataclass(frozen=True, slots=True)
class Milestone:
    """One expected call. `number` counts from 1, `place` is that of the step in the reference chain from 0.

    `defaults` are what the tool takes where an argument is not given: giving it, or leaving it out, is the same.
    """

    number: int
    place: int
    tool: str
    arguments: Mapping[str, Any]
    who: Requestor = "assistant"
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])


def milestones_of(domain: Domain, task: Task) -> tuple[Milestone, ...]:
    """The milestones of a task, in order."""
    found: list[Milestone] = []
    for place, step in enumerate(task.reference_tool_calls):
        if step.expect_error:
            continue
        tool = domain.side(step.requestor).get(step.tool)
        properties = cast("Json", tool.spec.parameters.get("properties", {})) if tool is not None else {}
        defaults = {name: part["default"] for name, part in properties.items() if "default" in part}
        found.append(Milestone(len(found) + 1, place, step.tool, step.arguments, step.requestor, defaults))
    return tuple(found)


def reached(milestones: Sequence[Milestone], steps: Sequence[Step]) -> tuple[int, ...]:
    """Where each milestone was reached: positions of steps, ascending, one for each in order as far as it went."""
    found: list[int] = []
    for at, step in enumerate(steps):
        if len(found) == len(milestones):
            break
        if meets(milestones[len(found)], step):
            found.append(at)
    return tuple(found)


def meets(milestone: Milestone, step: Step) -> bool:
    """Whether a step is the successful call that a milestone expects."""
    call = step.call
    if call is None or call["name"] != milestone.tool or step.role != milestone.who:
        return False
    if step.result is None or "error" in step.result or step.defect is not None:
        return False
    return same_call(milestone, call["arguments"])


def same_call(milestone: Milestone, arguments: Mapping[str, Any]) -> bool:
    """Whether arguments ask for what a milestone does: those it names, and no other that changes the meaning."""
    given = {**milestone.defaults, **arguments}
    unnamed = {
        name: value
        for name, value in milestone.defaults.items()
        if name not in milestone.arguments and name in arguments
    }
    return fits(milestone.arguments, given) and fits(unnamed, arguments)
