"""What a client itself asks of the engine, beside what is heard of the person: inputs as those of `events`.

`item` is the client's name for what it puts into the history, `request` its name for an answer that it asks for;
the answer's `StartAnswer` carries it back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from antiphon.messages import Message


@dataclass(frozen=True, slots=True)
class Typed:
    """The person wrote: a whole turn, answered unless `answer` is False (then it only enters the history)."""

    t_us: int
    text: str
    answer: bool = True
    item: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """The client asks for an answer now (GA `response.create`), whatever the turn policy thinks."""

    t_us: int
    request: str = ""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The client wants no answer: neither the one under way nor, where none is, the one that it asked for last."""

    t_us: int


@dataclass(frozen=True, slots=True)
class Truncated:
    """The client has stopped the item itself and says how much of it was heard (GA `truncate`)."""

    t_us: int
    item: str
    ms: int


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The person pressed yes (or no) on a confirmation that the runtime asked for: `call_id` names it."""

    t_us: int
    call_id: str
    granted: bool


@dataclass(frozen=True, slots=True)
class Noted:
    """The client puts a message into the history (GA `conversation.item.create`)."""

    t_us: int
    item: str
    message: Message


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The client takes something out of the history: a turn, an answer, what it noted, or a call by its id."""

    t_us: int
    item: str
