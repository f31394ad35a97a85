"""Scripted sessions with real sound: synthesizer, voice detector and recogniser by name, met in virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from antiphon.audio.vad import detector
from antiphon.cache import Store, default_folder
from antiphon.errors import ConfigError, unknown
from antiphon.ids import rng
from antiphon.models.adapters.silero import open_prompt_stream
from antiphon.models.cascade import part_uri
from antiphon.models.catalog import open_synthesizer, open_transcriber
from antiphon.models.ports import is_scripted
from antiphon.realtime.sets.heard import heard
from antiphon.realtime.sets.run import perform
from antiphon.realtime.simulation.real_ears import Organs, RealEars
from antiphon.realtime.simulation.recogniser import Latency, Words
from antiphon.realtime.simulation.room import Room
from antiphon.realtime.simulation.voices import SPEECH_DB, Voices, presets_of
from antiphon.wiring import front
from antiphon.wiring.serve import DETECTORS, WORDS_US, patient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.partner.live import Line
    from antiphon.realtime.live.hearing import Detector
    from antiphon.realtime.live.speakers import Known, Speakers
    from antiphon.realtime.sets.run import Config, Outcome
    from antiphon.realtime.simulation.real_ears import Who
    from antiphon.realtime.simulation.simulate import Session

    Telling = Callable[[Callable[..., Any]], Who]

# Streams of a server are gathered and answered a moment later; in virtual time that moment would be never.
VIRTUAL: dict[str, Callable[[], Detector]] = {**DETECTORS, "silero": open_prompt_stream}
SPEAKERS = ("unknown", "lock", "told")


@dataclass(frozen=True, slots=True)
class Sound:
    """How scripted people sound and who hears them. None: what `serve` takes."""

    synthesizer: str | None = None
    voices: tuple[str, ...] = ()
    rate: float = 1.0
    room_db: float = -60.0
    transcriber: str | None = None
    recogniser_ms: str = "1000"
    tell_language: bool = False
    vad: str = "silero"
    speakers: str = "unknown"


class Locked:
    """The port `Who` over a session's speaker lock; `run` runs a coroutine to its end."""

    def __init__(self, lock: Speakers, run: Callable[..., Any]) -> None:
        self._lock, self._run = lock, run

    def known(self, pcm: bytes) -> tuple[str | None, bool | None]:
        known: Known = self._run(self._lock.known(pcm))
        return known.speaker, known.enrolled

    def learn(self, pcm: bytes) -> None:
        self._run(self._lock.learn(pcm))


class Studio:
    """The models of one command, open. `who` makes what tells voices apart in a session; it comes with speakers
    "lock", which learns the person's voice as `serve --speaker-lock first` does.

    Raises ConfigError, UnavailableError.
    """

    def __init__(self, sound: Sound, seed: int, clock: Clock, who: Telling | None = None) -> None:
        if sound.vad not in DETECTORS:
            raise unknown("voice activity detector", sound.vad, DETECTORS)
        if sound.speakers not in SPEAKERS:
            raise unknown("knowledge of speakers", sound.speakers, SPEAKERS)
        if not -100 <= sound.room_db <= SPEECH_DB:
            raise ConfigError(f"--room-db {sound.room_db:g}: from -100 (silent) to {SPEECH_DB:g} dBFS")
        synthesizer = open_synthesizer(sound.synthesizer or part_uri("", "synthesizer"), clock)
        self._transcriber = open_transcriber(sound.transcriber or part_uri("", "transcriber"), clock)
        if sound.speakers == "lock" and who is None:
            who = _locks()
        self._sound, self._seed, self._who = sound, seed, who
        self._latency = Latency.of(sound.recogniser_ms, seed)
        presets = presets_of(synthesizer.name, sound.voices)
        self._voices = Voices(synthesizer, presets, sound.rate, seed, Store(default_folder() / "speech"))
        self._transcripts = Store(default_folder() / "transcripts")

    def hearing(self, run: Callable[..., Any], session: Session) -> RealEars:
        """The ears of one session; `run` runs a coroutine to its end."""
        cast = self._voices.cast(session)
        words = Words(
            self._transcriber, session.language if self._sound.tell_language else None, self._transcripts
        )

        def say(line: Line, text: str, pace: float) -> Clip:
            return run(self._voices.say(text, line.language, cast.get(line.speaker, ""), pace))

        who = None if self._who is None else self._who(run)
        organs = Organs(
            say, lambda pcm: run(words.of(pcm)), VIRTUAL[self._sound.vad], self._latency, who,
            told=self._sound.speakers == "told",
        )  # fmt: skip
        return RealEars(organs, Room(self._sound.room_db, rng(self._seed, "room", session.id)))

    def facts(self) -> dict[str, Any]:
        """What was heard with, for a report."""
        names = (self._voices.synthesizer.name, self._transcriber.name)
        return {
            "synthesizer": names[0],
            "voices": {language: list(own) for language, own in self._voices.presets.items()},
            "rate": self._sound.rate,
            "speech_db": SPEECH_DB,
            "room_db": self._sound.room_db,
            "vad": detector() if self._sound.vad == "silero" else self._sound.vad,
            "recogniser": names[1],
            "recogniser_ms": [self._latency.least_ms, self._latency.most_ms],
            "words_waited_ms": WORDS_US // 1000,  # by the default policy
            "language": "told" if self._sound.tell_language else "recognised",
            "speakers": self._sound.speakers
            if self._who is None or self._sound.speakers == "lock"
            else "recognised",
            "scripted": any(map(is_scripted, names)),
        }


def _locks() -> Telling:
    """Locks on who speaks first. Raises UnavailableError where the voice encoder's weights are missing."""
    make = asyncio.run(front.speakers(front.FIRST))
    assert make is not None  # a lock was named
    return lambda run: Locked(make(), run)


def perform_real(config: Config, studio: Studio) -> Iterator[Outcome]:
    """The sessions of a set, heard. What is spoken or recognised is kept at once, so a run that was interrupted
    goes on where it was. Raises ConfigError, ModelError."""
    with asyncio.Runner() as runner:
        yield from perform(config, partial(studio.hearing, runner.run), patient)


def heard_report(studio: Studio, outcomes: list[Outcome]) -> dict[str, Any]:
    """What is added to the figures of a set that was heard."""
    return {"ears": studio.facts(), "heard": heard(outcome.performed for outcome in outcomes)}
