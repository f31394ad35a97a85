"""When sound that arrives in pieces was made: its samples count the time, its arrivals set the clock."""

from __future__ import annotations

from antiphon.audio.vad import RATE_HZ

BYTES_PER_S = 2 * RATE_HZ
# A client whose sound stood still for longer has a gap there, not a late packet.
_GAP_US = 300_000


class Arrivals:
    """One stream of 16 kHz int16. Late packets do not move its clock; early ones, and gaps, do."""

    def __init__(self) -> None:
        self._bytes = 0
        self._base_us: int | None = None

    def add(self, size: int, now_us: int) -> None:
        """So many bytes more have come."""
        self._bytes += size
        begun_us = now_us - self._bytes * 1_000_000 // BYTES_PER_S
        if self._base_us is None or begun_us < self._base_us or begun_us > self._base_us + _GAP_US:
            self._base_us = begun_us

    def at_us(self, size: int) -> int:
        """When the sound after the first `size` bytes was made, in microseconds of the session: before its
        beginning where a client hands over at once what was said earlier."""
        return (self._base_us or 0) + size * 1_000_000 // BYTES_PER_S
