"""What a client of the Live protocol wants, done: sound, muting, context, work. Errors go back as events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from antiphon.errors import WireError
from antiphon.models.wire import live
from antiphon.models.wire.ga.shapes import Unknown
from antiphon.realtime import events
from antiphon.realtime.protocols.ga_sound import Intake

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.models.wire.ga.shapes import Event, Format
    from antiphon.models.wire.live import ClientEvent
    from antiphon.realtime.live.driver import Driver
    from antiphon.realtime.protocols.delegations import Delegations

_LONGEST_CONTENT = 4000  # characters; the protocol counts 500 tokens, which are fewer
_MOST_CONTEXT = 5000
_APPENDED = {
    live.InstructionsAppend: live.InstructionsAppended,
    live.ThinkingAppend: live.ThinkingAppended,
    live.CommentaryAppend: live.CommentaryAppended,
}


class Acts(Protocol):
    """What the session does itself."""

    def ms(self, t_us: int | None = None) -> int: ...
    def begin(self, event: live.SessionStart) -> Format: ...
    def change(self, event: live.SessionUpdate) -> None: ...
    def hush(self, *, muted: bool) -> None: ...
    def leave(self, event_id: str | None) -> None: ...


class Reception:
    """One client's events."""

    def __init__(
        self, driver: Driver, delegations: Delegations, say: Callable[[Event], None], acts: Acts
    ) -> None:
        self._driver, self._delegations, self._say, self._acts = driver, delegations, say, acts
        self._intake: Intake | None = None  # none before the session has started
        self._muted = False
        self._appended = 0

    def receive(self, event: ClientEvent) -> None:
        """Do it. Raises WireError for what cannot be done; the session goes on."""
        if isinstance(event, live.SessionStart):
            if self._intake is not None:
                raise WireError("session.start", None, "the session has started already")
            self._intake = Intake(self._acts.begin(event))
        elif self._intake is None:
            name = event.type if isinstance(event, Unknown) else str(event.__struct_config__.tag)
            raise WireError(name[:80], None, "comes after session.start and its session.started")
        elif isinstance(event, live.AudioAppend):
            pcm = self._intake.push(event.audio)
            if not self._muted:
                self._driver.hear(pcm)
        else:
            self._control(event)

    def _control(self, event: ClientEvent) -> None:
        match event:
            case live.SessionUpdate():
                self._acts.change(event)
            case live.Mute():
                self._acts.hush(muted=True)
                self._muted = True
                self._say(live.Muted(client_event_id=event.event_id))
            case live.Unmute():
                self._acts.hush(muted=False)
                self._muted = False
                self._say(live.Unmuted(client_event_id=event.event_id))
            case live.InstructionsAppend() | live.ThinkingAppend() | live.CommentaryAppend():
                self._append(event)
            case live.ResponseItemCreate(item=item):
                self._delegations.item(item)
            case live.ResponseCreate():
                self._delegations.respond()
            case live.SessionClose():
                self._acts.leave(event.event_id)
            case _:
                self._refuse(event)

    def _append(self, event: live.InstructionsAppend | live.ThinkingAppend | live.CommentaryAppend) -> None:
        kind = str(event.__struct_config__.tag)
        if not event.content.strip():
            raise WireError(kind, "content", "is empty")
        if len(event.content) > _LONGEST_CONTENT:
            raise WireError(kind, "content", f"{len(event.content)} characters; at most {_LONGEST_CONTENT}")
        if self._appended >= _MOST_CONTEXT:
            raise WireError(kind, None, f"a session takes at most {_MOST_CONTEXT} of these")
        if isinstance(event, live.InstructionsAppend):
            self._delegations.check(event)
            self._driver.desk.put(events.Background, "", event.content, speaks=False)
        else:
            self._delegations.appended(event)
        self._appended += 1
        now_ms = self._acts.ms()
        self._say(_APPENDED[type(event)](client_event_id=event.event_id, start_ms=now_ms, end_ms=now_ms))

    def _refuse(self, event: ClientEvent) -> None:
        if isinstance(event, live.FixturePlay):
            raise WireError("session.output_audio.fixture.play", None, "ready sound is not played here")
        name = event.type[:80] if isinstance(event, Unknown) else "event"
        why = "there is no decision model here" if name.startswith("decision.") else "no such event"
        raise WireError(name, None, why)
