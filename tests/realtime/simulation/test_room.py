from __future__ import annotations

import math

import numpy as np

from antiphon.ids import rng
from antiphon.realtime.simulation.room import Room


def _ints(pcm: bytes) -> list[int]:
    return [int(sample) for sample in np.frombuffer(pcm, dtype="<i2")]


def test_sounds_lie_where_they_began_and_add_up():
    room = Room(-math.inf, rng(0))
    room.add(np.full(4, 0.25, np.float32), 125)  # two samples in
    room.add(np.full(2, 0.5, np.float32), 250)
    assert _ints(room.take(3)) == [0, 0, 8192]
    assert _ints(room.take(5)) == [8192, 24576, 24576, 0, 0]


def test_nobody_hears_what_was_before_or_beyond_full_scale():
    room = Room(-math.inf, rng(0))
    room.take(2)
    room.add(np.array([0.5, 0.5, 2.0, -2.0], np.float32), 0)
    assert _ints(room.take(3)) == [32767, -32768, 0]


def test_the_noise_has_its_level_and_comes_from_the_seed():
    heard = [np.frombuffer(Room(-40, rng(1)).take(16_000), dtype="<i2") for _ in range(2)]
    assert np.array_equal(*heard)
    assert abs(20 * np.log10(np.std(heard[0]) / 32768) + 40) < 0.2
