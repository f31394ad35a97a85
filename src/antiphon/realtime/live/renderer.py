"""The context-aware voice: text, history, cues and the room in, 24 kHz frames with their place in the text out.

Sound starts on the first clause. A synthesizer follows some cues by itself; loudness is ours, since it is a
gain; what neither can do is reported with every rendering, not dropped in silence. In a noisy room the voice
is raised, as people raise theirs (Lombard). Source: Qwen-Audio-3.1-Realtime, section 2.1.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.resample import resample
from antiphon.errors import ModelError
from antiphon.models.clauses import clauses_of
from antiphon.models.ports import SpeechContext, Voice
from antiphon.text.aloud import aloud
from antiphon.text.script import language_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping

    from numpy.typing import NDArray

    from antiphon.models.ports import Synthesizer
    from antiphon.text.script import Language

RATE_HZ = 24_000
RATES = (0.5, 2.0)
LOUDNESS_DB = (-18.0, 9.0)
# Cues in words, as a language model writes them.
WORDS: Mapping[str, Mapping[str, float]] = {
    "rate": {"slow": 0.8, "normal": 1.0, "fast": 1.25},
    "loudness": {"soft": -6.0, "normal": 0.0, "loud": 4.0},
}
CUES = ("rate", "loudness", "emotion", "voice")
# Which cues each synthesizer follows by itself, by the scheme of its URI. Loudness is done here for all.
FOLLOWS: Mapping[str, frozenset[str]] = {
    "kokoro": frozenset({"rate", "voice"}),
    "espeak": frozenset({"rate", "voice"}),
    "openai": frozenset(
        {"voice", "emotion"}
    ),  # emotion as instructions; whether they are heeded is the endpoint's
    "cosyvoice": frozenset({"emotion"}),  # as a style in words; its rate does not go with streaming
    "scripted": frozenset(),
}
# A voice is raised by half a decibel for each decibel of noise above a quiet room, up to the limit: the middle
# of what is measured of people (0.3 to 1 dB/dB; Lane and Tranel, JSHR 14, 1971).
QUIET_ROOM_DBFS = -55.0
RAISED_PER_DB = 0.5
RAISED_AT_MOST_DB = 9.0
# Above this amplitude the gain bends instead of clipping.
_KNEE = 0.7
_SILENT = 10 ** (-54 / 20)
_EDGE = RATE_HZ * 15 // 1000


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """A cue that was asked for and not heeded, and why."""

    cue: str
    value: str
    why: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """Sound for the text up to character `end_char` of what was written; `pcm` is int16 mono at 24 kHz."""

    pcm: bytes
    end_char: int

    @property
    def duration_us(self) -> int:
        return len(self.pcm) // 2 * 1_000_000 // RATE_HZ


@dataclass(frozen=True, slots=True)
class Plan:
    """How one rendering will sound: what goes to the synthesizer, our own gain, and what is left undone."""

    voice: Voice
    cues: Mapping[str, float | str]
    gain_db: float
    unfollowed: tuple[Unfollowed, ...]


def plan(scheme: str, voice: Voice, context: SpeechContext) -> Plan:
    """Sort the cues of a context by who follows them. Values out of range count as not followable."""
    follows = FOLLOWS.get(scheme, frozenset[str]())
    passed: dict[str, float | str] = {}
    left: list[Unfollowed] = []
    gain_db = raised_db(context.noise_db)
    for cue, value in context.cues.items():
        if cue not in CUES:
            left.append(Unfollowed(cue, str(value), f"no such cue; there are: {', '.join(CUES)}"))
        elif cue == "loudness":
            found = _number(cue, value, LOUDNESS_DB)
            if isinstance(found, Unfollowed):
                left.append(found)
            else:
                gain_db += found
        elif cue not in follows:
            left.append(Unfollowed(cue, str(value), f"{scheme}: cannot"))
        elif cue == "rate":
            found = _number(cue, value, RATES)
            if isinstance(found, Unfollowed):
                left.append(found)
            else:
                passed["rate"] = found
        elif cue == "voice":
            voice = replace(voice, name=str(value))
        else:
            voice = replace(voice, style=str(value))
    return Plan(voice, passed, gain_db, tuple(left))


def _number(cue: str, value: float | str, limits: tuple[float, float]) -> float | Unfollowed:
    number = WORDS[cue].get(value) if isinstance(value, str) else float(value)
    if number is None:
        return Unfollowed(cue, str(value), f"not one of {', '.join(WORDS[cue])}")
    if not limits[0] <= number <= limits[1]:
        return Unfollowed(cue, str(value), f"outside {limits[0]:g} to {limits[1]:g}")
    return number


def raised_db(noise_dbfs: float | None) -> float:
    """How much louder to speak over noise of this level at the microphone; 0 where it is not known."""
    if noise_dbfs is None:
        return 0.0
    return min(max(RAISED_PER_DB * (noise_dbfs - QUIET_ROOM_DBFS), 0.0), RAISED_AT_MOST_DB)


def louder(samples: NDArray[np.float32], gain_db: float) -> NDArray[np.float32]:
    """Samples with this gain, bent towards full scale above the knee, so that nothing clips."""
    if gain_db == 0:
        return samples
    scaled = samples * np.float32(10 ** (gain_db / 20))
    size = np.abs(scaled)
    bent = _KNEE + (1 - _KNEE) * np.tanh((size - _KNEE) / (1 - _KNEE))
    return np.where(size > _KNEE, np.sign(scaled) * bent, scaled).astype(np.float32)


def tight(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Samples without the silence that voices put around each clause: whoever joins clauses sets the pauses,
    and nobody waits for silence at the beginning."""
    loud = np.flatnonzero(np.abs(samples) > _SILENT)
    if not len(loud):
        return samples[:0]
    return samples[max(0, int(loud[0]) - _EDGE) : int(loud[-1]) + 1 + _EDGE]


@dataclass
class _Places:
    """Where in the written text a number of spoken characters lies: clauses are the fixed points."""

    written: list[int] = field(default_factory=lambda: [0])
    spoken: list[int] = field(default_factory=lambda: [0])

    def add(self, written: int, spoken: int) -> None:
        self.written.append(self.written[-1] + written)
        self.spoken.append(self.spoken[-1] + spoken)

    def at(self, spoken: int) -> int:
        return int(np.interp(spoken, self.spoken, self.written))


class Renderer:
    """One voice for one conversation. `scheme` names its line in the table of cues."""

    def __init__(self, synthesizer: Synthesizer, voice: Voice | None = None) -> None:
        self.synthesizer = synthesizer
        self.voice = voice or Voice()
        self.scheme = synthesizer.name.partition(":")[0].partition("+")[0]

    def plan(self, context: SpeechContext) -> Plan:
        """What a rendering in this context would do, and what it would leave undone."""
        return plan(self.scheme, self.voice, context)

    async def stream(self, text: AsyncIterator[str], context: SpeechContext) -> AsyncGenerator[Spoken, None]:
        """Speak a text while it is being written. A text with nothing to pronounce gives nothing.

        `end_char` counts in the text as written, whatever its numbers became. Raises ModelError when the
        synthesizer fails, ConfigError for a voice that it does not have.
        """
        planned = self.plan(context)
        places = _Places()
        clauses = _to_speak(text, context.language, places)
        first = await anext(clauses, None)
        if first is None:
            return
        language = _language(context.language) or language_of(first)

        async def words() -> AsyncGenerator[str, None]:
            yield first
            async for clause in clauses:
                yield clause

        inner = replace(context, language=language, cues=planned.cues)
        chars = 0
        async with aclosing(self.synthesizer.stream(words(), planned.voice, inner)) as chunks:
            async for chunk in chunks:
                chars += chunk.chars
                # Milliseconds for a long clause: not on the loop, where other sessions' frames are due.
                if pcm := await asyncio.to_thread(_finished, chunk.clip, planned.gain_db):
                    yield Spoken(pcm, places.at(chars))
        if chars == 0:
            raise ModelError(self.synthesizer.name, f"no sound for {first[:40]!r}")


def _finished(clip: Clip, gain_db: float) -> bytes:
    """A clause's sound as it leaves; empty for silence."""
    samples = tight(resample(clip, RATE_HZ).samples)
    return Clip(louder(samples, gain_db), RATE_HZ).pcm16() if len(samples) else b""


def _language(name: str | None) -> Language | None:
    return "zh" if name in ("zh", "yue") else "en" if name == "en" else None


async def _to_speak(
    text: AsyncIterator[str], language: str | None, places: _Places
) -> AsyncGenerator[str, None]:
    """Clauses as they are read aloud, with a space where the next could grow onto the last."""
    async for clause in clauses_of(text):
        words = aloud(clause, _language(language))
        if words and words[-1].isascii():
            words += " "
        places.add(len(clause), len(words))
        if words:
            yield words
