"""Time as an argument: the real clock, and one that tests and scripted runs own."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where time comes from. Durations use `mono_us`, dates and leases use `utc`."""

    def mono_us(self) -> int: ...

    def utc(self) -> datetime: ...

    async def sleep_us(self, duration_us: int) -> None: ...


class RealClock:
    """The machine's own clocks."""

    def mono_us(self) -> int:
        return time.monotonic_ns() // 1000

    def utc(self) -> datetime:
        return datetime.now(UTC)

    async def sleep_us(self, duration_us: int) -> None:
        await asyncio.sleep(max(0, duration_us) / 1e6)


class VirtualClock:
    """Time that moves only when told to: `advance_us`, or a sleep, which jumps at once."""

    def __init__(self, start: datetime = datetime(2000, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._now_us = 0

    def mono_us(self) -> int:
        return self._now_us

    def utc(self) -> datetime:
        return self._start + timedelta(microseconds=self._now_us)

    def advance_us(self, duration_us: int) -> None:
        """Move forward. Raises ValueError on a negative step: time has one direction."""
        if duration_us < 0:
            raise ValueError(f"time cannot go back by {-duration_us} us")
        self._now_us += duration_us

    async def sleep_us(self, duration_us: int) -> None:
        self.advance_us(max(0, duration_us))
        await asyncio.sleep(0)
