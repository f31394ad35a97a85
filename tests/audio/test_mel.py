from __future__ import annotations

import numpy as np
import pytest

from antiphon.audio import mel


def test_a_tone_lies_in_the_band_around_it():
    tone = np.sin(2 * np.pi * 1000 * np.arange(16_000) / 16_000).astype(np.float32)
    power = mel.mel_power(tone, 40, 400, 160, 16_000, "reflect")
    assert power.shape == (101, 40)
    # Slaney: 1000 Hz is mel 15 of 45.2 at 8000 Hz; bands are 45.2 / 41 apart, the first centred one step above 0.
    assert {int(np.argmax(row)) for row in power[2:-2]} == {round(15 / (45.245 / 41)) - 1}


def test_triangles_have_equal_area_and_the_window_no_second_zero():
    bands = mel.filters(80, 400, 16_000)
    assert bands.shape == (80, 201)
    wide = bands[60:] * (16_000 / 400)  # of narrow ones, bins are too coarse a measure
    assert np.allclose(wide.sum(axis=1), 1, atol=0.03)
    assert mel.hann(4).tolist() == pytest.approx([0, 0.5, 1, 0.5])


@pytest.mark.slow
def test_it_equals_the_features_that_whisper_was_trained_on():
    transformers = pytest.importorskip("transformers", reason="pip install 'antiphon[transformers]'")
    samples = np.random.default_rng(1).normal(0, 0.1, 16_000 * 30).astype(np.float32)
    theirs = transformers.WhisperFeatureExtractor()(samples, sampling_rate=16_000, return_tensors="np")
    ours = np.log10(np.maximum(mel.mel_power(samples, 80, 400, 160, 16_000, "reflect")[:-1], 1e-10))
    ours = (np.maximum(ours, ours.max() - 8) + 4) / 4
    assert np.abs(ours.T - theirs.input_features[0]).max() < 1e-4
