from __future__ import annotations

import numpy as np

from antiphon.realtime.live.input_level import InputLevel, Level


def sine(seconds: float, amplitude: float) -> bytes:
    wave = amplitude * np.sin(2 * np.pi * 440 * np.arange(int(16_000 * seconds)) / 16_000)
    return np.clip(wave * 32768, -32768, 32767).astype("<i2").tobytes()


def test_a_level_comes_every_half_second_whatever_the_pieces():
    meter = InputLevel()
    pcm = sine(1.2, 0.1)
    found = [level for at in range(0, len(pcm), 642) for level in meter.push(pcm[at : at + 642], -60.0)]
    assert found == [Level(-23.0, 0.0, -60.0), Level(-23.0, 0.0, -60.0)]


def test_clipping_is_told_when_it_begins_and_again_after_it_was_over():
    meter = InputLevel()
    problems = [
        level.problem
        for amplitude in (0.5, 2.0, 2.0, 0.5, 0.5, 0.5, 2.0)
        for level in meter.push(sine(0.5, amplitude), None)
    ]
    assert problems == [None, "clipping", None, None, None, None, "clipping"]
    (level,) = meter.push(sine(0.5, 2.0), None)
    assert 0.6 < level.clipped < 0.7  # two thirds of a sine of twice the full scale


def test_a_microphone_that_gives_nothing_is_told_once_after_five_seconds():
    meter = InputLevel()
    problems = [level.problem for level in meter.push(bytes(32_000 * 7), None)]
    assert problems == [None] * 9 + ["silent"] + [None] * 4
    quiet_room = InputLevel().push(sine(7, 10 ** (-70 / 20)), None)
    assert {level.problem for level in quiet_room} == {None}
