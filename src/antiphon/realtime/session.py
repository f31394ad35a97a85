"""One client's connection: its events read and obeyed, its answers written, its limits kept."""

from __future__ import annotations

import asyncio
import dataclasses
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from antiphon.errors import WireError
from antiphon.models.wire.ga import server
from antiphon.models.wire.ga.codec import parse, read_client, write
from antiphon.models.wire.ga.shapes import Conversation, Failure, Unknown
from antiphon.realtime import ga_session
from antiphon.realtime.driver import Driver
from antiphon.realtime.engine import Engine
from antiphon.realtime.ga_in import Reception
from antiphon.realtime.ga_items import DeclinedError
from antiphon.realtime.ga_out import Narrator
from antiphon.realtime.hearing import Manner
from antiphon.realtime.ports import Manners
from antiphon.realtime.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.clock import Clock
    from antiphon.models.wire.ga.dialect import Dialect
    from antiphon.models.wire.ga.shapes import Event, Session
    from antiphon.realtime.meter import Meter
    from antiphon.realtime.ports import Parts
    from antiphon.realtime.turn_policy import TurnPolicy

GOING_AWAY, BROKEN, POLICY, TOO_BIG, LATER = 1001, 1007, 1008, 1009, 1013
_MOST_ERRORS = 50  # in a row, from one client


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server gives, and what one client may take."""

    sessions: int = 16
    frame_bytes: int = 1 << 20
    session_s: float = 3600.0
    idle_s: float = 300.0
    unsent_bytes: int = 8 << 20  # that a slow reader may leave waiting
    drain_s: float = 20.0


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


class Socket(Protocol):
    """The connection. `receive` gives a text, None for anything else than text, and raises EOFError at the end."""

    async def receive(self) -> str | None: ...
    async def send(self, text: str) -> None: ...
    async def close(self, code: int, reason: str) -> None: ...


class ClientSession:
    """From the first event to the close."""

    def __init__(
        self,
        name: str,
        stack: Stack,
        socket: Socket,
        limits: Limits,
        meter: Meter,
        dialect: Dialect,
        *,
        duplex: bool,
    ) -> None:
        self._stack, self._socket, self._limits, self._meter, self._dialect = (
            stack,
            socket,
            limits,
            meter,
            dialect,
        )
        self._unsent: deque[str] = deque()
        self._unsent_bytes = 0
        self._to_write = asyncio.Event()
        self._ended: asyncio.Future[tuple[int, str]] = asyncio.get_running_loop().create_future()
        self._events = self._errors = 0
        expires = int(stack.clock.utc().timestamp() + limits.session_s)
        session = ga_session.fresh(name, stack.name, stack.voice, expires)
        self._instructions = ""
        self.narrator = _Counting(self._say, session, meter, duplex=duplex)
        self._manners = Manners(system=self._system, language=stack.language)
        self._engine = Engine(stack.settings, stack.policy)
        self._driver = Driver(self._engine, stack.parts, stack.clock, self.narrator, self._manners, Manner())
        self._reception = Reception(self._driver, self.narrator, self._say, self._settle)
        self._session = session

    def _system(self, asked: str) -> str:
        return self._instructions or self._stack.system(asked)

    def _settle(self, session: Session) -> None:
        """Let new settings hold."""
        audio = session.audio
        manner = ga_session.manner(session)
        listening = audio.input if audio is not None else None
        speaking = audio.output if audio is not None else None
        self._instructions = session.instructions or ""
        self._manners.tools = ga_session.tools(session)
        self._manners.speaks = session.output_modalities != ("text",)
        self._manners.turns = manner is not None
        if manner is not None:
            self._driver.listen(manner)
        written = listening.transcription if listening is not None else None
        language = getattr(written, "language", None)
        self._manners.language = language if isinstance(language, str) else self._stack.language
        cues: dict[str, float | str] = {}
        if speaking is not None:
            if speaking.speed not in (None, 1.0):
                cues["rate"] = speaking.speed or 1.0
            if isinstance(speaking.voice, str) and speaking.voice != self._stack.voice:
                cues["voice"] = speaking.voice
        self._manners.cues = cues
        self._manners.choice = ga_session.choice(session.tool_choice, self._manners.tools)
        self._manners.most_tokens = ga_session.most_tokens(session.max_output_tokens)
        own = self._stack.settings
        answers, yields = ga_session.turns(session)
        tools = (*self._driver.asking.clients(), *own.tools)
        self._engine.configure(dataclasses.replace(own, tools=tools, answers=answers, yields=yields))

    async def run(self) -> None:
        """Until the client goes, a limit is reached, or `end` is called."""
        conversation = Conversation(id=f"conv_{self._session.id}", object="realtime.conversation")
        self._say(server.SessionCreated(session=self._session))
        self._say(server.ConversationCreated(conversation=conversation))
        work = [
            asyncio.create_task(part)
            for part in (self._read(), self._write(), self._driver.run(), self._expire())
        ]
        try:
            await asyncio.wait([*work, self._ended], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in work:
                task.cancel()
            done = await asyncio.gather(*work, return_exceptions=True)
        code, reason = self._ended.result() if self._ended.done() else _verdict(done)
        self._meter.count("sessions_ended", "code", str(code))
        await self._socket.close(code, reason)

    def end(self, code: int, reason: str) -> None:
        """Close soon, with this code and reason. The first reason counts."""
        if not self._ended.done():
            self._ended.set_result((code, reason[:120]))

    async def drain(self) -> None:
        """Let the answer under way end, for as long as the limits allow; then close."""
        left_us = round(self._limits.drain_s * 1e6)
        while self.narrator.answering and left_us > 0 and not self._ended.done():
            await self._stack.clock.sleep_us(100_000)
            left_us -= 100_000
        self.end(GOING_AWAY, "the server is shutting down")

    async def _expire(self) -> None:
        await self._stack.clock.sleep_us(round(self._limits.session_s * 1e6))
        self._fail("session_expired", f"a session lasts {self._limits.session_s:g} s at most", None)
        await asyncio.sleep(0.1)  # let the reason out
        self.end(GOING_AWAY, "the session has expired")

    async def _read(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._limits.idle_s):
                    text = await self._socket.receive()
            except TimeoutError:
                self.end(POLICY, f"nothing came for {self._limits.idle_s:g} s")
                return
            except EOFError:
                return
            self._obey(text)
            if self._errors >= _MOST_ERRORS:
                self.end(POLICY, f"{_MOST_ERRORS} events in a row were no events")
                return

    def _obey(self, text: str | None) -> None:
        if text is None:
            self._refuse(WireError("a frame", None, "events are JSON text, not binary"), None)
            return
        try:
            self._reception.receive(read_client(text, self._dialect))
            self._errors = 0
        except WireError as error:
            self._refuse(error, _event_id(text))

    def _refuse(self, error: WireError, event_id: str | None) -> None:
        self._errors += 1
        self._meter.count("bad_events")
        if isinstance(error, DeclinedError):
            self._fail(error.code, error.problem, error.field, event_id)
        else:
            self._fail("invalid_value", str(error), error.field, event_id)

    def _fail(self, code: str, message: str, param: str | None, event_id: str | None = None) -> None:
        failure = Failure(
            type="invalid_request_error", code=code, message=message, param=param, event_id=event_id
        )
        self._say(server.Error(error=failure))

    def _say(self, event: Event | Unknown) -> None:
        self._events += 1
        event_id = f"event_{self._events}"
        if isinstance(event, Unknown):
            event = Unknown(event.type, {"event_id": event_id, **event.body})
        else:
            event = replace(event, event_id=event_id)
        text = write(event, self._dialect)
        if text is None:
            return
        self._unsent.append(text)
        self._unsent_bytes += len(text)
        self._to_write.set()
        if self._unsent_bytes > self._limits.unsent_bytes:
            self.end(LATER, "events are read too slowly")

    async def _write(self) -> None:
        while True:
            await self._to_write.wait()
            self._to_write.clear()
            while self._unsent:
                text = self._unsent.popleft()
                await self._socket.send(text)
                self._unsent_bytes -= len(text)


class _Counting(Narrator):
    """A narrator that also counts for the operator."""

    def __init__(
        self, say: Callable[[Event | Unknown], None], session: Session, meter: Meter, *, duplex: bool
    ) -> None:
        super().__init__(say, session, duplex=duplex)
        self._meter = meter

    def stages(self, item: str, ms: dict[str, int]) -> None:
        self._meter.took(ms)
        super().stages(item, ms)

    def trouble(self, what: str) -> None:
        self._meter.count("troubles")
        super().trouble(what)


def _event_id(text: str) -> str | None:
    """The client's own name for the event that went wrong."""
    try:
        found = parse(text).get("event_id")
    except WireError:
        return None
    return found if isinstance(found, str) else None


def _verdict(done: Sequence[object]) -> tuple[int, str]:
    """How to close when a part ended by itself: well, unless it broke."""
    broken = [
        one
        for one in done
        if isinstance(one, Exception) and not isinstance(one, EOFError | asyncio.CancelledError)
    ]
    return (1011, "the session broke") if broken else (1000, "")
