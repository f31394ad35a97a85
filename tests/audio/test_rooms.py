from __future__ import annotations

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.levels import rms_dbfs
from antiphon.audio.rooms import decay_db, impulse_response, reverberate, t30_s
from antiphon.ids import rng

SPEECH = Clip(0.05 * rng(0, "speech").standard_normal(16_000), 16_000)


def measured_s(response: np.ndarray, rate_hz: int) -> float:
    return t30_s(decay_db(np.square(response, dtype=np.float64)), 1 / rate_hz)


@pytest.mark.parametrize("rate_hz", [16_000, 24_000])
@pytest.mark.parametrize("rt60_s", [0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
def test_the_reverberation_time_measured_is_the_one_asked_for(rt60_s: float, rate_hz: int) -> None:
    response = impulse_response(rt60_s, 2.0, rate_hz)
    assert len(response) == rt60_s * rate_hz
    assert measured_s(response, rate_hz) == pytest.approx(rt60_s, rel=0.05)


@pytest.mark.parametrize("distance_m", [0.5, 1.0, 4.0])
def test_further_away_there_is_more_of_the_room(distance_m: float) -> None:
    near, far = impulse_response(1, distance_m, 16_000), impulse_response(1, distance_m + 1, 16_000)
    direct = slice(0, 16)  # the first millisecond
    assert np.square(near[direct]).sum() > np.square(far[direct]).sum()
    assert measured_s(far, 16_000) == pytest.approx(1, rel=0.1)


def test_the_response_begins_with_the_direct_sound_and_holds_no_rumble() -> None:
    response = impulse_response(1, 2.0, 16_000)
    assert int(np.argmax(np.abs(response))) == 0
    spectrum = np.square(np.abs(np.fft.rfft(response)))
    hz = np.fft.rfftfreq(len(response), 1 / 16_000)
    assert spectrum[hz < 20].mean() < 0.1 * spectrum[(hz > 200) & (hz < 4_000)].mean()


def test_schroeders_curve_of_an_exact_decay_is_its_line() -> None:
    times_s = np.arange(0, 3, 0.001)
    curve = decay_db(10 ** (-6 * times_s / 0.8))  # 60 dB in 0.8 s
    assert curve[0] == 0
    assert t30_s(curve, 0.001) == pytest.approx(0.8, rel=1e-3)
    assert t30_s(decay_db(np.array([1.0, 0.0, 0.0])), 0.001) == 0


def test_a_click_comes_back_as_the_response() -> None:
    click = Clip([0.5] + [0.0] * 15_999, 16_000)
    wet = reverberate(click, 0.5, 2.0)
    response = impulse_response(0.5, 2.0, 16_000)
    scale = float(wet.samples[0] / response[0])
    assert np.allclose(wet.samples[:8000], scale * response, atol=1e-6)
    assert len(wet) == 16_000 + 8_000 - 1


def test_the_clip_stays_as_loud_and_gets_the_tail() -> None:
    wet = reverberate(SPEECH, 1.0, 2.0)
    assert wet.duration_s == pytest.approx(2.0, abs=1e-3)
    assert rms_dbfs(wet.between(0, 1)) == pytest.approx(rms_dbfs(SPEECH), abs=0.01)
    assert wet == reverberate(SPEECH, 1.0, 2.0)


def test_a_clip_at_full_scale_stays_within_it() -> None:
    square = Clip(np.sign(SPEECH.samples), 16_000)
    assert np.abs(reverberate(square, 3.0, 2.0).samples).max() <= 32767 / 32768


def test_silence_stays_silence_nothing_stays_nothing_and_one_sample_rings() -> None:
    assert reverberate(Clip.silence(0.1, 16_000), 0.5, 2.0) == Clip([0.0] * 9_599, 16_000)
    assert reverberate(Clip([], 16_000), 0.5, 2.0) == Clip([], 16_000)
    assert len(reverberate(Clip([0.5], 16_000), 0.5, 2.0)) == 8_000


def test_rooms_that_we_do_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match=r"rt60_s must lie in 0\.2\.\.5, not 9"):
        impulse_response(9, 2.0, 16_000)
    with pytest.raises(ValueError, match=r"distance_m must lie in 0\.3\.\.5, not 8"):
        impulse_response(1, 8, 16_000)
