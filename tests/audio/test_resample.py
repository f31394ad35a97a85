from __future__ import annotations

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.resample import Resampler, resample


def tone(hz: float, rate_hz: int) -> Clip:
    return Clip(0.5 * np.sin(2 * np.pi * hz * np.arange(rate_hz) / rate_hz), rate_hz)


def test_the_right_rate_gives_the_same_clip() -> None:
    clip = tone(440, 16000)
    assert resample(clip, 16000) is clip


def test_a_tone_stays_the_same_tone() -> None:
    got = resample(tone(440, 24000), 16000)
    middle = slice(1000, 15000)
    assert np.abs(got.samples[middle] - tone(440, 16000).samples[middle]).max() < 1e-4
    assert (len(got), got.rate_hz) == (16000, 16000)


def test_what_the_lower_rate_cannot_carry_is_removed_and_not_folded_back() -> None:
    got = resample(tone(6000, 16000), 8000)
    assert np.abs(got.samples[500:7500]).max() < 1e-3


def test_a_rate_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="rate_hz must be positive, not 0"):
        resample(tone(440, 16000), 0)


def test_an_empty_clip_stays_empty() -> None:
    assert resample(Clip([], 8000), 16000) == Clip([], 16000)


def test_pieces_give_the_whole_and_a_second_sound_starts_afresh():
    wave = np.sin(np.arange(24_000) / 12).astype(np.float32)
    resampler = Resampler(24_000, 16_000)
    for _ in range(2):
        pieces = [resampler.push(piece) for piece in np.split(wave, 50)]
        found = np.concatenate([*pieces, resampler.finish()])
        assert len(found) == 16_000
        expected = np.sin(np.arange(16_000) / 8)
        np.testing.assert_allclose(found[200:-200], expected[200:-200], atol=2e-3)


def test_equal_rates_pass_through_and_bad_ones_are_refused():
    wave = np.ones(10, dtype=np.float32)
    same = Resampler(8000, 8000)
    assert same.push(wave) is wave
    assert len(same.finish()) == 0
    with pytest.raises(ValueError, match="must be positive"):
        Resampler(0, 8000)
