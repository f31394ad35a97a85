from __future__ import annotations

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.prosody import SILENT_DB, intensity_db, pitch_hz

RATE_HZ = 16_000


def tone(hz: float, seconds: float = 1.0, top: float = 0.5, rate_hz: int = RATE_HZ) -> Clip:
    """A pulse-like sound: ten harmonics that fall off, as a voice has them."""
    t = np.arange(round(seconds * rate_hz)) / rate_hz
    wave = np.asarray(sum(np.sin(2 * np.pi * hz * k * t) / k for k in range(1, 11)))
    return Clip((top * wave / np.max(np.abs(wave))).astype(np.float32), rate_hz)


@pytest.mark.parametrize("hz", [75.0, 120.0, 220.0, 441.0, 590.0])
def test_a_steady_voice_has_its_pitch_in_every_frame(hz: float):
    found = pitch_hz(tone(hz))[5:-5]  # the ends see silence
    assert np.all(found == pytest.approx(hz, rel=0.01))


def test_a_pitch_that_leaps_an_octave_is_followed():
    both = Clip(np.concatenate([tone(150.0).samples, tone(300.0).samples]), RATE_HZ)
    found = pitch_hz(both)
    assert (len(found), np.median(found[10:90]), np.median(found[110:190])) == (
        200, pytest.approx(150, rel=0.01), pytest.approx(300, rel=0.01),
    )  # fmt: skip


def test_noise_and_silence_have_no_pitch():
    noise = np.random.default_rng(3).normal(0, 0.1, RATE_HZ).astype(np.float32)
    assert np.mean(pitch_hz(Clip(noise, RATE_HZ)) > 0) < 0.1
    assert not np.any(pitch_hz(Clip(np.zeros(RATE_HZ, dtype=np.float32), RATE_HZ)))
    assert len(pitch_hz(Clip(np.zeros(0, dtype=np.float32), RATE_HZ))) == 0


def test_what_is_35_decibels_under_the_loudest_has_no_pitch():
    faint = Clip(np.concatenate([tone(150.0).samples, tone(150.0, top=0.002).samples]), RATE_HZ)
    found = pitch_hz(faint)
    assert np.all(found[10:90] > 0)
    assert not np.any(found[110:190])


def test_the_rate_of_the_clip_does_not_matter():
    assert np.median(pitch_hz(tone(200.0, rate_hz=24_000))) == pytest.approx(200, rel=0.01)


def test_intensity_by_hand():
    """A sine of amplitude 0.5 has a mean square of 1/8: 10 log10(0.125 / 4e-10) = 84.95 dB."""
    t = np.arange(RATE_HZ) / RATE_HZ
    sine = Clip((0.5 * np.sin(2 * np.pi * 500 * t)).astype(np.float32), RATE_HZ)
    assert np.all(intensity_db(sine)[5:-5] == pytest.approx(84.95, abs=0.05))


def test_a_constant_is_no_sound():
    found = intensity_db(Clip(np.full(RATE_HZ, 0.5, dtype=np.float32), RATE_HZ))
    assert np.all(found[5:-5] == SILENT_DB)
    assert len(intensity_db(Clip(np.zeros(0, dtype=np.float32), RATE_HZ))) == 0


def test_a_frame_tells_of_its_own_time():
    sudden = Clip(np.concatenate([np.zeros(RATE_HZ, dtype=np.float32), tone(200.0).samples]), RATE_HZ)
    found = intensity_db(sudden)
    assert len(found) == 200
    assert np.all(found[:96] == SILENT_DB)
    assert np.all(found[105:195] > 70)
