"""The history as it was heard: turns of the person, what the agent said as far as it was played, tools and jobs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.messages import Message, Text, ToolCall, ToolResult, says

if TYPE_CHECKING:
    from antiphon.realtime.engine.playback_log import ItemLog

RUNNING = {"status": "running"}


@dataclass(slots=True)
class Turn:
    """Something the person said or wrote."""

    item: str
    utterances: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """An item of the agent: its log says how far it was heard."""

    item: str
    log: ItemLog


@dataclass(slots=True)
class ToolUse:
    """A call, and its result once there is one."""

    call: ToolCall
    result: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a background job, or the client, put into the history; a client names it."""

    message: Message
    item: str = ""


@dataclass(slots=True)
class Conversation:
    """The reducer of history, in order of beginning."""

    entries: list[Turn | Spoken | ToolUse | Told] = field(
        default_factory=list["Turn | Spoken | ToolUse | Told"]
    )

    def turn(self, item: str) -> Turn | None:
        return next((each for each in self.entries if isinstance(each, Turn) and each.item == item), None)

    def forget_turn(self, item: str) -> None:
        self.entries = [each for each in self.entries if not (isinstance(each, Turn) and each.item == item)]

    def forget(self, name: str) -> None:
        """Take out what goes by this name: a call by its id, anything else by its item."""
        self.entries = [each for each in self.entries if _name(each) != name]

    def forget_unheard(self, item: str) -> None:
        """An item of which nothing was heard was never said."""
        self.entries = [
            each
            for each in self.entries
            if not (isinstance(each, Spoken) and each.item == item and not each.log.heard_chars)
        ]

    def called(self, call_id: str) -> bool:
        """Whether a call of this id is in the history."""
        return any(isinstance(each, ToolUse) and each.call.id == call_id for each in self.entries)

    def give(self, result: ToolResult) -> None:
        for each in self.entries:
            if isinstance(each, ToolUse) and each.call.id == result.call_id and each.result is None:
                each.result = result
                return

    def messages(self) -> tuple[Message, ...]:
        """The history for a model. Words that nobody heard are not in it; a tool that runs says so."""
        found: list[Message] = []
        for each in self.entries:
            match each:
                case Turn():
                    found.append(says("user", each.text))
                case Spoken():
                    if heard := each.log.heard:
                        found.append(Message("assistant", (Text(heard),)))
                case ToolUse():
                    result = each.result or ToolResult(each.call.id, value=RUNNING)
                    found += [Message("assistant", (each.call,)), Message("tool", (result,))]
                case Told():
                    found.append(each.message)
        return tuple(found)


def _name(entry: Turn | Spoken | ToolUse | Told) -> str:
    return entry.call.id if isinstance(entry, ToolUse) else entry.item
