"""What a server gives each session, what one client may take and has asked for, and the codes of a close."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from antiphon.realtime.live.ports import Listener
from antiphon.realtime.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.clock import Clock
    from antiphon.realtime.live.ports import Parts, Witness
    from antiphon.realtime.recording.archive import Archive
    from antiphon.realtime.server.kept_sessions import KeptSession, KeptSessions
    from antiphon.realtime.turn_policy import TurnPolicy

GOING_AWAY, BROKEN, POLICY, TOO_BIG, RESTART, LATER = 1001, 1007, 1008, 1009, 1012, 1013


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server gives, and what one client may take."""

    sessions: int = 16
    frame_bytes: int = 1 << 20
    session_s: float = 3600.0
    idle_s: float = 300.0
    unsent_bytes: int = 8 << 20  # that a slow reader may leave waiting
    drain_s: float = 20.0
    resume_s: float = 60.0  # that a client which lost its connection may stay away; 0: it cannot come back
    kept_bytes: int = 4 << 20  # of what was sent, for a client that did not get it
    history_bytes: int = 16 << 20  # of what a client may put into the conversation


@dataclass(frozen=True)
class Stack:
    """What every session of a server is made of. `settings` are its own, without the tools of the client."""

    name: str
    parts: Parts
    policy: TurnPolicy
    system: Callable[[str], str]
    clock: Clock
    settings: Settings = field(default_factory=Settings)
    voice: str = "default"
    language: str | None = None  # that the recogniser expects; None lets it find out
    echo: bool = False  # whether every microphone hears the agent, not only those said to be far away
    trace: Callable[[str], Witness] | None = None  # for the session of this name
    record: Archive | None = None
    keep: KeptSessions | None = None


class Teller(Listener, Protocol):
    """A session's listener, which knows whether an answer is under way."""

    @property
    def answering(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Back:
    """A session that a client had at a server before this one, the token that opened it, and the number of the last
    event that the client has got, where it says."""

    kept: KeptSession
    token: str
    after: int | None


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a client asked for when it came. `resume`: it is told the token to come back with, should its
    connection be lost; `record`: it does not mind that words are written to disk, where the server does so."""

    duplex: bool = False
    resume: bool = False
    record: bool = True
    back: Back | None = None
