"""Sound in frames of equal length, as a live session carries it, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.audio.clip import Clip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FRAME_MS = 20


@dataclass(frozen=True, slots=True)
class Frame:
    """Little-endian int16 mono; the last `padding` of its samples are zeros that the clip did not have."""

    pcm: bytes
    rate_hz: int
    padding: int = 0


def samples_in(frame_ms: int, rate_hz: int) -> int:
    """Samples in one frame. Raises ValueError where that is no whole positive number."""
    if frame_ms <= 0 or frame_ms * rate_hz % 1000:
        raise ValueError(f"{frame_ms} ms at {rate_hz} Hz is no whole number of samples; resample first")
    return frame_ms * rate_hz // 1000


def to_frames(clip: Clip, frame_ms: int = FRAME_MS) -> Iterator[Frame]:
    """A clip in frames of exactly one length, the last one padded; an empty clip has none."""
    size = 2 * samples_in(frame_ms, clip.rate_hz)
    pcm = clip.pcm16()
    for start in range(0, len(pcm), size):
        piece = pcm[start : start + size]
        yield Frame(piece.ljust(size, b"\0"), clip.rate_hz, (size - len(piece)) // 2)


def from_frames(frames: Iterable[Frame]) -> Clip:
    """The clip in these frames without their padding. Raises ValueError for none, or for mixed rates."""
    pieces: list[bytes] = []
    rates: set[int] = set()
    for frame in frames:
        pieces.append(frame.pcm[: len(frame.pcm) - 2 * frame.padding])
        rates.add(frame.rate_hz)
    if len(rates) != 1:
        raise ValueError(f"frames of one clip have one rate; these have {sorted(rates) or 'none'}")
    return Clip.from_pcm16(b"".join(pieces), rates.pop())
