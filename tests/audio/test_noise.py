from __future__ import annotations

import math

import numpy as np
import pytest

from antiphon.audio.clip import Clip, join
from antiphon.audio.noise import add_noise, add_white

TONE = Clip(0.1 * np.sin(2 * np.pi * 440 * np.arange(32000) / 16000), 16000)


def measured_snr_db(clean: Clip, noisy: Clip) -> float:
    """Least squares finds the clean part, whatever the mixture was scaled by; the rest is noise."""
    x, y = clean.samples.astype(np.float64), noisy.samples.astype(np.float64)
    scale = float(x @ y / (x @ x))
    rest = y - scale * x
    return 10 * math.log10(float((scale * x) @ (scale * x)) / float(rest @ rest))


@pytest.mark.parametrize("snr_db", [-5, 0, 5, 10, 20, 40])
def test_the_ratio_measured_is_the_ratio_asked_for(snr_db: int) -> None:
    noise = add_white(TONE, snr_db, seed=7).samples.astype(np.float64) - TONE.samples
    clean = TONE.samples.astype(np.float64)
    assert 10 * math.log10(float(clean @ clean) / float(noise @ noise)) == pytest.approx(snr_db, abs=1e-3)


def test_pauses_count_in_the_ratio() -> None:
    paused = join([TONE, Clip.silence(6, 16000)])
    noisy = add_white(paused, 10, seed=7)
    floor = float(np.mean(np.square(noisy.between(3, 8).samples, dtype=np.float64)))
    whole = float(np.mean(np.square(paused.samples, dtype=np.float64)))
    assert 10 * math.log10(whole / floor) == pytest.approx(10, abs=0.1)


def test_noise_beyond_full_scale_is_scaled_and_not_clipped() -> None:
    loud = Clip(TONE.samples * 9, 16000)
    noisy = add_white(loud, -5, seed=7)
    assert float(np.abs(noisy.samples).max()) <= 32767 / 32768
    assert measured_snr_db(loud, Clip.from_pcm16(noisy.pcm16(), 16000)) == pytest.approx(
        -5, abs=0.3
    )  # two seconds of noise are a little like the tone by chance


def test_the_noise_is_white() -> None:
    noise = add_white(TONE, -30, seed=7).samples
    power = np.square(np.abs(np.fft.rfft(noise)))
    bands = np.array([band.mean() for band in np.array_split(power, 8)])
    assert 10 * np.log10(bands.max() / bands.min()) < 0.5


def test_seed_and_clip_decide_the_noise() -> None:
    assert add_white(TONE, 10, seed=1) == add_white(TONE, 10, seed=1)
    assert add_white(TONE, 10, seed=1) != add_white(TONE, 10, seed=2)
    other = Clip(TONE.samples * 0.5, 16000)
    assert not np.allclose(add_white(other, 10, seed=1).samples * 2, add_white(TONE, 10, seed=1).samples)


def test_silence_has_no_ratio() -> None:
    with pytest.raises(ValueError, match="silence has no signal-to-noise ratio"):
        add_white(Clip.silence(1, 16000), 10, seed=1)
    with pytest.raises(ValueError, match="an empty clip has no level"):
        add_white(Clip([], 16000), 10, seed=1)
    with pytest.raises(ValueError, match="snr_db must be finite, not inf"):
        add_white(TONE, math.inf, seed=1)


def test_any_noise_is_mixed_at_the_ratio_whatever_its_scale() -> None:
    hum = np.sin(2 * np.pi * 50 * np.arange(32000) / 16000)
    noisy = add_noise(TONE, hum, 6)
    assert measured_snr_db(TONE, noisy) == pytest.approx(6, abs=1e-3)
    assert np.allclose(add_noise(TONE, hum * 1000, 6).samples, noisy.samples, atol=1e-6)
    with pytest.raises(ValueError, match="silence has no signal-to-noise ratio"):
        add_noise(TONE, np.zeros(32000), 6)
