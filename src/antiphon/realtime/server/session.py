"""One client's session: its events read and obeyed, its answers written, its limits kept, over one connection or,
for a client that came back, over several."""

from __future__ import annotations

import asyncio
import dataclasses
import secrets
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from antiphon.errors import AntiphonError, WireError
from antiphon.messages import ToolCall
from antiphon.models.wire.ga import client, server
from antiphon.models.wire.ga.codec import parse, read_client, write
from antiphon.models.wire.ga.shapes import Conversation, Failure, Unknown
from antiphon.realtime import events
from antiphon.realtime.engine.engine import Engine
from antiphon.realtime.engine.kept import kept, restore
from antiphon.realtime.live.choosing import Chooser
from antiphon.realtime.live.driver import Driver
from antiphon.realtime.live.hearing import Manner
from antiphon.realtime.live.ports import Manners
from antiphon.realtime.policy.semantic import BySemantics
from antiphon.realtime.protocols import ga_session
from antiphon.realtime.protocols.ga_in import Reception
from antiphon.realtime.protocols.ga_items import DeclinedError
from antiphon.realtime.server.counting import Counting
from antiphon.realtime.server.keeper import Keeper
from antiphon.realtime.server.kept_sessions import KeptSession, hashed
from antiphon.realtime.server.presence import Presence
from antiphon.realtime.server.stack import GOING_AWAY, LATER, POLICY, RESTART

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antiphon.models.wire.ga.client import ClientEvent
    from antiphon.models.wire.ga.dialect import Dialect
    from antiphon.models.wire.ga.shapes import Event, Session
    from antiphon.realtime.live.playout import Frame
    from antiphon.realtime.meter import Meter
    from antiphon.realtime.recording.archive import Archive
    from antiphon.realtime.server.presence import Socket
    from antiphon.realtime.server.stack import Back, Limits, Stack, Teller, Wishes

_UTTERANCES_LATER = 100  # what was kept may be a moment older than what the client was told
_PIECE = 9600  # bytes of sound, 0.2 s or more, after which other sessions have their turn
_MOST_ERRORS = 50  # in a row, from one client


class ClientSession:
    """From the first event to the last close."""

    def __init__(
        self,
        name: str,
        stack: Stack,
        limits: Limits,
        meter: Meter,
        dialect: Dialect,
        wishes: Wishes,
    ) -> None:
        self._stack, self._limits, self._meter, self._dialect = stack, limits, meter, dialect
        self.name, self._duplex = name, wishes.duplex
        self._back = back = wishes.back
        self.presence = Presence(
            self,
            meter,
            limits.resume_s if wishes.resume else 0.0,
            limits.kept_bytes,
            back.token if back else None,
        )
        self.end = self.presence.end
        self._put_bytes = 0
        self._errors = 0
        now_s = stack.clock.utc().timestamp()
        self._expires = int(now_s + limits.session_s) if back is None else back.kept.expires
        self._lasts_s = limits.session_s if back is None else max(0.0, self._expires - now_s)
        self._instructions = ""
        self._manners = Manners(system=self._system, language=stack.language)
        self._engine = Engine(stack.settings, stack.policy)
        self._ga: Counting | None = None
        self.narrator = self._converse(name, self._expires)
        if back is not None:
            self._restore(back)
        if isinstance(stack.policy, BySemantics):
            self._driver.understanding.observer = Chooser(stack.parts.chat, self._engine.messages)
        self.recorded, self._unrecorded = False, ""
        if stack.trace is not None:
            self._driver.witnesses.append(stack.trace(name))
        if stack.record is not None and wishes.record:
            self._begin_recording(stack.record)
        self._keeper: Keeper | None = None
        if stack.keep is not None and self.presence.token is not None and wishes.record:
            self._keeper = Keeper(
                name, stack.keep, stack.clock, self._kept, lambda: self.presence.there, self.narrator.trouble
            )
            self._driver.witnesses.append(self._keeper)

    def _begin_recording(self, archive: Archive) -> None:
        try:
            recording = archive.begin(self.name, knows_pauses=self._duplex, failed=self.narrator.trouble)
            self._driver.witnesses.append(recording)
            self.recorded = True
        except AntiphonError as error:
            self._unrecorded = f"the session is not recorded: {error}"

    # What another protocol than GA does otherwise (`live_session`): the five methods that follow.

    def _converse(self, name: str, expires: int) -> Teller:
        """Whoever tells the client, and the driver and the reception beside it."""
        session = ga_session.fresh(name, self._stack.name, self._stack.voice, expires)
        if self._back is not None:
            session = self._back.kept.talk.settings
        narrator = self._ga = Counting(self._say, session, self._meter, duplex=self._duplex)
        self._driver = self._drive(narrator)
        self._reception = Reception(self._driver, narrator, self._say, self._settle)
        self._session = session
        return narrator

    def _greet(self) -> None:
        """What is said first, unasked."""
        conversation = Conversation(id=f"conv_{self._session.id}", object="realtime.conversation")
        self._say(server.SessionCreated(session=self._session))
        self._say(server.ConversationCreated(conversation=conversation))

    async def _receive(self, text: str) -> None:
        """Obey one event. Raises WireError for what cannot be done."""
        for piece in _pieces(read_client(text, self._dialect)):
            self._weigh(piece, len(text))
            self._reception.receive(piece)
            if self._keeper is not None and not isinstance(piece, client.AudioAppend):
                self._keeper.changed()
            await asyncio.sleep(0)  # who sends much waits for the others

    async def _farewell(self) -> None:
        """What is said last, if the client is still there."""

    def _fail(self, code: str, message: str, param: str | None, event_id: str | None = None) -> None:
        failure = Failure(
            type="invalid_request_error", code=code, message=message, param=param, event_id=event_id
        )
        self._say(server.Error(error=failure))

    def _drive(self, narrator: Teller) -> Driver:
        return Driver(self._engine, self._stack.parts, self._stack.clock, narrator, self._manners, Manner())

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
        self._manners.echo = self._stack.echo or ga_session.far_field(session)
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

    async def run(self, socket: Socket) -> None:
        """The session, beginning with its first connection, until the client has left for good, a limit is reached,
        or `end` is called."""
        self._greet()
        if self._duplex:
            again = {"resumed": True, "restarted": True} if self._back is not None else {}
            self._say(self._introduction(**again))
        if self._back is not None:
            self._go_on(self._back.kept)
        if self._unrecorded:
            self.narrator.trouble(self._unrecorded)
        first = asyncio.create_task(self.presence.attach(socket))
        parts = [self._driver.run(), self._expire()]
        if self._keeper is not None:
            parts.append(self._keeper.run())
        work = [asyncio.create_task(part) for part in parts]
        ended = self.presence.ended
        try:
            await asyncio.wait([*work, ended], return_when=asyncio.FIRST_COMPLETED)
            await self._farewell()
        except asyncio.CancelledError:
            self.give_up()
            raise
        finally:
            for task in work:
                task.cancel()
            done = await asyncio.gather(*work, return_exceptions=True)
            code, reason = ended.result() if ended.done() else _verdict(done)
            self._meter.count("sessions_ended", "code", str(code))
            if self._keeper is not None:
                await self._keeper.end(comes_back=code == RESTART)
            await self.presence.close(code, reason)
            await first

    def _introduction(self, **more: Any) -> Unknown:
        token = self.presence.token
        resume = {"token": token, "within_s": self.presence.resume_s} if token is not None else None
        fields = {
            "session_id": self.name, "resume": resume, "recorded": self.recorded,
            "kept": self._keeper is not None, **more,
        }  # fmt: skip
        return Unknown("duplex.session", {"type": "duplex.session", **fields})

    @property
    def settings(self) -> Session | None:
        """As they hold now, in the dialect that has such."""
        return self._ga.session if self._ga is not None else None

    @property
    def response(self) -> str | None:
        """The id of the response under way, in the dialect that has such."""
        return self._ga.response if self._ga is not None else None

    def dismiss(self) -> None:
        """The session is over, even if it never ran: what was kept of it is closed."""
        self._driver.dismiss()

    def left(self) -> None:
        """The client is away."""
        self._driver.left()

    def came_back(self, number: int) -> None:
        """Somebody is there again, who has got everything up to this event: the rest, once and in order, and the
        answer from where it was heard."""
        # The greeting is no event of the session's: a client that counts what it has got keeps the number it had.
        named = f"event_{number}.{secrets.token_hex(2)}"
        assert self._ga is not None  # nobody else is told a token
        created = server.SessionCreated(event_id=named, session=self._ga.session)
        told = self._introduction(event_id=named, resumed=True)
        greeting = [text for text in (write(created, self._dialect), write(told, self._dialect)) if text]
        self._driver.came_back(self.presence.outbox.rewind(number, self._driver.item, greeting))

    async def drain(self) -> None:
        """Let the answer under way end, for as long as the limits allow; then close."""
        left_us = round(self._limits.drain_s * 1e6)
        while (
            self.narrator.answering
            and left_us > 0
            and not (self.presence.ended.done() or self.presence.alone)
        ):
            await self._stack.clock.sleep_us(100_000)
            left_us -= 100_000
        self.give_up()

    def give_up(self) -> None:
        """The server ends; whether its client may come back to the next one is said by the code."""
        if self._keeper is not None:
            self.end(RESTART, "the server is shutting down; come back to the next one")
        self.end(GOING_AWAY, "the server is shutting down")

    # Over a restart of the server.

    def _kept(self) -> KeptSession:
        token = self.presence.token
        assert token is not None
        return KeptSession(
            self.name, hashed(token), self._expires, self.presence.outbox.number, self._put_bytes,
            self._driver.utterances, dict(self._manners.more_cues), self._reception.kept(), kept(self._engine),
        )  # fmt: skip

    def _restore(self, back: Back) -> None:
        """Be the session that another server kept."""
        known = back.kept
        self.presence.outbox.number = max(known.number, back.after or 0)
        self._put_bytes, self._driver.utterances = known.put_bytes, known.utterances + _UTTERANCES_LATER
        self._manners.more_cues = dict(known.cues)
        self._reception.restore(known.talk)
        self._settle(self._session)
        restore(self._engine, known.conversation)
        for ran in known.conversation.ran:
            call = ToolCall(ran.call.id, ran.call.name, ran.call.arguments)
            self._driver.asking.ran(events.StartTool(ran.name, ran.generation, call))

    def _go_on(self, known: KeptSession) -> None:
        """Tell the client how the response ended that it was getting; then let the engine go on."""
        self._meter.count("resumed")
        item = known.talk.item
        said = next(
            (each for each in known.conversation.entries if each.kind == "spoken" and each.item == item), None
        )
        heard = said.pieces[0].text or "" if said is not None else ""
        if known.talk.response is not None and self._ga is not None:
            self._ga.broke_off(known.talk.response, item, heard, said.heard_ms if said is not None else 0)
        self._driver.desk.put(events.CameBack)

    async def _expire(self) -> None:
        await self._stack.clock.sleep_us(round(self._lasts_s * 1e6))
        self._fail("session_expired", f"a session lasts {self._limits.session_s:g} s at most", None)
        await asyncio.sleep(0.1)  # let the reason out
        self.end(GOING_AWAY, "the session has expired")

    async def read(self, socket: Socket) -> None:
        """Obey this connection until it is over, or its client has worn out our patience."""
        while True:
            try:
                async with asyncio.timeout(self._limits.idle_s):
                    text = await socket.receive()
            except TimeoutError:
                self.end(POLICY, f"nothing came for {self._limits.idle_s:g} s")
                return
            await self._obey(text)
            if self._errors >= _MOST_ERRORS:
                self.end(POLICY, f"{_MOST_ERRORS} events in a row were no events")
                return

    async def _obey(self, text: str | None) -> None:
        if text is None:
            self._refuse(WireError("a frame", None, "events are JSON text, not binary"), None)
            return
        try:
            await self._receive(text)
            self._errors = 0
        except WireError as error:
            self._refuse(error, _event_id(text))
            await asyncio.sleep(0)

    def _weigh(self, event: ClientEvent, size: int) -> None:
        """Raises WireError where the client has put more into the conversation than a session may hold."""
        if isinstance(event, client.ItemCreate) or (
            isinstance(event, Unknown) and event.type == "duplex.typed"
        ):
            if self._put_bytes + size > self._limits.history_bytes:
                most = self._limits.history_bytes
                raise WireError(
                    "conversation.item.create", "item", f"a session takes {most} bytes of items at most"
                )
            self._put_bytes += size

    def _refuse(self, error: WireError, event_id: str | None) -> None:
        self._errors += 1
        self._meter.count("bad_events")
        if isinstance(error, DeclinedError):
            self._fail(error.code, error.problem, error.field, event_id)
        else:
            self._fail("invalid_value", str(error), error.field, event_id)

    def _say(self, event: Event | Unknown) -> None:
        event_id = f"event_{self.presence.outbox.next()}"
        if isinstance(event, Unknown):
            event = Unknown(event.type, {"event_id": event_id, **event.body})
        else:
            event = replace(event, event_id=event_id)
        text = write(event, self._dialect)
        if text is not None:
            self._put(text, self._ga.frame if self._ga is not None else None)

    def _put(self, text: str, frame: Frame | None = None) -> None:
        self.presence.outbox.put(text, frame)
        if self.presence.outbox.unsent_bytes > self._limits.unsent_bytes:
            self.end(LATER, "events are read too slowly")


def _pieces(event: ClientEvent) -> Iterator[ClientEvent]:
    """A long piece of sound as short ones: the detector needs its time."""
    if not isinstance(event, client.AudioAppend):
        yield event
        return
    for at in range(0, max(1, len(event.audio)), _PIECE):
        yield replace(event, audio=event.audio[at : at + _PIECE])


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
        one for one in done if isinstance(one, Exception) and not isinstance(one, asyncio.CancelledError)
    ]
    return (1011, "the session broke") if broken else (1000, "")
