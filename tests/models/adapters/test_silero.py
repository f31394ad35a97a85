from __future__ import annotations

import threading

import numpy as np
import pytest

from antiphon.audio.vad import WINDOW, Vad
from antiphon.audio.vad_crowd import ALONE, Crowd
from antiphon.ids import rng
from antiphon.models.adapters.silero import onnx_network, open_prompt_stream, open_stream

network = onnx_network()
needs_onnx = pytest.mark.skipif(network is None, reason="needs onnxruntime: pip install 'antiphon[local]'")


@needs_onnx
def test_a_crowd_hears_what_every_stream_would_hear_alone():
    sounds = [
        (0.1 * rng(seed, "crowd").standard_normal(WINDOW * 20)).astype(np.float32) * np.linspace(0, 3, WINDOW * 20, dtype=np.float32)
        for seed in range(3)
    ]  # fmt: skip
    crowd = Crowd(network, alone=0, gather_s=None)
    streams = [crowd.stream() for _ in sounds]
    found = [stream.push(sound) for stream, sound in zip(streams, sounds, strict=True)]
    while crowd.run_once():
        pass
    found = [stream.push(np.zeros(0, dtype=np.float32)) for stream in streams]
    for sound, probabilities in zip(sounds, found, strict=True):
        np.testing.assert_allclose(probabilities, Vad().push(sound), atol=1e-5)


@needs_onnx
def test_the_thread_answers_by_itself():
    crowd = Crowd(network, alone=0)
    stream = crowd.stream()
    stream.push(np.zeros(WINDOW, dtype=np.float32))
    found, pause = [], threading.Event()
    for _ in range(500):
        found += stream.push(np.zeros(0, dtype=np.float32))
        if found:
            break
        pause.wait(0.01)
    np.testing.assert_allclose(found, Vad().push(np.zeros(WINDOW, dtype=np.float32)), atol=1e-5)


def test_prompt_streams_are_answered_at_once_however_many_there_are():
    pytest.importorskip("onnxruntime", reason="pip install 'antiphon[local]'")
    streams = [open_prompt_stream() for _ in range(2 * ALONE)]
    sound = np.zeros(WINDOW, dtype=np.float32)
    assert [len(stream.push(sound)) for stream in streams] == [1] * len(streams)


def test_a_stream_opens_with_or_without_the_runtime():
    assert open_stream().push(np.zeros(WINDOW - 1, dtype=np.float32)) == []
