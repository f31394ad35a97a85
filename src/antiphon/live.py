"""What travels in a live session: 20 ms frames and the events of both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from antiphon.messages import Message, ToolCall, ToolResult, ToolSpec

FRAME_US = 20_000


@dataclass(frozen=True, slots=True)
class AudioFrame:
    """20 ms of little-endian int16 mono on one track, beginning `t_us` after the session did. Whoever hands
    over sound that is there already may send longer ones."""

    t_us: int
    track: str
    pcm: bytes
    rate_hz: int


@dataclass(frozen=True, slots=True)
class SendText:
    """The person typed."""

    text: str


@dataclass(frozen=True, slots=True)
class History:
    """What was said before: it enters the conversation, and nobody answers it."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The person has ended: answer now. Only for sessions whose client takes the turns."""


@dataclass(frozen=True, slots=True)
class SendToolResult:
    """A tool that the client runs has ended."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class Played:
    """The client has played `ms` of an item, counted from the item's start. `stopped`: and it will play no more
    of it, so that the rest was never heard."""

    item: str
    ms: int
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop the answer under way."""


@dataclass(frozen=True, slots=True)
class Update:
    """Change instructions or tools (None: leave as it is)."""

    instructions: str | None = None
    tools: tuple[ToolSpec, ...] | None = None


ClientEvent = AudioFrame | SendText | History | EndTurn | SendToolResult | Played | Cancel | Update


@dataclass(frozen=True, slots=True)
class AudioOut:
    """Speech of one item; `chars` counts the characters of its text spoken once this has played."""

    item: str
    t_us: int
    pcm: bytes
    rate_hz: int
    chars: int | None = None


@dataclass(frozen=True, slots=True)
class TextOut:
    """More words of one item: `whose` tells a transcript of the person from the agent's own text. A `final`
    one is all of them, and replaces what came before."""

    item: str
    t_us: int
    text: str
    whose: Literal["person", "agent"]
    final: bool = False


@dataclass(frozen=True, slots=True)
class ToolAsked:
    """The agent wants a tool of the client's."""

    t_us: int
    call: ToolCall


@dataclass(frozen=True, slots=True)
class TurnEdge:
    """A change of the floor as the server sees it. `reason` says how an answer ended: "stop", "length",
    "tool_calls", "content_filter", "cancelled" or "failed"."""

    t_us: int
    edge: Literal["speech_started", "speech_stopped", "answer_started", "answer_done"]
    item: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class LiveUsage:
    """Consumption so far, in the endpoint's own units (tokens, seconds)."""

    t_us: int
    counts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class LiveError:
    """The session's other side reports a failure; `fatal` ends the session. `transient`: the same may
    work later, after `retry_after_us` where the other side says so."""

    t_us: int
    text: str
    fatal: bool
    transient: bool = False
    retry_after_us: int | None = None


ServerEvent = AudioOut | TextOut | ToolAsked | TurnEdge | LiveUsage | LiveError


class LiveSession(Protocol):
    """A conversation in real time with a system that owns its own turns."""

    async def send(self, event: ClientEvent) -> None: ...

    def events(self) -> AsyncIterator[ServerEvent]: ...
