"""The messages of an episode, as one side may see them: words of both, and only its own tool calls and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.messages import Message, Text, ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antiphon.envs.task import Requestor
    from antiphon.trace import Step


def messages(steps: Sequence[Step], who: Requestor = "assistant") -> tuple[Message, ...]:
    """What one side knows of the episode so far, to ask a model with.

    Roles are the trace's: "assistant" is the agent, whoever looks. A partner ("user") sees the dialogue, and
    neither the agent's calls nor the state; the agent does not see what the partner does alone.
    """
    return tuple(message for step in steps for message in _of(step, who))


def _of(step: Step, who: Requestor) -> Iterator[Message]:
    if step.call is None:
        if step.text and (step.role != "system" or who == "assistant"):
            yield Message(step.role, (Text(step.text),))
        return
    if step.role != who or step.result is None:
        return
    call = ToolCall(step.call["id"], step.call["name"], step.call["arguments"])
    yield Message(step.role, (call,))
    yield Message("tool", (ToolResult(call.id, step.result["value"], step.result.get("error")),))
