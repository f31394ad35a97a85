"""How loud a session's input is, how much of it is clipped, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from antiphon.realtime.live.arrivals import BYTES_PER_S

Problem = Literal["clipping", "silent"]

_EVERY = BYTES_PER_S // 2
_FLOOR_DB = -90.0
# Over one second; less is a door that falls shut.
_CLIPPED_SHARE = 0.005
# Even a quiet room is louder than this through any microphone that is on.
_SILENT_DB, _SILENT_S = -80.0, 5.0
# The change of rate before it rings around flat tops: half of their samples come out a hair below full scale.
_TOP = round(0.99 * 32768)


@dataclass(frozen=True, slots=True)
class Level:
    """Half a second of input: its level, the room's where known (dBFS), the share of clipped samples, and what has
    just begun to be wrong with it."""

    dbfs: float
    clipped: float
    noise_dbfs: float | None
    problem: Problem | None = None


class InputLevel:
    """Follows one session's sound. Each problem is told when it begins, and again only after it was over."""

    def __init__(self) -> None:
        self._pcm = bytearray()
        self._before = 0.0
        self._silent_s = 0.0
        self._told: set[Problem] = set()

    def push(self, pcm: bytes, noise_dbfs: float | None) -> list[Level]:
        """The newest sound, 16 kHz int16; one level for each half second that it completes."""
        self._pcm += pcm
        found: list[Level] = []
        while len(self._pcm) >= _EVERY:
            found.append(self._level(bytes(self._pcm[:_EVERY]), noise_dbfs))
            del self._pcm[:_EVERY]
        return found

    def _level(self, pcm: bytes, noise_dbfs: float | None) -> Level:
        samples = np.frombuffer(pcm, dtype="<i2").astype(np.int32)
        mean = float(np.square(samples / 32768).mean())
        dbfs = max(_FLOOR_DB, 10 * float(np.log10(mean + 1e-9)))
        clipped = float((np.abs(samples) >= _TOP).mean())
        self._silent_s = self._silent_s + len(pcm) / BYTES_PER_S if dbfs <= _SILENT_DB else 0.0
        now: dict[Problem, bool] = {
            "clipping": (clipped + self._before) / 2 > _CLIPPED_SHARE,
            "silent": self._silent_s >= _SILENT_S,
        }
        self._before = clipped
        begun: list[Problem] = [
            problem for problem, there in now.items() if there and problem not in self._told
        ]
        self._told = {problem for problem, there in now.items() if there}
        return Level(round(dbfs, 1), clipped, noise_dbfs, begun[0] if begun else None)
