"""The ear of a session: sound in, edges of speech and the level of the room out.

The neural detector is Silero's; `EnergyVad` costs a hundredth of it and takes any loud sound for speech. Both
give one probability for 32 ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from antiphon.audio.vad import HYSTERESIS, RATE_HZ, WINDOW
from antiphon.realtime.live.arrivals import BYTES_PER_S, Arrivals

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_WINDOW_US = WINDOW * 1_000_000 // RATE_HZ
_FLOOR_DB = -90.0
_PIECE = 2 * RATE_HZ // 50


class Detector(Protocol):
    """Speech probabilities of one stream of 16 kHz samples, one for each full window of 512."""

    def push(self, samples: NDArray[np.float32]) -> list[float]: ...


class EnergyVad:
    """Speech is what lies well above the quietest of the last seconds."""

    def __init__(self, above_db: float = 12.0, least_db: float = -45.0) -> None:
        self._above_db, self._least_db = above_db, least_db
        self._floor_db = -60.0
        self._rest: NDArray[np.float32] = np.zeros(0, dtype=np.float32)

    def push(self, samples: NDArray[np.float32]) -> list[float]:
        waiting = np.concatenate([self._rest, samples]) if len(self._rest) else samples
        whole = len(waiting) // WINDOW * WINDOW
        self._rest = waiting[whole:]
        if not whole:
            return []
        powers = np.square(waiting[:whole].reshape(-1, WINDOW)).mean(axis=1)
        return [self._probability(10 * float(np.log10(power + 1e-9))) for power in powers]

    def _probability(self, level_db: float) -> float:
        # Down at once, up by 3 dB a second: a long vowel is not mistaken for the room.
        self._floor_db = min(level_db, self._floor_db + 3 * WINDOW / RATE_HZ)
        over_db = level_db - max(self._floor_db + self._above_db, self._least_db)
        return float(np.clip(0.5 + over_db / 12, 0, 1))


@dataclass(frozen=True, slots=True)
class Manner:
    """When speech begins and ends: probability, and how long it must last either way."""

    threshold: float = 0.5
    onset_ms: int = 64
    silence_ms: int = 160
    before_ms: int = 300  # kept from before the onset


@dataclass(frozen=True, slots=True)
class Began:
    """Somebody speaks since `at_us`."""

    utterance: str
    at_us: int


@dataclass(frozen=True, slots=True)
class Ended:
    """Silent since `at_us`; `pcm` is the whole utterance, 16 kHz int16, with a little before and after."""

    utterance: str
    at_us: int
    pcm: bytes


class Ear:
    """Cuts one track into utterances. Utterances longer than `longest_s` are cut where they stand."""

    def __init__(
        self, detector: Detector, manner: Manner, name: Callable[[], str], longest_s: float = 60.0
    ) -> None:
        self._detector, self.manner, self._name = detector, manner, name
        self._longest = int(longest_s * BYTES_PER_S)
        self._heard = 0  # windows
        self._arrivals = Arrivals()
        self._loud = self._quiet = 0  # windows in a row
        self._pcm = bytearray()
        self.utterance: str | None = None
        self.noise_db: float | None = None

    def push(self, pcm: bytes, now_us: int) -> list[Began | Ended]:
        """The newest sound (16 kHz int16), whose end is now; the edges that it shows."""
        self._arrivals.add(len(pcm), now_us)
        return [edge for at in range(0, len(pcm), _PIECE) for edge in self._piece(pcm[at : at + _PIECE])]

    def _piece(self, pcm: bytes) -> list[Began | Ended]:
        """A little of it, so that an utterance holds no more silence than it should."""
        self._pcm += pcm
        samples = np.frombuffer(pcm, dtype="<i2").astype(np.float32) / np.float32(32768)
        edges: list[Began | Ended] = []
        for probability in self._detector.push(samples):
            self._heard += 1
            edges += self._window(probability)
        self._listen(samples)
        if self.utterance is None:
            keep = (self.manner.before_ms + self.manner.onset_ms) * BYTES_PER_S // 1000
            del self._pcm[: max(0, len(self._pcm) - keep)]
        elif len(self._pcm) > self._longest:
            edges.append(self._end(self._at_us(self._heard)))
        return edges

    def _at_us(self, windows: int) -> int:
        return self._arrivals.at_us(2 * WINDOW * windows)

    def _window(self, probability: float) -> list[Began | Ended]:
        least = self.manner.threshold
        self._loud = self._loud + 1 if probability >= least else 0
        self._quiet = self._quiet + 1 if probability < max(least - HYSTERESIS, 0.01) else 0
        if self.utterance is None:
            if self._loud * _WINDOW_US >= self.manner.onset_ms * 1000:
                self.utterance = self._name()
                return [Began(self.utterance, self._at_us(self._heard - self._loud))]
        elif self._quiet * _WINDOW_US >= self.manner.silence_ms * 1000:
            return [self._end(self._at_us(self._heard - self._quiet))]
        return []

    def _end(self, at_us: int) -> Ended:
        assert self.utterance is not None
        ended = Ended(self.utterance, at_us, bytes(self._pcm))
        self.utterance = None
        self._quiet = self._loud = 0
        self._pcm.clear()
        return ended

    def stop(self) -> list[Began | Ended]:
        """No more sound comes for now: an utterance under way is over."""
        return [] if self.utterance is None else [self._end(self._at_us(self._heard - self._quiet))]

    def so_far(self) -> bytes:
        """The sound of the utterance under way."""
        return bytes(self._pcm) if self.utterance is not None else b""

    def _listen(self, samples: NDArray[np.float32]) -> None:
        """The room's level, followed slowly while nobody speaks."""
        if self.utterance is not None or self._loud or not len(samples):
            return
        level_db = max(_FLOOR_DB, 10 * float(np.log10(np.square(samples).mean() + 1e-9)))
        share = min(1.0, len(samples) / RATE_HZ)  # a second of quiet counts for all of it
        self.noise_db = (
            level_db if self.noise_db is None else self.noise_db + share * (level_db - self.noise_db)
        )
