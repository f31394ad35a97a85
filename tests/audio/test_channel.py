from __future__ import annotations

import math

import numpy as np
import pytest

from antiphon.audio.channel import (
    drop_frames,
    frame_edges,
    lost_at_random,
    lost_in_bursts,
    low_pass,
    overload,
)
from antiphon.audio.clip import Clip
from antiphon.audio.levels import peak_dbfs, rms_dbfs
from antiphon.ids import rng

SPEECH = Clip(0.05 * rng(0, "speech").standard_normal(48_000), 16_000)


def tone(hz: float, rate_hz: int = 16_000, seconds: float = 2) -> Clip:
    return Clip(0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate_hz)) / rate_hz), rate_hz)


def settled(clip: Clip) -> Clip:
    return clip.between(1, 2)


def gain_db(hz: float, cutoff_hz: float, rate_hz: int = 16_000) -> float:
    clip = tone(hz, rate_hz)
    return rms_dbfs(settled(low_pass(clip, cutoff_hz))) - rms_dbfs(settled(clip))


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 24_000, 48_000])
@pytest.mark.parametrize("cutoff_hz", range(100, 900, 100))
def test_a_tone_at_the_cut_off_loses_three_decibels(cutoff_hz: int, rate_hz: int) -> None:
    assert gain_db(cutoff_hz, cutoff_hz, rate_hz) == pytest.approx(-3.01, abs=0.05)


def test_an_octave_above_the_cut_off_loses_twenty_four_decibels_and_one_below_nothing() -> None:
    assert gain_db(800, 400) == pytest.approx(10 * math.log10(1 / (1 + 2**8)), abs=0.3)
    assert gain_db(200, 400) == pytest.approx(0, abs=0.05)


def test_a_cut_off_that_the_rate_cannot_carry_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and half the rate of 16000 Hz, not 8000"):
        low_pass(SPEECH, 8_000)


def test_a_square_wave_at_full_scale_overshoots_and_is_scaled_not_clipped() -> None:
    square = Clip(np.repeat(np.tile([1.0, -1.0], 50), 80), 16_000)
    muffled = low_pass(square, 800)
    assert float(np.abs(muffled.samples).max()) == pytest.approx(32767 / 32768, abs=1e-6)
    # One sample at the top of each of the 99 swings: the waves keep their shape.
    assert np.sum(np.abs(muffled.samples) > 0.9999) == 99


def test_frames_last_twenty_milliseconds_and_the_last_is_what_is_left() -> None:
    assert frame_edges(Clip.silence(0.05, 16_000)).tolist() == [0, 320, 640, 800]
    assert frame_edges(Clip.silence(0.1, 11_025)).tolist() == [0, 220, 441, 662, 882, 1102]
    assert frame_edges(Clip([], 16_000)).tolist() == [0]
    assert frame_edges(Clip([0.5], 16_000)).tolist() == [0, 1]


def test_a_lost_frame_is_silent_and_the_others_are_untouched() -> None:
    clip = Clip([0.5] * 800, 16_000)
    heard = drop_frames(clip, np.array([False, True, False]))
    assert heard == Clip([0.5] * 320 + [0.0] * 320 + [0.5] * 160, 16_000)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_random_losses_are_as_many_as_the_share_says_and_have_no_memory(share: float) -> None:
    lost = lost_at_random(20_000, share, rng(1, "loss"))
    assert lost.sum() == round(share * 20_000)
    after_a_loss = lost[1:][lost[:-1]].mean()
    assert after_a_loss == pytest.approx(share, abs=0.03)


def bursts(lost: np.ndarray) -> list[int]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], lost, [False]]).astype(int)))
    return (edges[1::2] - edges[::2]).tolist()


@pytest.mark.parametrize(("share", "mean_burst"), [(0.1, 2), (0.3, 4), (0.5, 1), (0.7, 5), (0.9, 20)])
def test_bursts_have_the_mean_length_and_losses_the_share(share: float, mean_burst: float) -> None:
    lost = lost_in_bursts(200_000, share, mean_burst, rng(2, "loss"))
    assert lost.mean() == pytest.approx(share, rel=0.05)
    assert np.mean(bursts(lost)) == pytest.approx(mean_burst, rel=0.05)


def test_bursts_begin_at_a_random_moment() -> None:
    first = [bool(lost_in_bursts(1, 0.7, 5, rng(seed, "loss"))[0]) for seed in range(1000)]
    assert np.mean(first) == pytest.approx(0.7, abs=0.05)
    assert not lost_in_bursts(0, 0.7, 5, rng(0, "loss")).size


@pytest.mark.parametrize("threshold", [0.0001, 0.001, 0.01, 0.1, 0.5])
def test_as_many_samples_are_cut_as_lay_beyond_the_threshold_of_the_peak(threshold: float) -> None:
    cut = overload(SPEECH, threshold)
    top = np.abs(cut.samples).max()
    peak = np.abs(SPEECH.samples).max()
    beyond = np.abs(SPEECH.samples) > threshold * peak
    assert (np.abs(cut.samples) >= top * (1 - 1e-6)).sum() == beyond.sum()
    assert rms_dbfs(cut) == pytest.approx(rms_dbfs(SPEECH), abs=0.01)
    inside = SPEECH.samples[~beyond]
    assert np.allclose(cut.samples[~beyond], inside * (top / (threshold * peak)), rtol=1e-4)


def test_a_threshold_of_one_cuts_nothing() -> None:
    assert np.allclose(overload(SPEECH, 1).samples, SPEECH.samples, rtol=1e-6)


def test_a_clip_at_full_scale_stays_within_it() -> None:
    loud = Clip(SPEECH.samples / np.abs(SPEECH.samples).max(), 16_000)
    assert peak_dbfs(overload(loud, 0.0001)) <= 0
    square = Clip([1.0, -1.0] * 500, 16_000)
    assert np.abs(overload(square, 0.0001).samples).max() == pytest.approx(32767 / 32768, abs=1e-7)


def test_a_very_soft_clip_keeps_its_level() -> None:
    soft = Clip(SPEECH.samples * np.float32(1e-20), 16_000)
    assert rms_dbfs(overload(soft, 0.0001)) == pytest.approx(rms_dbfs(soft), abs=0.01)
    with pytest.raises(ValueError, match="leaves nothing of this clip"):
        overload(Clip([1e-44, -1e-44], 16_000), 0.0001)


def test_silence_stays_silence_and_nothing_stays_nothing() -> None:
    silence, nothing = Clip.silence(0.1, 16_000), Clip([], 16_000)
    assert overload(silence, 0.1) == low_pass(silence, 400) == silence
    assert overload(nothing, 0.1) == low_pass(nothing, 400) == nothing
    assert drop_frames(nothing, np.zeros(0, dtype=bool)) == nothing
