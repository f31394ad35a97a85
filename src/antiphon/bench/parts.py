"""Parts of an agent's track as clips of their own, so that scorers of sound can be asked about them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.audio.clip import Clip
from antiphon.audio.files import decode, encode
from antiphon.bench.folder import clip_name
from antiphon.bench.takes import Part
from antiphon.jsonl import to_row
from antiphon.stage.outcome import Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence
    from pathlib import Path

    from antiphon.bench.suite import Evidence, Metric
    from antiphon.stage.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Cut:
    """What is to be cut out of a clip, in seconds."""

    clip: str
    start_s: float
    end_s: float

    @property
    def key(self) -> str:
        return f"{self.clip} {self.start_s} {self.end_s}"


def cuts(metrics: Iterable[Metric], evidence: Sequence[Evidence]) -> list[Cut]:
    """What the metrics look at of the agents' tracks, once each."""
    found: dict[str, Cut] = {}
    for metric in metrics:
        for one in evidence if metric.parts is not None else ():
            if metric.parts is None or one.take is None or not metric.covers(one.item):
                continue
            for start_s, end_s in metric.parts(one):
                cut = Cut(one.take.tracks["agent"], start_s, end_s)
                found[cut.key] = cut
    return list(found.values())


@asynccontextmanager
async def open_cutter(folder: Path) -> AsyncGenerator[Cutter, None]:
    """A worker that cuts."""
    yield Cutter(folder)


@dataclass(frozen=True, slots=True)
class Cutter:
    """Keeps each part as a clip of the run."""

    folder: Path

    async def __call__(self, wanted: Sequence[Cut]) -> list[Outcome]:
        return [self._one(cut) for cut in wanted]

    def _one(self, cut: Cut) -> Outcome:
        path = self.folder / clip_name(cut.clip)
        whole = decode(path.read_bytes(), path.name)
        first, last = (round(s * whole.rate_hz) for s in (cut.start_s, cut.end_s))
        part = Clip(whole.samples[first:last], whole.rate_hz)
        row = Part(cut.clip, cut.start_s, cut.end_s, part.digest)
        return Made(to_row(row), {clip_name(part.digest): encode(part)})
