"""Scorers of sound that run in this process: which clips they can say something about, and one at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from antiphon.audio.resample import resample
from antiphon.models.ports import Invalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antiphon.audio.clip import Clip
    from antiphon.models.native import Engine

M = TypeVar("M")

RATE_HZ = 16_000  # what every such model hears
SHORTEST_S = 0.3
_SILENT_BELOW = 1e-4  # of full scale, -80 dBFS


def unscorable(clip: Clip) -> Invalid | None:
    """Why a clip gets no score: too short to judge, or silent. None when it can be scored."""
    if clip.duration_s < SHORTEST_S:
        return Invalid(f"{clip.duration_s:.2f} s of sound, less than the {SHORTEST_S} s that a score needs")
    return Invalid("silence") if is_silent(clip) else None


def is_silent(clip: Clip) -> bool:
    """Whether nothing in the clip reaches -80 dBFS."""
    return len(clip) == 0 or float(np.abs(clip.samples).max()) < _SILENT_BELOW


class NativeScorer(ABC, Generic[M]):
    """The port `ClipScorer` over a model of this process: each clip by itself, at 16 kHz, off the event loop."""

    names: tuple[str, ...]

    def __init__(self, name: str, engine: Engine[M]) -> None:
        self.name = name
        self._engine = engine

    async def warm(self) -> None:
        """Load the model now, so that no measured call pays for it."""
        await self._engine.warm()

    async def score(self, clips: Sequence[Clip]) -> list[dict[str, float] | Invalid]:
        """A row of each clip, in order. Raises what loading the model raises, and ModelError."""
        return [await self._one(clip) for clip in clips]

    async def _one(self, clip: Clip) -> dict[str, float] | Invalid:
        if (invalid := unscorable(clip)) is not None:
            return invalid
        samples = resample(clip, RATE_HZ).samples
        return await self._engine.run(lambda model: self.measure(model, samples))

    @abstractmethod
    def measure(self, model: M, samples: NDArray[np.float32]) -> dict[str, float] | Invalid:
        """The row of one clip; `samples` (n,) at 16 kHz."""
