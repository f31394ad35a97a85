"""`Clip` and `Recording`: immutable sound in memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

_FULL_SCALE = 32768


def pcm16(samples: NDArray[np.float32]) -> bytes:
    """Samples in -1..1 as little-endian 16-bit PCM, full scale 32768, clipped and not wrapped."""
    scaled = samples * np.float32(_FULL_SCALE)
    np.rint(scaled, out=scaled)
    np.clip(scaled, -_FULL_SCALE, _FULL_SCALE - 1, out=scaled)
    return scaled.astype("<i2").tobytes()


class Clip:
    """Mono sound: float32 samples in -1..1, shape (n,), read-only, at `rate_hz`.

    Two clips are equal when rate and samples are. Raises ValueError for anything that is not a
    finite one-dimensional signal at a positive rate: a wrong clip must not travel.
    """

    __slots__ = ("__dict__", "rate_hz", "samples")
    samples: NDArray[np.float32]
    rate_hz: int

    def __init__(self, samples: ArrayLike, rate_hz: int) -> None:
        given = np.asarray(samples)
        if given.dtype.kind in "iu" and np.any(np.abs(given.astype(np.int64)) > 1):
            raise ValueError(f"samples lie in -1..1, not whole {given.dtype} numbers; use Clip.from_pcm16")
        array = np.asarray(given, dtype=np.float32)
        if array.ndim != 1:
            raise ValueError(f"a clip is mono, shape (n,), not {array.shape}; mix down first")
        if rate_hz <= 0 or rate_hz != int(rate_hz):
            raise ValueError(f"rate_hz must be a positive whole number, not {rate_hz}")
        if not np.isfinite(array).all():
            raise ValueError("a clip holds finite samples only; this one has NaN or infinity")
        if not _frozen(array):
            array = array.copy() if array is samples or array.base is not None else array
            array.flags.writeable = False
        object.__setattr__(self, "samples", array)
        object.__setattr__(self, "rate_hz", int(rate_hz))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a clip does not change; make a new one instead of setting {name!r}")

    def __reduce__(self) -> tuple[type[Clip], tuple[NDArray[np.float32], int]]:
        return Clip, (self.samples, self.rate_hz)  # the default would set attributes, which a clip refuses

    def __len__(self) -> int:
        return len(self.samples)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clip):
            return NotImplemented
        return self.rate_hz == other.rate_hz and np.array_equal(self.samples, other.samples)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"Clip({self.duration_s:.3f} s at {self.rate_hz} Hz)"

    @property
    def duration_s(self) -> float:
        return len(self.samples) / self.rate_hz

    @property
    def duration_us(self) -> int:
        return round(len(self.samples) * 1_000_000 / self.rate_hz)

    @cached_property
    def digest(self) -> str:
        """128 bits of the SHA-256 of rate and 16-bit PCM, in hex: the same before and after a 16-bit lossless file."""
        return hashlib.sha256(f"{self.rate_hz}:".encode() + self.pcm16()).hexdigest()[:32]

    def pcm16(self) -> bytes:
        """Little-endian 16-bit PCM, full scale 32768, clipped and not wrapped."""
        return pcm16(self.samples)

    @classmethod
    def from_pcm16(cls, data: bytes, rate_hz: int) -> Clip:
        """The inverse of `pcm16`. Raises ValueError on half a sample."""
        if len(data) % 2:
            raise ValueError(f"16-bit PCM has an even number of bytes, not {len(data)}")
        ints = np.frombuffer(data, dtype="<i2")
        return cls(ints.astype(np.float32) / np.float32(_FULL_SCALE), rate_hz)

    @classmethod
    def silence(cls, duration_s: float, rate_hz: int) -> Clip:
        return cls(np.zeros(round(duration_s * rate_hz), dtype=np.float32), rate_hz)

    def between(self, start_s: float, end_s: float) -> Clip:
        """The part from `start_s` to `end_s`, both clamped to the clip."""
        start, end = (min(max(0, round(at * self.rate_hz)), len(self)) for at in (start_s, end_s))
        return Clip(self.samples[start : max(start, end)], self.rate_hz)


def _frozen(array: NDArray[np.float32]) -> bool:
    """Whether nobody can write to these samples, through this array or through what it is a view of."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        owner = owner.base
    return owner is None or isinstance(owner, bytes)


def join(clips: Iterable[Clip]) -> Clip:
    """One clip after another. Raises ValueError when rates differ or there is no clip."""
    parts = list(clips)
    if not parts:
        raise ValueError("nothing to join: a clip needs a rate, so give at least one")
    rates = {clip.rate_hz for clip in parts}
    if len(rates) > 1:
        raise ValueError(f"clips of different rates {sorted(rates)} cannot be joined; resample first")
    return Clip(np.concatenate([clip.samples for clip in parts]), parts[0].rate_hz)


@dataclass(frozen=True)
class Recording:
    """Named tracks of one rate and length that start together, `start_us` after the session began."""

    tracks: Mapping[str, Clip]
    start_us: int = 0
    rate_hz: int = field(init=False)
    duration_s: float = field(init=False)

    def __post_init__(self) -> None:
        shapes = {(clip.rate_hz, len(clip)) for clip in self.tracks.values()}
        if len(shapes) != 1:
            raise ValueError(f"a recording's tracks share one rate and length; these have {sorted(shapes)}")
        ((rate_hz, length),) = shapes
        object.__setattr__(self, "rate_hz", rate_hz)
        object.__setattr__(self, "duration_s", length / rate_hz)
        object.__setattr__(self, "tracks", dict(self.tracks))
