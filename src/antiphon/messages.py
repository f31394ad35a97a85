"""What travels in a conversation: messages, their parts, tool calls and results, and the toolbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from antiphon.audio.clip import Clip

Kind = Literal["text", "speech"]
Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Text:
    """Written words."""

    text: str


@dataclass(frozen=True, slots=True)
class Speech:
    """Spoken words. `transcript` is what was said where that is known; `heard_chars` counts how many
    of its characters reached the listener (None: all of them)."""

    clip: Clip
    transcript: str | None = None
    heard_chars: int | None = None

    @property
    def heard(self) -> str | None:
        """The transcript as far as it was heard."""
        return self.transcript if self.transcript is None else self.transcript[: self.heard_chars]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to use a tool: `arguments` is a JSON object."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the tool gave back: any JSON value, or an error in words."""

    call_id: str
    value: Any = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """A slow tool's sign of life."""

    call_id: str
    text: str


Part = Text | Speech | ToolCall | ToolResult


@dataclass(frozen=True, slots=True)
class Message:
    """One contribution to a conversation."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All words in it, written and (as far as known and heard) spoken."""
        words = (
            part.text if isinstance(part, Text) else part.heard
            for part in self.parts
            if isinstance(part, Text | Speech)
        )
        return "".join(word for word in words if word)


def says(role: Role, text: str) -> Message:
    """A message of plain text."""
    return Message(role, (Text(text),))


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it (`parameters` is a JSON schema), and how it behaves under speech."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    cancel_on_interrupt: bool = False
    blocks_answer: bool = True
    slow: bool = False


class Toolbox(Protocol):
    """The tools on offer: how tools cross from one part of Antiphon to another."""

    def specs(self) -> Sequence[ToolSpec]: ...

    def call(self, call: ToolCall) -> AsyncGenerator[Progress | ToolResult, None]: ...
