"""Endpoints of the OpenAI Live protocol: a `LiveSession` whose agent owns the turns, and a `Chat` to measure it.

The protocol says nowhere that an answer is over. Here it is when nothing has come for `settle_us` after the sound
that came would have been heard, and no background model is at work.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antiphon.errors import ModelError
from antiphon.live import AudioFrame, AudioOut, EndTurn, SendText, TurnEdge
from antiphon.messages import Message, Speech
from antiphon.models.adapters.realtime_chat import Reply, ask_aloud, instructions_of, left_s, next_event
from antiphon.models.adapters.realtime_session import RealtimeSession, Tongue
from antiphon.models.ports import SpeechDelta
from antiphon.models.wire import live
from antiphon.models.wire.ga.shapes import Format, Unknown
from antiphon.models.wire.live_talk import LiveTalk, functions, history

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence

    from websockets.asyncio.client import ClientConnection

    from antiphon.live import ClientEvent
    from antiphon.messages import Kind, ToolSpec
    from antiphon.models.adapters.realtime_socket import Address
    from antiphon.models.ports import Chunk, Request
    from antiphon.models.retry import Limits
    from antiphon.models.wire.ga.shapes import Event, Json

RATE_HZ = 24_000
_FRAME_US = 20_000
_FRAME = bytes(2 * RATE_HZ * _FRAME_US // 1_000_000)
_TONGUE = Tongue(live.read_server, live.write, live.SessionStarted)


@dataclass(frozen=True, slots=True)
class LiveSetup:
    """How sessions with one model are set up. `backend` is the endpoint's own background model, if any."""

    address: Address
    model: str
    gives: frozenset[Kind]
    voice: str | None = None
    backend: str | None = None
    settle_us: int = 1_500_000
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def session(
        self, instructions: str, specs: Sequence[ToolSpec], said: Sequence[Message] = ()
    ) -> live.LiveSession:
        """The session's settings. Raises ValueError for tools without a background model."""
        if specs and self.backend is None:
            raise ValueError("tools need the endpoint's background model: backend=MODEL")
        voice = live.Voice(voice=self.voice) if self.voice else None
        settings = None
        if self.backend is not None:
            behind: Json = {"model": self.backend} | ({"tools": functions(specs)} if specs else {})
            settings = live.DelegationSettings(type="responses", responses=behind)
        return live.LiveSession(
            model=self.model,
            instructions=instructions or None,
            audio=live.Audio(format=Format(rate=RATE_HZ), output=voice),
            delegation=settings,
            input=history(said) or None,
        )


class LiveEndpoint(RealtimeSession):
    """One open session. It adds `answer_started` and `answer_done` to what comes, and after `EndTurn` a
    microphone that hears nothing, since the agent goes by sound."""

    def __init__(self, setup: LiveSetup, socket: ClientConnection) -> None:
        talk = LiveTalk(RATE_HZ, RATE_HZ, setup.backend is not None)
        super().__init__(setup.address, _TONGUE, talk, socket)
        self._live_talk, self._settle_us = talk, setup.settle_us
        self._spoke = self._open_microphone = False
        self._last_us = self._until_us = 0  # when something came last, and until when it would be heard
        self._going = asyncio.Event()
        self._beside: set[asyncio.Task[None]] = set()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def begin(self, opening: Event, extra: Mapping[str, Any], within_s: float) -> None:
        """Start the session. Raises ModelError."""
        await super().begin(opening, extra, within_s)
        self._start(self._watch())

    async def send(self, event: ClientEvent) -> None:
        """Raises ModelError, ConfigError."""
        if isinstance(event, EndTurn) and self._spoke:
            self._spoke, self._open_microphone = False, True
            self._start(self._listen_on())
            return
        if isinstance(event, AudioFrame):
            self._spoke, self._open_microphone = True, False
        await super().send(event)

    async def _listen_on(self) -> None:
        """Silence, at the speed of time."""
        clock = self._address.clock
        due_us = clock.mono_us()
        with suppress(ModelError):  # the session is over: its reader says so
            while self._open_microphone:
                await self._write(live.write(live.AudioAppend(audio=_FRAME)))
                due_us += _FRAME_US
                await clock.sleep_us(max(0, due_us - clock.mono_us()))

    def _hear(self, event: Event | Unknown) -> None:
        before = self._came.qsize()
        super()._hear(event)
        now_us = self.now_us()
        if isinstance(event, live.AudioDelta):
            ms = len(event.delta) * 500 // RATE_HZ
            self._until_us = max(self._until_us, now_us) + ms * 1000
        if isinstance(event, live.AudioDelta | live.OutputTranscriptDelta) or self._came.qsize() > before:
            self._last_us = now_us
        if isinstance(event, live.AudioDelta | live.ResponseEvent):
            self._going.set()
        for reply in self._live_talk.helpless(event):
            self._start(self._write(live.write(reply)))

    async def _watch(self) -> None:
        """Tell when answers are over."""
        clock = self._address.clock
        while True:
            await self._going.wait()
            while (
                self._live_talk.busy or self.now_us() < max(self._last_us, self._until_us) + self._settle_us
            ):
                await clock.sleep_us(_FRAME_US)
            self._going.clear()
            self._came.put_nowait(TurnEdge(self._last_us, "answer_done", reason=self._live_talk.over()))

    async def aclose(self) -> None:
        """End the session, and close."""
        self._closing = True
        for task in list(self._beside):
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        with suppress(ModelError):
            await self._write(live.write(live.SessionClose()))
        await super().aclose()


@asynccontextmanager
async def open_session(
    setup: LiveSetup, settings: live.LiveSession, within_s: float | None = None
) -> AsyncGenerator[LiveEndpoint, None]:
    """A session that has started. Raises ModelError."""
    address = setup.address
    waits_s = address.timeout_s if within_s is None else min(within_s, address.timeout_s)
    called_us = address.clock.mono_us()
    session = LiveEndpoint(setup, await address.connect(waits_s))
    try:
        left = waits_s - (address.clock.mono_us() - called_us) / 1e6
        await session.begin(live.SessionStart(session=settings), setup.extra, max(0.0, left))
        yield session
    finally:
        await session.aclose()


class LiveChat:
    """One model behind one endpoint: each request is a session of its own.

    A spoken question is sent as fast as it was spoken, and silence after it, since the agent takes its turn by
    itself: times count from the end of the question, and hold the agent's own wait.
    """

    accepts: frozenset[Kind] = frozenset({"text", "speech"})

    def __init__(self, setup: LiveSetup, limits: Limits) -> None:
        self._setup = setup
        self.name = setup.address.name
        self.gives = setup.gives
        self.limits = limits

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        """Chunks as they arrive. Raises ModelError. Closing the stream ends the session."""
        setup, clock = self._setup, self._setup.address.clock
        ends_us = None if request.deadline_us is None else clock.mono_us() + request.deadline_us
        said, question = _question(request)
        try:
            settings = setup.session(instructions_of(request), request.tools, said)
        except ValueError as error:
            raise ModelError(self.name, str(error)) from None
        async with open_session(setup, settings, left_s(clock, ends_us)) as session:
            if isinstance(question, str):
                await session.send(SendText(question))
            else:
                await ask_aloud(session, question, clock, name=self.name, pace=True)
                await session.send(EndTurn())
            reply = Reply(self.name, session.now_us())
            events = session.events()
            while not reply.complete:
                event = await next_event(events, setup.address, clock, ends_us)
                if isinstance(event, AudioOut) and "speech" not in self.gives:
                    continue
                for chunk in reply.read(event):
                    if "speech" in request.want or not isinstance(chunk, SpeechDelta):
                        yield chunk


def _question(request: Request) -> tuple[list[Message], str | list[Speech]]:
    """What was said before, and the question: words, or speech. Neither (results of tools came last): no speech."""
    said = [message for message in request.messages if message.role != "system"]
    if not said or said[-1].role != "user":
        return said, []
    last = said.pop()
    spoken = [part for part in last.parts if isinstance(part, Speech)]
    if not spoken:
        return said, last.text
    written = tuple(part for part in last.parts if not isinstance(part, Speech))
    return ([*said, Message("user", written)] if written else said), spoken
