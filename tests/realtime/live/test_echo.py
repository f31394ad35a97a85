from __future__ import annotations

import numpy as np

from antiphon.audio.aec import BLOCK_BYTES
from antiphon.realtime.live.echo import Echo, FarEnd

MS = 1000


def tone(ms: int, rate_hz: int, level: int = 8000) -> bytes:
    """A square wave of 100 Hz: resampled, it keeps its level."""
    times = np.arange(ms * rate_hz // 1000)
    return np.where(times * 200 // rate_hz % 2, level, -level).astype("<i2").tobytes()


def loud(block: bytes) -> bool:
    return float(np.abs(np.frombuffer(block, dtype="<i2").astype(float)).mean()) > 4000


class Both:
    """Keeps what it is given, and answers with silence."""

    def __init__(self) -> None:
        self.near: list[bytes] = []
        self.far: list[bytes] = []

    def cancel(self, near: bytes, far: bytes) -> bytes:
        self.near.append(near)
        self.far.append(far)
        return bytes(BLOCK_BYTES)


def test_the_far_end_is_what_plays_at_that_time():
    far = FarEnd()
    far.plays(tone(60, 24_000), 100 * MS)
    far.plays(tone(40, 24_000), 160 * MS)
    far.plays(tone(60, 24_000), 500 * MS)
    heard = [ms for ms in range(0, 600, 10) if loud(far.at(ms * MS))]
    # The resampler holds back the last 11 ms of each stretch, which no echo is missed for.
    assert [ms for ms in heard if ms not in (190, 550)] == [*range(100, 190, 10), *range(500, 550, 10)]


def test_what_was_halted_is_not_in_the_far_end_and_what_follows_is():
    far = FarEnd()
    far.plays(tone(200, 24_000), 0)
    far.halts(80 * MS)
    far.plays(tone(100, 24_000), 300 * MS)
    heard = [ms for ms in range(0, 500, 10) if loud(far.at(ms * MS))]
    assert heard == [*range(0, 80, 10), *range(300, 390, 10)]


def test_an_hour_of_silence_is_not_kept():
    far = FarEnd()
    far.plays(tone(40, 24_000), 10 * MS)
    far.plays(tone(40, 24_000), 3_600_000 * MS)
    assert len(far._pcm) < 4000
    assert loud(far.at(3_600_010 * MS))


def echo() -> tuple[Echo, Both]:
    both = Both()
    made = Echo(lambda: both)
    made.on = True
    return made, both


def test_microphone_and_loudspeaker_meet_in_the_time_of_the_session():
    made, both = echo()
    quiet = bytes(640)
    assert made.clean(quiet, 20 * MS) == quiet  # nothing plays yet
    made.plays(tone(100, 24_000), 60 * MS)
    sound = b"".join(made.clean(tone(20, 16_000), ms * MS) for ms in range(40, 240, 20))
    assert sound == bytes(len(sound))
    assert len(both.near) == 20
    assert [20 + 10 * at for at, block in enumerate(both.far) if loud(block)] == list(range(60, 150, 10))


def test_odd_pieces_lose_no_sample():
    made, both = echo()
    made.plays(tone(200, 24_000), 0)
    sound = np.arange(1600, dtype="<i2").tobytes()
    sizes = [2, 318, 402, 1000, 998, 480]
    at, left = 0, b""
    for size in sizes:
        left += made.clean(sound[at : at + size], at // 32 * MS)
        at += size
    assert b"".join(both.near) == sound[:at]
    assert len(left) == at


def test_where_nobody_asks_for_it_sound_passes_untouched():
    made, both = echo()
    made.on = False
    made.plays(tone(100, 24_000), 0)
    assert made.clean(tone(30, 16_000), 30 * MS) == tone(30, 16_000)
    assert Echo().clean(b"\1\2\3\4", 0) == b"\1\2\3\4"
    assert both.near == []


def test_two_seconds_after_the_last_sound_it_costs_nothing_any_more():
    made, both = echo()
    made.plays(tone(100, 24_000), 0)
    made.clean(bytes(32_000 * 2), 2000 * MS)
    blocks = len(both.near)
    made.clean(bytes(32_000), 3000 * MS)
    assert made.clean(bytes(640), 3020 * MS) == bytes(640)
    assert blocks == 200
    assert len(both.near) == 300
