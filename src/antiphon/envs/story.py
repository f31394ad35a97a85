"""`Story`: a trace as predicates and judges read it: who said and called what, in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from antiphon.envs.changes import same
from antiphon.jsonl import dumps
from antiphon.text.mentions import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from antiphon.envs.changes import Json
    from antiphon.envs.task import Task
    from antiphon.messages import Role
    from antiphon.trace import Step


@dataclass(frozen=True, slots=True)
class Story:
    """One episode to be judged: its steps, its task, and its state before and after."""

    steps: Sequence[Step]
    task: Task
    initial: Json
    final: Json

    def said(self, role: Role = "assistant", after: int = -1) -> Iterator[tuple[int, str]]:
        """Everything one side said from a step on: position and folded words."""
        for at, step in enumerate(self.steps):
            if at > after and step.role == role and step.text:
                yield at, fold(step.text)

    def calls(
        self, tool: str, arguments: Mapping[str, Any] | None = None, *, role: Role = "assistant"
    ) -> Iterator[tuple[int, Step]]:
        """The *successful* calls of a tool with at least these arguments: position and step."""
        for at, step in enumerate(self.steps):
            if step.call is None or step.role != role or step.call["name"] != tool:
                continue
            if (
                step.result is not None
                and "error" not in step.result
                and fits(arguments, step.call["arguments"])
            ):
                yield at, step


def fits(wanted: Mapping[str, Any] | None, given: Mapping[str, Any]) -> bool:
    """Whether a call's arguments hold what is wanted; words are compared folded."""
    return all(name in given and _alike(value, given[name]) for name, value in (wanted or {}).items())


def _alike(wanted: object, given: object) -> bool:
    if isinstance(wanted, str) and isinstance(given, str):
        return fold(wanted) == fold(given)
    return same(wanted, given)


def transcript(story: Story) -> str:
    """The whole episode for a judge: words, calls with arguments, results, changes; today first."""
    lines = [f"Today is {story.initial.get('current_date', 'unknown')}."]
    names = {"assistant": "Agent", "user": "Customer"}
    for number, step in enumerate(story.steps, start=1):
        who = names.get(step.role, step.role)
        if step.call is not None:
            lines.append(f"[{number}] {who} calls {step.call['name']} {dumps(step.call['arguments'])}")
            lines.append(f"    result: {dumps(cast('Json', step.result)['value'])}")
            if step.changes:
                lines.append(f"    database changed at: {', '.join(step.changes)}")
        elif step.text:
            lines.append(f"[{number}] {who}: {step.text}")
    return "\n".join(lines)
