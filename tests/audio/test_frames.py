from __future__ import annotations

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.frames import Frame, from_frames, samples_in, to_frames


def test_every_frame_has_20_ms_and_the_last_says_what_was_added() -> None:
    clip = Clip(np.full(700, 0.5, dtype=np.float32), 16000)
    frames = list(to_frames(clip))
    assert [(len(frame.pcm), frame.padding) for frame in frames] == [(640, 0), (640, 0), (640, 260)]
    assert frames[-1].pcm[-520:] == bytes(520)
    assert frames[-1].pcm[:120] == clip.pcm16()[1280:]


@pytest.mark.parametrize("length", [1, 319, 320, 321, 5000])
def test_frames_give_back_the_clip(length: int) -> None:
    clip = Clip(np.linspace(-1, 1, length, dtype=np.float32), 16000)
    assert from_frames(to_frames(clip)).digest == clip.digest


def test_a_whole_number_of_frames_has_no_padding() -> None:
    assert [frame.padding for frame in to_frames(Clip.silence(0.04, 8000))] == [0, 0]


def test_an_empty_clip_has_no_frames() -> None:
    assert list(to_frames(Clip([], 16000))) == []


@pytest.mark.parametrize(("rate_hz", "samples"), [(8000, 160), (16000, 320), (22050, 441), (24000, 480)])
def test_samples_of_a_frame(rate_hz: int, samples: int) -> None:
    assert samples_in(20, rate_hz) == samples


def test_a_frame_of_a_broken_number_of_samples_is_refused() -> None:
    with pytest.raises(ValueError, match="20 ms at 11025 Hz is no whole number of samples"):
        list(to_frames(Clip.silence(1, 11025)))
    with pytest.raises(ValueError, match="0 ms at 16000 Hz"):
        samples_in(0, 16000)


def test_frames_of_several_rates_or_none_are_no_clip() -> None:
    with pytest.raises(ValueError, match=r"these have \[8000, 16000\]"):
        from_frames([Frame(bytes(320), 8000), Frame(bytes(640), 16000)])
    with pytest.raises(ValueError, match="these have none"):
        from_frames([])
