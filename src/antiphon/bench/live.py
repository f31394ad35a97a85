"""Performing items in real time: the system hears the item's track as it would be spoken, and both sides are kept.

A session takes its own turns. The person's track goes out in frames of 20 ms, each when it would have been
spoken; what comes back is placed where a client would have played it, so both tracks begin together.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from antiphon.audio.files import decode, encode, read
from antiphon.audio.frames import FRAME_MS, samples_in
from antiphon.audio.resample import resample
from antiphon.bench.folder import clip_name
from antiphon.bench.loudspeaker import Loudspeaker
from antiphon.bench.origin import clock_for, machine
from antiphon.bench.takes import Called, Said, Take
from antiphon.errors import ModelError
from antiphon.jsonl import to_row
from antiphon.live import (
    AudioFrame,
    AudioOut,
    LiveError,
    LiveSession,
    Played,
    SendToolResult,
    TextOut,
    ToolAsked,
    TurnEdge,
)
from antiphon.messages import ToolResult, ToolSpec
from antiphon.models.ports import is_scripted
from antiphon.stage.outcome import Failed, Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from antiphon.audio.clip import Clip
    from antiphon.bench.perform import Call, Performance
    from antiphon.clock import Clock
    from antiphon.live import ServerEvent
    from antiphon.stage.outcome import Outcome

VERSION = 1
_RATE_HZ = 24_000  # of the agent's track where it never speaks


class TimedSession(LiveSession, Protocol):
    """A live session that says at which rate it listens."""

    rate_hz: int


class LiveSystem(Protocol):
    """Who can be talked with in real time. `session` raises ModelError when it is entered."""

    @property
    def name(self) -> str: ...

    async def warm(self) -> None: ...

    def session(
        self, instructions: str, specs: Sequence[ToolSpec]
    ) -> AbstractAsyncContextManager[TimedSession]: ...


@dataclass(frozen=True, slots=True)
class Tail:
    """How long is listened after the person's track has ended: `wait_s` for an agent that says nothing,
    `after_s` after its last sound, `most_s` in any case."""

    wait_s: float = 8.0
    after_s: float = 1.5
    most_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Venue:
    """How a suite is performed in real time. `open` finds the system that a URI names (picklable; raises
    ConfigError, UnavailableError)."""

    open: Callable[[str, Clock], LiveSystem]
    tail: Tail = field(default_factory=Tail)


@asynccontextmanager
async def open_live_performer(
    how: Performance, venue: Venue, folder: Path
) -> AsyncGenerator[LivePerformer, None]:
    """A worker that performs items with one system; `folder` is the run's, with the queries' sound."""
    clock = clock_for(how.system)
    system = venue.open(how.system, clock)
    await system.warm()
    yield LivePerformer(how, venue.tail, folder, system, clock)


@dataclass(frozen=True, slots=True)
class LivePerformer:
    """Talks once an item, in a session of its own; twice where the item has a track without the disturbance."""

    how: Performance
    tail: Tail
    folder: Path
    system: LiveSystem
    clock: Clock

    async def __call__(self, calls: Sequence[Call]) -> list[Outcome]:
        return [await self._one(call) for call in calls]

    async def _one(self, call: Call) -> Outcome:
        item = call.item
        path = self.folder / clip_name(call.query.clip)
        person = decode(path.read_bytes(), path.name)
        tracks, blobs = {"user": call.query.clip}, dict[str, bytes]()
        try:
            if name := item.extra.get("clean_audio"):
                clean = read(Path(item.audio or "").with_name(str(name)))
                quiet = await self._talk(clean, item.extra)
                for side, clip in (("clean_user", clean), ("clean_agent", quiet.track)):
                    tracks[side] = clip.digest
                    blobs[clip_name(clip.digest)] = encode(clip)
            talk = await self._talk(person, item.extra)
        except ModelError as error:
            return Failed(str(error), transient=error.transient)
        tracks["agent"] = talk.track.digest
        blobs[clip_name(talk.track.digest)] = encode(talk.track)
        said = Said(talk.text, talk.track.digest, round(talk.track.duration_s, 3), "stop", None, talk.heard)
        meta: dict[str, Any] = {
            "made_at": self.clock.utc().isoformat(timespec="seconds"),
            "machine": "scripted" if is_scripted(self.system.name) else machine(),
            "language": item.language,
            "agent_rate_hz": talk.track.rate_hz,
        }
        if talk.troubles:
            meta["troubles"] = talk.troubles[:5]
        take = Take(
            item.id, item.subset, call.query.clip, call.query.duration_s, (said,), call.query.speech,
            self.how.in_flight, tracks, tuple(talk.calls), meta,
        )  # fmt: skip
        return Made(to_row(take), blobs)

    async def _talk(self, person: Clip, extra: Mapping[str, Any]) -> Talk:
        specs = tuple(ToolSpec(**spec) for spec in extra.get("tools", ()))
        results: Mapping[str, Any] = extra.get("results", {})
        async with self.system.session(str(extra.get("instructions", "")), specs) as session:
            talk = Talk(session, self.clock, results)
            await talk.run(person, self.tail)
        return talk


class Talk:
    """One performance: sends the person's track in time, and keeps what the agent does."""

    def __init__(self, session: TimedSession, clock: Clock, results: Mapping[str, Any]) -> None:
        self._session, self._clock, self._results = session, clock, results
        self._began_us = clock.mono_us()
        self._speaker = Loudspeaker()
        self._answering = False
        self._words: dict[str, str] = {}
        self._understood: dict[str, str] = {}
        self.calls: list[Called] = []
        self.troubles: list[str] = []
        self.track: Clip = self._speaker.track(0, _RATE_HZ)

    @property
    def text(self) -> str:
        """What the agent says that it said, item by item."""
        return " ".join(words.strip() for words in self._words.values() if words.strip())

    @property
    def heard(self) -> str | None:
        """What the system understood of the person; None where it does not tell."""
        return " ".join(words.strip() for words in self._understood.values()) if self._understood else None

    def now_us(self) -> int:
        return self._clock.mono_us() - self._began_us

    async def run(self, person: Clip, tail: Tail) -> None:
        """Until nothing more is to come. Raises ModelError where the session breaks."""
        reader = asyncio.create_task(self._read())
        try:
            length_us = await self._send(person, tail, reader)
        finally:
            reader.cancel()
            with suppress(asyncio.CancelledError):
                await reader
        self.track = self._speaker.track(length_us, _RATE_HZ)

    async def _send(self, person: Clip, tail: Tail, reader: asyncio.Task[None]) -> int:
        rate_hz = self._session.rate_hz
        size = 2 * samples_in(FRAME_MS, rate_hz)
        pcm = resample(person, rate_hz).pcm16()
        frame_us, sent, end_us = FRAME_MS * 1000, 0, person.duration_us
        while sent * frame_us < end_us or not self._over(end_us, tail):
            if reader.done():
                reader.result()  # raises what broke it
                raise ModelError("the session", "it ended before the item did", transient=True)
            due_us = (sent + 1) * frame_us  # a microphone hands over a frame when it is full
            if (early_us := due_us - self.now_us()) > 0:
                await self._clock.sleep_us(early_us)
            frame = pcm[sent * size : (sent + 1) * size].ljust(size, b"\0")
            await self._session.send(AudioFrame(sent * frame_us, "user", frame, rate_hz))
            sent += 1
        return sent * frame_us

    def _over(self, end_us: int, tail: Tail) -> bool:
        now_us, until_us = self.now_us(), self._speaker.until_us
        since_s = (now_us - end_us) / 1e6
        if since_s >= tail.most_s:
            return True
        if self._answering or until_us > now_us:
            return False
        spoke = self._speaker.sounded and until_us > end_us
        return (now_us - until_us) / 1e6 >= tail.after_s if spoke else since_s >= tail.wait_s

    async def _read(self) -> None:
        async for event in self._session.events():
            await self._take(event)

    async def _take(self, event: ServerEvent) -> None:
        now_us = self.now_us()
        match event:
            case AudioOut():
                try:
                    self._speaker.hear(event, now_us)
                except ValueError as error:
                    raise ModelError("the session", str(error)) from None
            case TextOut(item, _, text, whose, final):
                said = self._words if whose == "agent" else self._understood
                said[item] = text if final else said.get(item, "") + text
            case TurnEdge(edge="speech_started"):
                for cut in self._speaker.stop(now_us):
                    await self._session.send(Played(cut.item, cut.ms, stopped=True))
            case TurnEdge(edge="answer_started" | "answer_done" as edge):
                self._answering = edge == "answer_started"
            case ToolAsked(_, call):
                self.calls.append(Called(call.name, dict(call.arguments), round(now_us / 1e6, 3)))
                known = call.name in self._results
                value, error = (self._results[call.name], None) if known else (None, f"no tool {call.name}")
                await self._session.send(SendToolResult(ToolResult(call.id, value, error)))
            case LiveError(_, text, fatal, transient):
                if fatal:
                    raise ModelError("the session", text, transient=transient)
                self.troubles.append(text)
            case _:
                pass
