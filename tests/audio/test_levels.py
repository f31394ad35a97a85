from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from antiphon.audio import levels
from antiphon.audio.clip import Clip, join
from antiphon.audio.vad import Span

SQUARE = Clip(np.tile([1.0, -1.0], 8000), 16000)
SINE = Clip(np.sin(2 * np.pi * 1000 * np.arange(48000) / 48000), 48000)


def test_a_full_scale_square_wave_is_0_dbfs_and_a_sine_is_3_db_less() -> None:
    assert levels.rms_dbfs(SQUARE) == 0
    assert levels.rms_dbfs(SINE) == pytest.approx(-3.0103, abs=1e-4)
    assert levels.peak_dbfs(SINE) == pytest.approx(0, abs=1e-6)


def test_half_the_amplitude_is_6_db_less() -> None:
    assert levels.rms_dbfs(levels.with_gain_db(SQUARE, -6.0206)) == pytest.approx(-6.0206, abs=1e-4)
    assert levels.rms_dbfs(Clip([0.5, -0.5], 8000)) == pytest.approx(-6.0206, abs=1e-4)


def test_silence_is_infinitely_soft() -> None:
    silence = Clip.silence(1, 16000)
    assert levels.rms_dbfs(silence) == -math.inf
    assert levels.peak_dbfs(silence) == -math.inf
    assert levels.loudness_lufs(silence) == -math.inf
    assert levels.clipped_share(silence) == 0
    with pytest.raises(ValueError, match="silence cannot be scaled"):
        levels.to_peak(silence)


@pytest.mark.parametrize(
    "level", [levels.power, levels.rms_dbfs, levels.peak_dbfs, levels.clipped_share, levels.to_peak]
)
def test_an_empty_clip_has_no_level(level: Callable[[Clip], object]) -> None:
    with pytest.raises(ValueError, match="an empty clip has no level"):
        level(Clip([], 16000))


def test_clipped_samples_are_counted_at_both_limits() -> None:
    assert levels.clipped_share(Clip([32767 / 32768, -1.0, 0.9, -0.9], 8000)) == 0.5


def test_a_1_khz_sine_at_full_scale_has_the_loudness_of_the_standard() -> None:
    # ITU-R BS.1770-4: 0 dBFS at 997 Hz in one front channel reads -3.01 LKFS.
    tone = Clip(np.sin(2 * np.pi * 997 * np.arange(48000 * 4) / 48000), 48000)
    assert levels.loudness_lufs(tone) == pytest.approx(-3.01, abs=0.05)


def test_loudness_ignores_pauses_where_the_mean_power_does_not() -> None:
    tone = Clip(SINE.samples * 0.1, 48000)
    paused = join([tone, Clip.silence(3, 48000)])
    louder, softer = levels.loudness_lufs(tone), levels.loudness_lufs(paused)
    assert louder is not None
    assert softer == pytest.approx(louder, abs=1.5)
    assert levels.rms_dbfs(paused) == pytest.approx(levels.rms_dbfs(tone) - 6.02, abs=0.01)


def test_a_clip_shorter_than_one_gating_block_has_no_loudness() -> None:
    assert levels.loudness_lufs(SINE.between(0, 0.39)) is None
    assert levels.loudness_lufs(SINE.between(0, 0.4)) is not None


def test_the_speech_level_counts_speech_only() -> None:
    clip = join([Clip.silence(1, 16000), SQUARE, Clip.silence(2, 16000)])
    assert levels.speech_level_dbfs(clip, [Span(1.0, 1.5), Span(1.5, 2.0)]) == 0
    assert levels.speech_level_dbfs(clip, []) is None


def test_scaling_to_a_peak() -> None:
    assert levels.peak_dbfs(levels.to_peak(Clip([0.1, -0.2], 8000), -3)) == pytest.approx(-3, abs=1e-5)


def test_only_what_is_too_loud_is_scaled_down() -> None:
    assert levels.within_full_scale(Clip([0.5], 8000)) == Clip([0.5], 8000)
    loud = levels.within_full_scale(Clip([2.0, -1.0], 8000))
    assert np.frombuffer(loud.pcm16(), "<i2").tolist() == [32767, -16384]
    assert len(levels.within_full_scale(Clip([], 8000))) == 0
