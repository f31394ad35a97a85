from __future__ import annotations

import numpy as np
import pytest

from antiphon.audio import g711
from antiphon.errors import WireError
from antiphon.models.wire.ga.shapes import Format
from antiphon.realtime.protocols.ga_sound import Intake, Outlet, checked

PCM24, PCM16, MU = (
    Format(type="audio/pcm", rate=24_000),
    Format(type="audio/pcm", rate=16_000),
    Format(type="audio/pcmu"),
)


def tone(rate_hz: int, seconds: float = 1.0) -> np.ndarray:
    return np.rint(8000 * np.sin(2 * np.pi * 440 * np.arange(round(rate_hz * seconds)) / rate_hz)).astype(
        "<i2"
    )


def test_formats_that_we_speak_come_back_with_their_rate():
    assert checked(None, "f") == checked(Format(type="audio/pcm"), "f") == PCM24
    assert checked(PCM16, "f") == PCM16
    assert checked(Format(type="audio/pcma", rate=8000), "f") == Format(type="audio/pcma")


@pytest.mark.parametrize("given", [Format(type="audio/pcm", rate=44_100), Format(type="audio/opus")])
def test_others_are_refused_by_field_and_name(given):
    with pytest.raises(
        WireError, match="there are: audio/pcm at 16000 or 24000, audio/pcmu, audio/pcma"
    ) as error:
        checked(given, "session.audio.input.format")
    assert error.value.field == "session.audio.input.format"


def test_sound_cut_within_a_sample_loses_none_of_it():
    intake, pcm = Intake(PCM16), tone(16_000).tobytes()
    assert b"".join(intake.push(pcm[at : at + 333]) for at in range(0, len(pcm), 333)) == pcm


@pytest.mark.parametrize("given", [PCM24, MU])
def test_what_a_client_sends_becomes_16_khz(given):
    rate_hz = given.rate or 8000
    sent = g711.mu_encode(tone(rate_hz)) if given is MU else tone(rate_hz).tobytes()
    heard = np.frombuffer(Intake(given).push(sent), dtype="<i2")
    assert 15_000 < len(heard) <= 16_000
    np.testing.assert_allclose(heard[1000:10_000], tone(16_000)[1000:10_000], atol=400)


def test_speech_leaves_in_the_clients_format_to_its_last_sample():
    assert Outlet(PCM24).push(b"\1\0") == b"\1\0"
    outlet = Outlet(MU)
    coded = outlet.push(tone(24_000).tobytes()) + outlet.finish()
    assert len(coded) == 8000
    np.testing.assert_allclose(g711.mu_decode(coded)[500:7500], tone(8000)[500:7500], atol=400)
