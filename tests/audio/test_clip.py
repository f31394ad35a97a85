from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from antiphon.audio.clip import Clip, Recording, join


def test_a_clip_keeps_its_samples_when_the_array_it_came_from_changes() -> None:
    source = np.array([0.25, -0.5], dtype=np.float32)
    clip = Clip(source, 8000)
    source[0] = 1
    assert clip.samples.tolist() == [0.25, -0.5]


def test_a_read_only_view_of_a_writable_array_is_copied_too() -> None:
    source = np.array([0.25, -0.5, 0.5], dtype=np.float32)
    view = source[:2]
    view.flags.writeable = False
    clip = Clip(view, 8000)
    source[0] = 1
    assert clip.samples.tolist() == [0.25, -0.5]


def test_a_part_of_a_clip_shares_its_memory() -> None:
    clip = Clip(np.linspace(-1, 1, 8000, dtype=np.float32), 8000)
    part = clip.between(0.25, 0.5)
    assert np.shares_memory(clip.samples, part.samples)
    assert (len(part), part.duration_s) == (2000, 0.25)


def test_a_clip_refuses_every_change() -> None:
    clip = Clip([0.0, 0.5], 8000)
    with pytest.raises(AttributeError, match="a clip does not change"):
        clip.rate_hz = 16000
    with pytest.raises(ValueError, match="read-only"):
        clip.samples[0] = 1


@pytest.mark.parametrize(
    ("samples", "rate_hz", "why"),
    [
        ([[0.0, 0.1]], 8000, "a clip is mono"),
        ([0.0], 0, "rate_hz must be a positive whole number, not 0"),
        ([0.0], 16000.5, "rate_hz must be a positive whole number, not 16000.5"),
        ([0.0, float("nan")], 8000, "finite samples only"),
        (np.array([0, 1200], dtype=np.int16), 8000, "use Clip.from_pcm16"),
    ],
)
def test_a_wrong_clip_does_not_travel(samples: object, rate_hz: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Clip(samples, rate_hz)


def test_every_16_bit_value_survives_pcm() -> None:
    pcm = np.arange(-32768, 32768, dtype="<i2").tobytes()
    assert Clip.from_pcm16(pcm, 8000).pcm16() == pcm


def test_loud_samples_are_clipped_and_do_not_wrap() -> None:
    assert np.frombuffer(Clip([1.0, 1.5, -1.0, -7.0], 8000).pcm16(), "<i2").tolist() == [
        32767, 32767, -32768, -32768,
    ]  # fmt: skip


def test_half_a_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="even number of bytes, not 3"):
        Clip.from_pcm16(b"abc", 8000)


def test_the_digest_depends_on_rate_and_samples() -> None:
    digests = {Clip([0.5], 8000).digest, Clip([0.5], 16000).digest, Clip([0.25], 8000).digest}
    assert len(digests) == 3
    assert Clip([0.5], 8000).digest == Clip([0.5 + 1e-6], 8000).digest


def test_clips_travel_between_processes() -> None:
    clip = Clip([0.5, -0.25], 8000)
    for other in (pickle.loads(pickle.dumps(clip)), copy.deepcopy(clip)):
        assert other == clip
        assert not other.samples.flags.writeable


def test_clips_are_equal_by_content_and_work_as_keys() -> None:
    assert {Clip([0.5], 8000): 1}[Clip([0.5], 8000)] == 1
    assert Clip([0.5], 8000) != Clip([0.5], 16000)
    assert Clip([0.5], 8000) != "a clip"


def test_times_beyond_the_clip_are_clamped() -> None:
    clip = Clip(np.zeros(800, dtype=np.float32), 8000)
    assert [len(clip.between(*times)) for times in [(-1, 9), (0.05, 0.02), (5, 6)]] == [800, 0, 0]


def test_joining_needs_one_rate() -> None:
    assert join([Clip([0.5], 8000), Clip([0.25], 8000)]) == Clip([0.5, 0.25], 8000)
    with pytest.raises(ValueError, match=r"different rates \[8000, 16000\]"):
        join([Clip([0.5], 8000), Clip([0.5], 16000)])
    with pytest.raises(ValueError, match="nothing to join"):
        join([])


def test_silence_has_the_length_asked_for() -> None:
    clip = Clip.silence(0.5, 16000)
    assert (len(clip), clip.duration_us, float(np.abs(clip.samples).max())) == (8000, 500_000, 0.0)


def test_the_tracks_of_a_recording_have_one_length() -> None:
    recording = Recording({"user": Clip.silence(1, 8000), "agent": Clip.silence(1, 8000)}, start_us=5)
    assert (recording.rate_hz, recording.duration_s, recording.start_us) == (8000, 1.0, 5)
    with pytest.raises(ValueError, match="share one rate and length"):
        Recording({"user": Clip.silence(1, 8000), "agent": Clip.silence(2, 8000)})
    with pytest.raises(ValueError, match="share one rate and length"):
        Recording({})
