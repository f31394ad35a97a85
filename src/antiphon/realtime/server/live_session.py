"""One client's connection in the OpenAI Live protocol (`/v1/live/sessions`): the agent owns the turns.

Everything else than the protocol is `session.ClientSession`: limits, engine, driver, drain.
"""

from __future__ import annotations

import asyncio
import dataclasses
from typing import TYPE_CHECKING, Any

from antiphon.models.wire import live
from antiphon.realtime import events
from antiphon.realtime.live.understanding import HEARD_HZ
from antiphon.realtime.protocols import live_settings
from antiphon.realtime.protocols.delegations import Delegations
from antiphon.realtime.protocols.live_in import Reception
from antiphon.realtime.protocols.live_out import Narrator
from antiphon.realtime.server.session import ClientSession
from antiphon.realtime.server.stack import GOING_AWAY, LATER

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from antiphon.messages import ToolCall
    from antiphon.models.wire.ga.shapes import Event, Format, Unknown
    from antiphon.realtime.server.presence import Socket

_USAGE_US = 60_000_000
_HUSH_MS = 500  # of silence after a mute: longer than any detector's wait for an utterance to end
_TICK_MS = 20
_FLUSH_US = 1_000_000


class LiveSession(ClientSession):
    """From `session.start` to `session.closed`."""

    def _converse(self, name: str, expires: int) -> Narrator:
        self._id, self._expires = name, expires
        self._settings: live.LiveSession | None = None
        self._begun_us = 0
        self._closed = False
        self._why: str | None = None
        self._asked_by: str | None = None  # the event that asked for the end
        self._silence: asyncio.Task[None] | None = None
        self._beside: set[asyncio.Task[None]] = set()
        self._voice = Narrator(self._say, self, self._meter)
        self._driver = self._drive(self._voice)
        self._delegations = Delegations(name, self._driver, self._say, self.ms, self._stack.clock)
        self._desk = Reception(self._driver, self._delegations, self._say, self)
        return self._voice

    def _greet(self) -> None:
        """The client speaks first."""

    async def _receive(self, text: str) -> None:
        self._desk.receive(live.read_client(text))
        await asyncio.sleep(0)

    def _say(self, event: Event | Unknown) -> None:
        if self._closed:  # session.closed is the last event
            return
        self._closed = isinstance(event, live.SessionClosed)
        if isinstance(event, live.AudioDelta):  # which alone has no id
            self._put(live.write(event))
        else:
            super()._say(event)

    def _fail(self, code: str, message: str, param: str | None, event_id: str | None = None) -> None:
        failure = live.LiveFailure(
            type="invalid_request_error", code=code, message=message, param=param, client_event_id=event_id
        )
        self._say(live.Error(error=failure, client_event_id=event_id))

    async def run(self, socket: Socket) -> None:
        """Until the client goes, a limit is reached, or `end` is called."""
        self._start(self._count_time())
        try:
            await super().run(socket)
        finally:
            self._delegations.close()
            for task in self._beside:
                task.cancel()
            await asyncio.gather(*self._beside, return_exceptions=True)

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(coroutine)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)
        return task

    async def _count_time(self) -> None:
        while True:
            await self._stack.clock.sleep_us(_USAGE_US)
            if self._settings is not None:
                self._say(live.UsageUpdated(usage=self._usage()))

    def _usage(self) -> live.Seconds:
        return live.Seconds(seconds=float(self.ms() // 1000))

    async def _expire(self) -> None:
        await self._stack.clock.sleep_us(round(self._limits.session_s * 1e6))
        self._why = "expired"
        self.end(GOING_AWAY, "the session has expired")

    async def _farewell(self) -> None:
        if not self.presence.there or self._settings is None:
            return  # the client has gone, or never began
        closed = live.SessionClosed(
            reason=self._why or "remote_hangup", session=self._settings, usage=self._usage(),
            client_event_id=self._asked_by,
        )  # fmt: skip
        self._say(closed)
        left_us = 0 if self.presence.ended.result()[0] == LATER else _FLUSH_US
        while self.presence.outbox.unsent_bytes and left_us > 0:
            await self._stack.clock.sleep_us(10_000)
            left_us -= 10_000

    # ---- for the reception

    def begin(self, event: live.SessionStart) -> Format:
        """Start with these settings; the format of the client's sound. Raises WireError."""
        stack = self._stack
        session = live_settings.started(event.session, self._id, stack.name, stack.voice, self._expires)
        audio = session.audio
        assert audio is not None
        assert audio.format is not None
        assert audio.output is not None
        self._voice.settle(audio.format)
        for message in live_settings.history(session):
            self._driver.desk.put(events.Noted, "", message)
        self._manners.cues = {} if audio.output.voice == stack.voice else {"voice": str(audio.output.voice)}
        self._begun_us = self._driver.desk.now_us()
        self._settle_live(session)
        self._say(live.SessionStarted(session=session, client_event_id=event.event_id))
        self._tell_unhonoured(event.event_id)
        self._driver.check_cues()
        return audio.format

    def change(self, event: live.SessionUpdate) -> None:
        """Let a change hold. Raises WireError."""
        assert self._settings is not None
        session = live_settings.updated(self._settings, event.session)
        self._settle_live(session)
        self._say(live.SessionUpdated(session=session, client_event_id=event.event_id))
        if event.session.delegation is not None:
            self._tell_unhonoured(event.event_id)

    def _settle_live(self, session: live.LiveSession) -> None:
        self._settings = session
        if session.delegation is not None:
            self._delegations.settle(session.delegation)
        self._instructions = live_settings.instructions(session)
        self._manners.tools = live_settings.tools(session)
        own = self._stack.settings
        self._engine.configure(dataclasses.replace(own, tools=(*self._manners.tools, *own.tools)))

    def _tell_unhonoured(self, event_id: str | None) -> None:
        assert self._settings is not None
        for field in live_settings.unhonoured(self._settings):
            self._fail("not_honoured", f"{field} changes nothing here", field, event_id)

    def hush(self, *, muted: bool) -> None:
        """Once muted, the agent hears silence, so that what was being said ends here."""
        if self._silence is not None:
            self._silence.cancel()
        self._silence = self._start(self._be_silent()) if muted else None

    async def _be_silent(self) -> None:
        for _ in range(_HUSH_MS // _TICK_MS):
            self._driver.hear(bytes(2 * HEARD_HZ * _TICK_MS // 1000))
            await self._stack.clock.sleep_us(_TICK_MS * 1000)

    def leave(self, event_id: str | None) -> None:
        """The client asks for the end."""
        self._why, self._asked_by = "close_requested", event_id
        self.end(1000, "")

    # ---- for the narrator

    def ms(self, t_us: int | None = None) -> int:
        """A place on the session's timeline, now or at a time of the driver's."""
        return max(0, (self._driver.desk.now_us() if t_us is None else t_us) - self._begun_us) // 1000

    def spoken(self, item: str, ms: int) -> str:
        """The words of an item whose sound has ended `ms` after its beginning."""
        log = self._engine.answers.playback.logs.get(item)
        return "" if log is None else log.text[: log.chars_at(ms)]

    def delegated(self, item: str | None, call: ToolCall) -> None:
        """The model wants a tool; those of ours are no work that leaves."""
        if any(spec.name == call.name for spec in self._manners.tools):
            self._delegations.created(item, call)

    def over(self, item: str, text: str) -> None:
        """An answer is over."""
        self._delegations.over(item, text)
