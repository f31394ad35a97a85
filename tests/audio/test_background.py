from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antiphon.audio.background import background, open_corpus, synthetic
from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.errors import ConfigError, DataError
from antiphon.ids import rng

RATE_HZ = 16_000


def band_db(samples: np.ndarray, low_hz: float, high_hz: float) -> float:
    power = np.square(np.abs(np.fft.rfft(samples)))
    hz = np.fft.rfftfreq(len(samples), 1 / RATE_HZ)
    return float(10 * np.log10(power[(hz >= low_hz) & (hz < high_hz)].mean()))


def loudness_db(samples: np.ndarray, window_s: float) -> np.ndarray:
    windows = samples[: len(samples) // round(window_s * RATE_HZ) * round(window_s * RATE_HZ)]
    return 10 * np.log10(np.square(windows.reshape(-1, round(window_s * RATE_HZ))).mean(axis=1))


def test_babble_has_the_spectrum_of_speech() -> None:
    babble = synthetic("babble", RATE_HZ)
    octaves = [band_db(babble, hz / 2**0.5, hz * 2**0.5) for hz in (250, 500, 1000, 2000, 4000)]
    # Flat up to 500 Hz, then 5 to 12 dB down with each octave.
    assert octaves[1] == pytest.approx(octaves[0], abs=4)
    assert np.all((np.diff(octaves[1:]) > -12) & (np.diff(octaves[1:]) < -5))


def test_babble_moves_as_syllables_do_and_street_slowly() -> None:
    def unrest(name: str, window_s: float) -> float:
        return float(np.std(loudness_db(synthetic(name, RATE_HZ), window_s)))

    stationary = rng(0, "noise").standard_normal(30 * RATE_HZ)
    assert unrest("babble", 0.05) > 2 * float(np.std(loudness_db(stationary, 0.05)))
    assert unrest("street", 1.0) > 1.5
    assert unrest("street", 1.0) > unrest("babble", 1.0)


@pytest.mark.parametrize("rate_hz", [8_000, 24_000])
@pytest.mark.parametrize("name", ["babble", "street"])
def test_synthetic_noise_lasts_half_a_minute_and_is_always_the_same(name: str, rate_hz: int) -> None:
    samples = synthetic(name, rate_hz)
    assert len(samples) == 30 * rate_hz
    synthetic.cache_clear()
    assert np.array_equal(synthetic(name, rate_hz), samples)


def test_a_piece_starts_where_chance_says_and_repeats_when_it_must() -> None:
    bed = synthetic("street", RATE_HZ)
    piece = background("street", 70 * RATE_HZ, RATE_HZ, rng(1, "x"))
    start = int(rng(1, "x").integers(len(bed)))
    assert np.array_equal(piece[: len(bed) - start], bed[start:])
    assert np.array_equal(piece[len(bed) - start :][: len(bed)], bed)
    assert len(piece) == 70 * RATE_HZ


def test_a_corpus_is_every_sound_file_under_its_folder(tmp_path: Path) -> None:
    (tmp_path / "cars").mkdir()
    write(tmp_path / "cars" / "a.flac", Clip([0.5, -0.5] * 400, 8_000))
    write(tmp_path / "rain.wav", Clip([0.25, -0.25] * 400, 8_000))
    (tmp_path / "README.md").write_text("rain and cars")
    corpus = open_corpus(tmp_path)
    assert corpus.files == (tmp_path / "cars" / "a.flac", tmp_path / "rain.wav")
    assert corpus == open_corpus(tmp_path)
    peaks = {
        round(float(np.abs(background(corpus.name, 100, 8_000, rng(seed, "x"), corpus)).max()), 2)
        for seed in range(20)
    }
    assert peaks == {0.25, 0.5}
    write(tmp_path / "wind.wav", Clip([0.1] * 10, 8_000))
    assert open_corpus(tmp_path).name != corpus.name


def test_a_recording_at_another_rate_is_resampled(tmp_path: Path) -> None:
    write(tmp_path / "hum.wav", Clip(0.5 * np.sin(2 * np.pi * 1000 * np.arange(48_000) / 48_000), 48_000))
    corpus = open_corpus(tmp_path)
    piece = background(corpus.name, RATE_HZ // 2, RATE_HZ, rng(0, "x"), corpus)
    hz = np.fft.rfftfreq(len(piece), 1 / RATE_HZ)
    assert hz[np.argmax(np.abs(np.fft.rfft(piece)))] == pytest.approx(1000, abs=4)


def test_silent_recordings_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "a.wav", Clip.silence(1, 8_000))
    silent = open_corpus(tmp_path)
    with pytest.raises(DataError, match="every noise recording is silent where it was tried"):
        background(silent.name, 100, 8_000, rng(0, "x"), silent)
    write(tmp_path / "c.wav", Clip([0.5, -0.5] * 400, 8_000))
    mixed = open_corpus(tmp_path)
    for seed in range(5):
        assert np.any(background(mixed.name, 100, 8_000, rng(seed, "x"), mixed))


def test_a_noise_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no background noise 'rain'; there are: babble, street"):
        background("rain", 100, 8_000, rng(0, "x"))
    with pytest.raises(ConfigError, match="holds no noise; give a folder with sound files"):
        open_corpus(tmp_path)
