"""What a client of a live session plays, and when: the agent's track, aligned with what the client sent.

Sound may come faster than it can be played, or late; it plays in order, at once where nothing waits. When the
server says that the person has begun to speak, stock clients throw away what they have not played, and so does
this one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip

if TYPE_CHECKING:
    from antiphon.live import AudioOut


@dataclass(frozen=True, slots=True)
class Cut:
    """An item that was stopped after `ms` of it."""

    item: str
    ms: int


@dataclass(slots=True)
class _Piece:
    item: str
    start_us: int
    pcm: bytes


@dataclass
class Loudspeaker:
    """Times are microseconds after the tracks begin; sound is little-endian int16 at one rate."""

    rate_hz: int | None = None
    until_us: int = 0  # when everything that came will have been played
    sounded: bool = False
    _pieces: list[_Piece] = field(default_factory=list[_Piece])
    _stopped: set[str] = field(default_factory=set[str])

    def hear(self, event: AudioOut, now_us: int) -> None:
        """Sound that came now. Raises ValueError where its rate changes."""
        if event.item in self._stopped or not event.pcm:
            return
        if self.rate_hz not in (None, event.rate_hz):
            raise ValueError(f"sound at {event.rate_hz} Hz after sound at {self.rate_hz} Hz")
        self.rate_hz = event.rate_hz
        start_us = max(now_us, self.until_us)
        self._pieces.append(_Piece(event.item, start_us, event.pcm))
        self.until_us = start_us + self._lasts_us(event.pcm)
        self.sounded = True

    def stop(self, now_us: int) -> list[Cut]:
        """Throw away what is not played yet; what else comes of these items is not played either."""
        if self.until_us <= now_us:
            return []
        cut: list[str] = []
        kept: list[_Piece] = []
        for piece in self._pieces:
            left_us = now_us - piece.start_us
            if self._lasts_us(piece.pcm) > left_us:
                cut.append(piece.item)
                piece.pcm = piece.pcm[: 2 * max(0, self._samples(left_us))]
            if piece.pcm:
                kept.append(piece)
        self._pieces, self.until_us = kept, now_us
        self._stopped.update(cut)
        return [Cut(item, self._played_ms(item)) for item in dict.fromkeys(cut)]

    def track(self, length_us: int, rate_hz: int) -> Clip:
        """All that was played until `length_us`, silence between; `rate_hz` where nothing ever came."""
        rate = self.rate_hz or rate_hz
        track = np.zeros(round(length_us * rate / 1e6), dtype=np.int16)
        for piece in self._pieces:
            start = round(piece.start_us * rate / 1e6)
            sound = np.frombuffer(piece.pcm, dtype="<i2")[: max(0, len(track) - start)]
            track[start : start + len(sound)] = sound
        return Clip.from_pcm16(track.astype("<i2").tobytes(), rate)

    def _played_ms(self, item: str) -> int:
        return sum(self._lasts_us(piece.pcm) for piece in self._pieces if piece.item == item) // 1000

    def _lasts_us(self, pcm: bytes) -> int:
        return round(len(pcm) // 2 * 1e6 / (self.rate_hz or 1))

    def _samples(self, us: int) -> int:
        return us * (self.rate_hz or 0) // 1_000_000
