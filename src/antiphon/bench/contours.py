"""Pitch and intensity of tracks in time, kept for metrics that look at parts of a track."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.audio.files import decode
from antiphon.audio.prosody import intensity_db, pitch_hz
from antiphon.bench.folder import clip_name
from antiphon.bench.takes import Contour
from antiphon.jsonl import to_row
from antiphon.stage.outcome import Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence
    from pathlib import Path

    from antiphon.bench.listen import Sound
    from antiphon.bench.takes import Take
    from antiphon.stage.outcome import Outcome

BY = "autocorrelation after Boersma 1993, 1"  # its number changes with what it gives
NEED = "contour"  # what a metric needs to have them made


def agents(takes: Iterable[Take]) -> list[str]:
    """The clips of the agent's tracks, once each."""
    return list(dict.fromkeys(take.tracks["agent"] for take in takes if "agent" in take.tracks))


@asynccontextmanager
async def open_tracer(folder: Path) -> AsyncGenerator[Tracer, None]:
    """A worker that traces pitch and intensity."""
    yield Tracer(folder)


@dataclass(frozen=True, slots=True)
class Tracer:
    """Both curves of a clip, rounded to tenths."""

    folder: Path

    async def __call__(self, sounds: Sequence[Sound]) -> list[Outcome]:
        return [Made(to_row(self._one(sound.clip))) for sound in sounds]

    def _one(self, digest: str) -> Contour:
        path = self.folder / clip_name(digest)
        clip = decode(path.read_bytes(), path.name)
        curves = pitch_hz(clip), intensity_db(clip)
        pitch, level = (tuple(float(value) for value in curve.round(1)) for curve in curves)
        return Contour(digest, BY, pitch, level)
