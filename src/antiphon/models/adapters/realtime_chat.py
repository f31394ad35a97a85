"""A Realtime endpoint as a `Chat`: each request is a session of its own, with turns taken by hand."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from antiphon.audio.clip import Clip
from antiphon.audio.frames import samples_in
from antiphon.audio.resample import resample
from antiphon.errors import ModelError
from antiphon.live import (
    AudioFrame,
    AudioOut,
    EndTurn,
    History,
    LiveError,
    LiveUsage,
    TextOut,
    ToolAsked,
    TurnEdge,
)
from antiphon.messages import Message, Speech
from antiphon.models.adapters.realtime_session import open_session
from antiphon.models.ports import Done, SpeechDelta, TextDelta, ToolAsk, Usage
from antiphon.models.wire.ga.items import tools
from antiphon.models.wire.ga.shapes import Audio, Format, Listening, Session, Speaking, Transcription

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

    from antiphon.clock import Clock
    from antiphon.live import ServerEvent
    from antiphon.messages import Kind, ToolSpec
    from antiphon.models.adapters.realtime_session import RealtimeSession
    from antiphon.models.adapters.realtime_socket import Address
    from antiphon.models.ports import Chunk, Request
    from antiphon.models.retry import Limits
    from antiphon.models.wire.ga.dialect import Dialect

_LARGEST_REPLY = 64 << 20
_PIECE_MS, _PACED_MS = 100, 20


@dataclass(frozen=True, slots=True)
class Setup:
    """How sessions with one model are set up. `pace`: questions are sent as fast as they were spoken."""

    address: Address
    dialect: Dialect
    gives: frozenset[Kind]
    voice: str | None = None
    transcribe: str | None = None
    pace: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def session(
        self,
        instructions: str,
        specs: Sequence[ToolSpec],
        *,
        speech: bool,
        by_hand: bool,
        limit: int | None = None,
    ) -> Session:
        """The session's settings. By hand: the endpoint waits until it is told to answer."""
        heard = Listening(
            format=Format(rate=self.dialect.in_hz),
            turn_detection=None if by_hand else UNSET,
            transcription=Transcription(model=self.transcribe) if self.transcribe else UNSET,
        )
        spoken = Speaking(format=Format(rate=self.dialect.out_hz), voice=self.voice) if speech else None
        return Session(
            type="realtime",
            instructions=instructions or None,
            output_modalities=("audio",) if speech else ("text",),
            audio=Audio(input=heard, output=spoken),
            tools=tools(specs) or None,
            max_output_tokens=limit,
        )


class RealtimeChat:
    """One model behind one endpoint.

    Times count from the moment at which the question was complete: opening a session and handing the
    question over come before, as they do in a conversation. The deadline counts from the call. A limit
    of tokens is passed on for words alone: endpoints count sound too, and would break off within a word.
    """

    def __init__(self, setup: Setup, limits: Limits) -> None:
        self._setup = setup
        self.name = setup.address.name
        self.accepts: frozenset[Kind] = frozenset({"text", "speech"})
        self.gives = setup.gives
        self.limits = limits

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        """Chunks as they arrive. Raises ModelError. Closing the stream cancels the answer."""
        setup, clock = self._setup, self._setup.address.clock
        ends_us = None if request.deadline_us is None else clock.mono_us() + request.deadline_us
        speech = "speech" in request.want and "speech" in setup.gives
        settings = setup.session(
            instructions_of(request),
            request.tools,
            speech=speech,
            by_hand=True,
            limit=None if speech else request.sampling.max_tokens,
        )
        opening = open_session(
            setup.address, setup.dialect, settings, extra=setup.extra, within_s=left_s(clock, ends_us)
        )
        async with opening as session:
            await _ask(session, request, setup, clock)
            asked_us = session.now_us()
            await session.send(EndTurn())
            reply = Reply(self.name, asked_us)
            events = session.events()
            while not reply.complete:
                event = await next_event(events, setup.address, clock, ends_us)
                for chunk in reply.read(event):
                    yield chunk


async def next_event(
    events: AsyncIterator[ServerEvent], address: Address, clock: Clock, ends_us: int | None
) -> ServerEvent:
    """What comes next. Raises ModelError where nothing does in time."""
    remaining_s = left_s(clock, ends_us)
    try:
        # The timeout spans one await and no yield: it must never interrupt the consumer.
        async with asyncio.timeout(
            address.timeout_s if remaining_s is None else min(remaining_s, address.timeout_s)
        ):
            return await anext(events)
    except TimeoutError:
        if remaining_s is not None and remaining_s <= address.timeout_s:
            raise ModelError(address.name, "no complete answer before the deadline", transient=True) from None
        raise address.silent() from None
    except StopAsyncIteration:
        raise address.lost(None) from None


def left_s(clock: Clock, ends_us: int | None) -> float | None:
    """What is left until a deadline; None where there is none."""
    return None if ends_us is None else max(0.0, (ends_us - clock.mono_us()) / 1e6)


def instructions_of(request: Request) -> str:
    """What the system messages and the choices of a request ask for."""
    lines = [message.text for message in request.messages if message.role == "system"]
    if request.choices:
        listed = " | ".join(request.choices)
        lines.append(f"Answer with exactly one of these and nothing else: {listed}")
    return "\n\n".join(lines)


async def _ask(session: RealtimeSession, request: Request, setup: Setup, clock: Clock) -> None:
    """Everything that was said, as items; the question's own sound, where there is some, as sound."""
    said = [message for message in request.messages if message.role != "system"]
    spoken = (
        [part for part in said[-1].parts if isinstance(part, Speech)]
        if said and said[-1].role == "user"
        else []
    )
    if spoken:
        written = tuple(part for part in said[-1].parts if not isinstance(part, Speech))
        said[-1:] = [Message("user", written)] if written else []
    await session.send(History(tuple(said)))
    await ask_aloud(session, spoken, clock, name=setup.address.name, pace=setup.pace)


async def ask_aloud(
    session: RealtimeSession, spoken: Sequence[Speech], clock: Clock, *, name: str, pace: bool
) -> None:
    """Send a spoken question. Raises ModelError for one without any sound."""
    for part in spoken:
        if not len(part.clip):
            raise ModelError(name, "this spoken turn is empty: there is no sound to send")
        await _say(session, resample(part.clip, session.rate_hz), pace, clock)


async def _say(session: RealtimeSession, clip: Clip, pace: bool, clock: Clock) -> None:
    step = 2 * samples_in(_PACED_MS if pace else _PIECE_MS, clip.rate_hz)
    pcm, started_us = clip.pcm16(), clock.mono_us()
    for start in range(0, len(pcm), step):
        if pace:  # a piece leaves when its sound is over, as from a microphone
            over_us = min(start + step, len(pcm)) // 2 * 1_000_000 // clip.rate_hz
            await clock.sleep_us(started_us + over_us - clock.mono_us())
        await session.send(AudioFrame(session.now_us(), "person", pcm[start : start + step], clip.rate_hz))


class Reply:
    """Live events of one answer as chunks; `asked_us` is when the question was complete."""

    def __init__(self, name: str, asked_us: int) -> None:
        self.complete = False
        self._name = name
        self._asked_us = asked_us
        self._usage = Usage()
        self._heard: str | None = None
        self._gave = False
        self._bytes = 0

    def read(self, event: ServerEvent) -> list[Chunk]:
        """Raises ModelError for whatever is no answer."""
        t_us = max(0, event.t_us - self._asked_us)
        match event:
            case TextOut(text=text, whose="agent"):
                return self._give(TextDelta(text, t_us))
            case TextOut(text=text, final=True):
                self._heard = text
            case AudioOut(pcm=pcm, rate_hz=rate_hz):
                self._bytes += len(pcm)
                if self._bytes > _LARGEST_REPLY:
                    raise ModelError(
                        self._name, f"an answer of more than {_LARGEST_REPLY >> 20} MiB was cut off"
                    )
                return self._give(SpeechDelta(Clip.from_pcm16(pcm, rate_hz), t_us))
            case ToolAsked(call=call):
                return self._give(ToolAsk(call, t_us))
            case LiveUsage(counts=counts):
                self._usage = _usage(dict(counts))
            case LiveError():
                raise ModelError(
                    self._name, event.text, transient=event.transient, retry_after_us=event.retry_after_us
                )
            case TurnEdge(edge="answer_done", reason=reason):
                return [self._done(reason or "stop", t_us)]
            case _:
                pass
        return []

    def _give(self, chunk: Chunk) -> list[Chunk]:
        self._gave = True
        return [chunk]

    def _done(self, reason: str, t_us: int) -> Done:
        if reason == "content_filter":
            raise ModelError(self._name, "the endpoint withheld the reply (content_filter)")
        if reason in ("cancelled", "failed"):
            raise ModelError(self._name, f"the endpoint ended its reply early ({reason})", transient=True)
        if not self._gave:
            raise ModelError(self._name, "an empty reply: no text, sound or tool call")
        self.complete = True
        return Done(reason, t_us, self._usage, heard=self._heard)


def _usage(counts: Mapping[str, float]) -> Usage:
    told = [counts.get(name) for name in ("input_tokens", "output_tokens")]
    return Usage(*(None if count is None else int(count) for count in told))
