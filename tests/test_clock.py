from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from antiphon.clock import RealClock, VirtualClock


def test_virtual_time_stands_still_until_it_is_moved():
    clock = VirtualClock()
    assert (clock.mono_us(), clock.mono_us()) == (0, 0)
    assert clock.utc() == datetime(2000, 1, 1, tzinfo=UTC)
    clock.advance_us(1_500_000)
    assert clock.mono_us() == 1_500_000
    assert clock.utc() == datetime(2000, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)


async def test_a_virtual_sleep_jumps_to_its_end():
    start = datetime(2026, 1, 2, tzinfo=UTC)
    clock = VirtualClock(start)
    await clock.sleep_us(3_600_000_000)
    assert (clock.mono_us(), clock.utc()) == (3_600_000_000, start + timedelta(hours=1))


async def test_a_negative_sleep_takes_no_time():
    clock = VirtualClock()
    await clock.sleep_us(-5)
    assert clock.mono_us() == 0


def test_virtual_time_refuses_to_go_back():
    clock = VirtualClock()
    clock.advance_us(10)
    with pytest.raises(ValueError, match=r"^time cannot go back by 1 us$"):
        clock.advance_us(-1)
    assert clock.mono_us() == 10


async def test_the_real_clock_moves_forward_by_at_least_the_sleep():
    clock = RealClock()
    before = clock.mono_us()
    await clock.sleep_us(2_000)
    assert 2_000 <= clock.mono_us() - before < 5_000_000
    await clock.sleep_us(-1)
    assert clock.utc().tzinfo is UTC
    assert abs(clock.utc() - datetime.now(UTC)) < timedelta(seconds=5)
