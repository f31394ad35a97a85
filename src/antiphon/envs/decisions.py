"""`Decision`: one reply of the agent in a kept trace: the words and the tool calls that it made at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antiphon.messages import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from antiphon.trace import Step, Trace


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model proposes at a decision point: an utterance, tool calls, or both; the words come first."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """The steps from `begin` up to, and without, `end`: words, then calls."""

    begin: int
    end: int
    proposal: Proposal


def decisions(trace: Trace) -> tuple[Decision, ...]:
    """The agent's replies, in order.

    Rollouts note where replies begin (`meta.replies`). Without that note words and the call right after them are
    one reply, and further calls are replies of their own.
    """
    noted: list[Mapping[str, Any]] = trace.meta.get("replies", [])
    begins = sorted({int(each["step"]) for each in noted}) if noted else list(_guessed(trace.steps))
    found: list[Decision] = []
    for at, begin in enumerate(begins):
        limit = min([len(trace.steps), *begins[at + 1 : at + 2]])
        end = begin
        while end < limit and trace.steps[end].role == "assistant":
            end += 1
        if end > begin:
            found.append(Decision(begin, end, _proposal(trace.steps[begin:end])))
    return tuple(found)


def _guessed(steps: Sequence[Step]) -> Iterator[int]:
    for at, step in enumerate(steps):
        before = steps[at - 1] if at else None
        spoken = before is not None and before.role == "assistant" and before.call is None
        if step.role == "assistant" and not (step.call is not None and spoken):
            yield at


def _proposal(steps: Sequence[Step]) -> Proposal:
    text = " ".join(step.text for step in steps if step.text)
    calls = [
        ToolCall(step.call["id"], step.call["name"], step.call["arguments"]) for step in steps if step.call
    ]
    return Proposal(text, tuple(calls))
