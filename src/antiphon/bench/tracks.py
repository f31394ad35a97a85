"""`Track`: one side of a performance in real time, as its instruments heard it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.audio.clip import Clip
from antiphon.audio.files import decode
from antiphon.audio.vad import RATE_HZ, detector, speech_spans
from antiphon.bench.folder import clip_name
from antiphon.bench.takes import Voiced
from antiphon.jsonl import to_row
from antiphon.stage.outcome import Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
    from pathlib import Path

    from antiphon.bench.listen import Sound
    from antiphon.bench.takes import Contour, Heard, Take
    from antiphon.models.ports import TimedWord
    from antiphon.stage.outcome import Outcome

Spans = tuple[tuple[float, float], ...]  # (start, end) in seconds, in order and apart


@dataclass(frozen=True, slots=True)
class Track:
    """What is known of one side; None where the instrument gave nothing, and then `problem` says why."""

    text: str | None = None
    words: tuple[TimedWord, ...] | None = None
    spans: Spans | None = None
    unresampled: Spans | None = None
    problem: str = ""
    contour: Contour | None = None


def tracks_of(
    take: Take | None,
    heard: Mapping[str, Heard],
    voiced: Mapping[str, Voiced],
    unheard: Mapping[str, str],
    contours: Mapping[str, Contour],
) -> dict[str, Track]:
    """The tracks of a take by name; none where it was not performed in real time."""
    found: dict[str, Track] = {}
    for name, clip in take.tracks.items() if take is not None else ():
        words, voice = heard.get(clip), voiced.get(clip)
        found[name] = Track(
            words.text if words else None,
            words.words if words else None,
            voice.spans if voice else None,
            (voice.spans if voice.unresampled is None else voice.unresampled) if voice else None,
            _problem(words, unheard.get(clip)),
            contours.get(clip),
        )
    return found


def _problem(words: Heard | None, failure: str | None) -> str:
    if words is None:
        return f"not recognised: {failure or 'the recogniser was not asked'}"
    if words.words is None:
        return "the recogniser gives no times of words; use one that does, such as whisper:base?words=1"
    return ""


def clips_of(takes: Iterable[Take]) -> list[str]:
    """Every track's clip, once each."""
    return list(dict.fromkeys(clip for take in takes for clip in take.tracks.values()))


def by() -> str:
    """The detector, for records."""
    return detector()


@asynccontextmanager
async def open_detector(folder: Path) -> AsyncGenerator[Detector, None]:
    """A worker that finds speech in clips."""
    yield Detector(folder)


@dataclass(frozen=True, slots=True)
class Detector:
    """Silero with its usual settings: 0.5, speech from 250 ms, pauses from 100 ms, 30 ms of padding."""

    folder: Path

    async def __call__(self, sounds: Sequence[Sound]) -> list[Outcome]:
        return [Made(to_row(self._one(sound.clip))) for sound in sounds]

    def _one(self, digest: str) -> Voiced:
        path = self.folder / clip_name(digest)
        clip = decode(path.read_bytes(), path.name)
        mistaken = None if clip.rate_hz == RATE_HZ else _spans(Clip(clip.samples, RATE_HZ))
        return Voiced(digest, by(), _spans(clip), mistaken)


def _spans(clip: Clip) -> Spans:
    return tuple((round(span.start_s, 3), round(span.end_s, 3)) for span in speech_spans(clip))
