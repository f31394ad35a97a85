from __future__ import annotations

import numpy as np

from antiphon.audio.clip import Clip, join
from antiphon.audio.files import decode, encode
from antiphon.models.scripted_sound import tone, words_in

CLIP = Clip([0.25, -0.25, 0.5], 16_000)


def test_a_tone_keeps_its_words_through_a_lossless_file_and_loses_them_in_noise():
    clip = join([tone("你好，", 0.2, 16_000), tone("world", 0.1, 16_000)])
    assert words_in(decode(encode(clip, "flac"), "x")) == "你好，world"
    assert words_in(Clip(clip.samples * 0.5, 16_000)) is None
    assert words_in(CLIP) is None
    assert words_in(Clip([], 16_000)) is None


def test_a_tone_grows_until_its_words_fit():
    assert words_in(tone("字" * 100, 0.0, 8000)) == "字" * 100


def test_a_tone_is_audible_and_the_same_each_time():
    clip = tone("hi", 0.5, 16_000)
    assert clip == tone("hi", 0.5, 16_000) != tone("ho", 0.5, 16_000)
    assert (clip.duration_s, clip.rate_hz) == (0.5, 16_000)
    crossings = int((np.diff(np.signbit(clip.samples)) != 0).sum())
    assert abs(crossings - 220) <= 2  # 220 Hz for half a second crosses zero 220 times
