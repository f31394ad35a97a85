from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.report.players import Player, player, waveform

if TYPE_CHECKING:
    from pathlib import Path


def test_a_waveform_is_the_loudest_of_each_part_on_a_square_root_scale() -> None:
    samples = np.zeros(1200, dtype=np.float32)
    samples[10:20] = -1.0  # the second of 120 parts
    samples[1199] = 0.25
    peaks = waveform(Clip(samples, 8000))
    assert (len(peaks), peaks[:3], peaks[-1]) == (120, "A_A", "g")  # sqrt(0.25) of 63 is 32, the letter g
    assert set(peaks[2:-1]) == {"A"}


def test_short_and_empty_clips_have_short_and_empty_waveforms() -> None:
    assert waveform(Clip([0.0, 1.0, 0.0], 8000)) == "A_A"
    assert waveform(Clip([], 8000)) == ""


def test_sound_is_linked_or_put_inside(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    write(path, Clip.silence(0.5, 8000))
    linked = player("agent", path, "../clips/a.flac", "the reply")
    assert linked == Player("agent", "the reply", "../clips/a.flac", 0.5, "A" * 120)
    inside = player("agent", path, "../clips/a.flac", "the reply", embed=True)
    assert base64.b64decode(inside.source.removeprefix("data:audio/flac;base64,")) == path.read_bytes()


def test_lost_and_broken_sounds_say_so(tmp_path: Path) -> None:
    gone = player("person", tmp_path / "a.flac", "../clips/a.flac", "the question")
    assert gone == Player("person", "the question", "", 0.0, problem="the sound is missing: ../clips/a.flac")
    (tmp_path / "b.flac").write_bytes(b"fLaC but not really")
    broken = player("person", tmp_path / "b.flac", "../clips/b.flac", "the question")
    assert broken.problem.startswith("the sound cannot be read: b.flac")
