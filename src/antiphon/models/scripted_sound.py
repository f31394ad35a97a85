"""Scripted sound: a tone that carries its words in the lowest bit of its samples.

A scripted voice speaks such tones and a scripted recogniser reads them back, in another process and after
a 16-bit lossless file too; resampling or noise destroys the words, as it should.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAGIC = b"ANTI"
_HEADER = struct.Struct("<4sII")
_HEADER_BITS = _HEADER.size * 8


def tone(text: str, duration_s: float, rate_hz: int) -> Clip:
    """A 220 Hz tone that says `text`; longer than asked when the words need more samples."""
    data = text.encode()
    count = max(round(duration_s * rate_hz), _HEADER_BITS + 8 * len(data))
    message = _HEADER.pack(_MAGIC, len(data), count) + data
    bits = np.unpackbits(np.frombuffer(message, dtype=np.uint8))
    samples = _wave(count, rate_hz).copy()
    samples[: len(bits)] |= bits
    return Clip(samples.astype(np.float32) / np.float32(32768), rate_hz)


def words_in(clip: Clip) -> str | None:
    """The words of one or several scripted tones on end; None when the clip is nothing of the kind."""
    words: list[str] = []
    at = 0
    while at + _HEADER_BITS <= len(clip):
        magic, size, count = _HEADER.unpack(_bytes(clip, at, _HEADER.size))
        start = at + _HEADER_BITS
        if magic != _MAGIC or count < _HEADER_BITS or start + 8 * size > len(clip):
            break
        words.append(_bytes(clip, start, size).decode(errors="replace"))
        at += count
    return "".join(words) if words else None


def _bytes(clip: Clip, start: int, size: int) -> bytes:
    """What the lowest bits of 8 * `size` samples from `start` spell; only those samples are looked at."""
    ints = np.rint(clip.samples[start : start + 8 * size] * np.float32(32768)).astype(np.int32)
    return np.packbits((ints & 1).astype(np.uint8)).tobytes()


@lru_cache(maxsize=64)
def _wave(count: int, rate_hz: int) -> NDArray[np.int16]:
    """The tone with its lowest bit cleared."""
    turns = np.arange(count) * (220 / rate_hz)
    return np.rint(6000 * np.sin(2 * np.pi * turns)).astype(np.int16) & np.int16(~1)
