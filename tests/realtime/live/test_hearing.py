from __future__ import annotations

import shutil
from itertools import count

import numpy as np
import pytest

from antiphon.audio.resample import resample
from antiphon.audio.vad import Vad
from antiphon.clock import VirtualClock
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import speak
from antiphon.realtime.live.hearing import Began, Ear, Ended, EnergyVad, Manner

FRAME = 640  # bytes: 20 ms at 16 kHz


class Told:
    """A detector that is told what to say: 1 for loud samples, 0 for silent ones."""

    def __init__(self) -> None:
        self.rest = np.zeros(0, dtype=np.float32)

    def push(self, samples: np.ndarray) -> list[float]:
        self.rest = np.concatenate([self.rest, samples])
        whole = len(self.rest) // 512 * 512
        windows, self.rest = self.rest[:whole].reshape(-1, 512), self.rest[whole:]
        return [float(np.abs(window).max() > 0.1) for window in windows]


def ear(detector: object = None, **more: float) -> Ear:
    names = count(1)
    return Ear(detector or Told(), Manner(), lambda: f"u{next(names)}", **more)  # type: ignore[arg-type]


def sound(*parts: tuple[int, float]) -> bytes:
    """Milliseconds of a loud (1) or silent (0) stretch, one after another."""
    samples = [np.full(ms * 16, 12_000 * level, dtype="<i2") for ms, level in parts]
    return np.concatenate(samples).tobytes()


def hear(listener: Ear, pcm: bytes, start_us: int = 0) -> list[tuple[int, Began | Ended]]:
    """Frame by frame in real time: when which edge was known."""
    edges: list[tuple[int, Began | Ended]] = []
    for at in range(0, len(pcm), FRAME):
        now_us = start_us + (at + FRAME) * 1_000_000 // 32_000
        edges += [(now_us, edge) for edge in listener.push(pcm[at : at + FRAME], now_us)]
    return edges


def test_edges_lie_where_the_sound_changes_and_are_known_a_little_later():
    (known_us, began), (over_us, ended) = hear(ear(), sound((640, 0), (640, 1), (640, 0)))
    assert began == Began("u1", 640_000)
    assert isinstance(ended, Ended)
    assert (ended.utterance, ended.at_us) == ("u1", 1_280_000)
    assert (known_us, over_us) == (720_000, 1_440_000)


def test_an_utterance_carries_what_came_before_its_onset():
    edges = hear(ear(), sound((1280, 0), (640, 1), (640, 0)))
    ended = edges[1][1]
    assert isinstance(ended, Ended)
    loud = np.abs(np.frombuffer(ended.pcm, dtype="<i2")) > 0
    assert loud.sum() == 640 * 16
    assert 250 * 16 <= np.argmax(loud) <= 320 * 16


def test_a_short_gap_does_not_end_an_utterance():
    assert len(hear(ear(), sound((640, 1), (128, 0), (640, 1), (640, 0)))) == 2


def test_a_click_is_no_speech():
    assert hear(ear(), sound((640, 0), (32, 1), (640, 0))) == []


def test_after_a_gap_in_the_stream_times_are_those_of_the_session():
    listener = ear()
    hear(listener, sound((640, 0)))
    (_, began), _ = hear(listener, sound((640, 1), (640, 0)), start_us=10_000_000)
    assert abs(began.at_us - 10_000_000) <= 32_000


def test_sound_handed_over_at_once_ends_now():
    began, ended = ear().push(sound((640, 0), (640, 1), (640, 0)), 1_920_000)
    assert (began.at_us, ended.at_us) == (640_000, 1_280_000)


def test_speech_without_end_is_cut():
    edges = hear(ear(longest_s=2.0), sound((5000, 1)))
    assert [type(edge) for _, edge in edges] == [Began, Ended, Began, Ended, Began]


def test_the_level_of_the_room_is_followed_while_nobody_speaks():
    listener = ear()
    rng = np.random.default_rng(1)
    noise = (rng.normal(0, 0.005, 32_000) * 32768).astype("<i2").tobytes()
    hear(listener, noise)
    assert listener.noise_db == pytest.approx(-46, abs=1)
    hear(listener, sound((640, 1)))
    assert listener.noise_db == pytest.approx(-46, abs=1)


def test_energy_tells_a_loud_stretch_from_a_quiet_one():
    vad = EnergyVad()
    quiet = vad.push(np.full(5120, 0.001, dtype=np.float32))
    loud = vad.push(np.full(5120, 0.1, dtype=np.float32))
    assert max(quiet) < 0.2
    assert min(loud) > 0.9


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="no espeak-ng here")
@pytest.mark.parametrize("detector", [Vad, EnergyVad])
async def test_both_detectors_find_a_spoken_sentence(detector):
    clip = await speak(open_synthesizer("espeak:en-us", VirtualClock()), "What time does the library open?")
    pcm = bytes(32_000) + resample(clip, 16_000).pcm16() + bytes(32_000)
    edges = [edge for _, edge in hear(ear(detector()), pcm)]
    assert [type(edge) for edge in edges] == [Began, Ended]
    assert abs(edges[0].at_us - 1_000_000) < 150_000
    assert abs(edges[1].at_us - 1_000_000 - clip.duration_us) < 500_000
