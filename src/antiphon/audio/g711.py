"""G.711: the 8-bit companding of the telephone, mu-law and A-law.

Codes are bytes as they travel: mu-law with all bits inverted, A-law with every second bit inverted.
Values are 16-bit: the standard's 14-bit (mu) and 13-bit (A) numbers, shifted left.
Source: ITU-T G.711 (11/88), tables 1a to 2b.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.resample import resample

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

RATE_HZ = 8000

_MU_BIAS = 33  # of a 14-bit magnitude, so that every segment begins at a power of two
_MU_TOP = 8158  # the largest 14-bit magnitude; beyond it the quantiser saturates


def _mu_values() -> NDArray[np.int16]:
    code = ~np.arange(256) & 0xFF
    segment, step = (code >> 4) & 7, code & 15
    magnitude = (((2 * step + _MU_BIAS) << segment) - _MU_BIAS) << 2
    return np.where(code & 0x80, -magnitude, magnitude).astype(np.int16)


def _a_values() -> NDArray[np.int16]:
    code = np.arange(256) ^ 0x55
    segment, step = (code >> 4) & 7, code & 15
    # Segments 0 and 1 are equally fine; each further one is twice as coarse.
    magnitude = np.where(segment == 0, 2 * step + 1, (2 * step + 33) << np.maximum(segment - 1, 0)) << 3
    return np.where(code & 0x80, magnitude, -magnitude).astype(np.int16)


MU_VALUES = _mu_values()
A_VALUES = _a_values()


def mu_decode(codes: bytes) -> NDArray[np.int16]:
    """16-bit values, shape (n,), of n mu-law codes."""
    return MU_VALUES[np.frombuffer(codes, dtype=np.uint8)]


def a_decode(codes: bytes) -> NDArray[np.int16]:
    """16-bit values, shape (n,), of n A-law codes."""
    return A_VALUES[np.frombuffer(codes, dtype=np.uint8)]


def mu_encode(values: NDArray[np.int16]) -> bytes:
    """Mu-law codes, one byte for each 16-bit value."""
    linear = values.astype(np.int32)
    magnitude = np.minimum(np.abs(linear) >> 2, _MU_TOP) + _MU_BIAS
    segment = _top_bit(magnitude) - 5
    step = (magnitude >> (segment + 1)) & 15
    code = np.where(linear < 0, 0x80, 0) | (segment << 4) | step
    return (~code & 0xFF).astype(np.uint8).tobytes()


def a_encode(values: NDArray[np.int16]) -> bytes:
    """A-law codes, one byte for each 16-bit value."""
    linear = values.astype(np.int32) >> 3
    # One's complement, so that the two intervals next to zero are equally wide.
    magnitude = np.where(linear < 0, ~linear, linear)
    segment = np.maximum(_top_bit(magnitude) - 4, 0)
    step = (magnitude >> np.maximum(segment, 1)) & 15
    code = np.where(linear < 0, 0, 0x80) | (segment << 4) | step
    return (code ^ 0x55).astype(np.uint8).tobytes()


def telephone(clip: Clip, law: str = "mu") -> Clip:
    """What arrives over the telephone network: at 8 kHz, through mu-law (or "a") and back.

    The only band limit is the 4 kHz of the rate; handset filters are not part of it.
    """
    encode, decode = _LAWS[law]
    values = np.frombuffer(resample(clip, RATE_HZ).pcm16(), dtype="<i2")
    return Clip.from_pcm16(decode(encode(values)).astype("<i2").tobytes(), RATE_HZ)


_Law = tuple["Callable[[NDArray[np.int16]], bytes]", "Callable[[bytes], NDArray[np.int16]]"]
_LAWS: dict[str, _Law] = {"mu": (mu_encode, mu_decode), "a": (a_encode, a_decode)}


def _top_bit(magnitude: NDArray[np.int32]) -> NDArray[np.int32]:
    """Place of the highest bit set, 0 for the lowest; -1 for zero."""
    return np.frexp(magnitude.astype(np.float64))[1].astype(np.int32) - 1
