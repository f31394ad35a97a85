"""The sound of a simulated room: what people say, mixed into one 16 kHz track, over the noise of the room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import pcm16

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

RATE_HZ = 16_000


class Room:
    """One track that is read from its beginning. `noise_db` is the level of its white noise in dBFS."""

    def __init__(self, noise_db: float, noise: Generator) -> None:
        self._amplitude = np.float32(10 ** (noise_db / 20))
        self._noise = noise
        self._at = 0  # samples read so far
        self._sounds: list[tuple[int, NDArray[np.float32]]] = []

    def add(self, samples: NDArray[np.float32], begin_us: int) -> None:
        """Sound from then on; what lies before the reader is not heard any more. Shape (n,), in -1..1."""
        self._sounds.append((begin_us * RATE_HZ // 1_000_000, samples))

    def take(self, count: int) -> bytes:
        """The next samples as little-endian int16."""
        mixed = self._amplitude * self._noise.standard_normal(count, dtype=np.float32)
        end = self._at + count
        for start, samples in self._sounds:
            first, last = max(start, self._at), min(start + len(samples), end)
            if first < last:
                mixed[first - self._at : last - self._at] += samples[first - start : last - start]
        self._sounds = [(start, samples) for start, samples in self._sounds if start + len(samples) > end]
        self._at = end
        return pcm16(mixed)
