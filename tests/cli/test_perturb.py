from __future__ import annotations

from pathlib import Path

import numpy as np

from antiphon.audio.background import open_corpus
from antiphon.audio.clip import Clip
from antiphon.audio.files import read, write
from antiphon.audio.perturb import apply, from_text
from tests.cli.commands import antiphon

SPEECH = Clip(0.2 * np.sin(np.arange(8_000) * np.linspace(0.1, 0.5, 8_000)), 8_000)


def test_a_file_is_written_as_its_recipes_leave_it(tmp_path: Path) -> None:
    write(tmp_path / "in.wav", SPEECH)
    done = antiphon(
        "perturb", tmp_path / "in.wav", tmp_path / "out.flac",
        "--recipe", "far_field:cutoff_hz=800", "--recipe", "white_noise:snr_db=5", "--seed", "3",
    )  # fmt: skip
    assert done.code == 0
    assert done.out == (
        f"{tmp_path / 'out.flac'}: 1.00 s at 8000 Hz, far_field:cutoff_hz=800 then white_noise:snr_db=5, seed 3\n"
    )
    clip = read(tmp_path / "in.wav")
    for text in ("far_field:cutoff_hz=800", "white_noise:snr_db=5"):
        clip = apply(from_text(text), clip, 3)
    assert read(tmp_path / "out.flac").pcm16() == clip.pcm16()


def test_background_noise_can_be_the_users(tmp_path: Path) -> None:
    write(tmp_path / "in.wav", SPEECH)
    write(tmp_path / "noise" / "hum.wav", Clip([0.5, -0.5] * 400, 8_000))
    done = antiphon(
        "perturb", tmp_path / "in.wav", tmp_path / "out.wav",
        "--recipe", "background_noise:snr_db=0", "--noise", tmp_path / "noise", "--json",
    )  # fmt: skip
    assert done.json == {
        "out": str(tmp_path / "out.wav"),
        "duration_s": 1.0,
        "rate_hz": 8_000,
        "seed": 0,
        "recipes": [
            {"name": "background_noise", "snr_db": 0.0, "noise": open_corpus(tmp_path / "noise").name}
        ],
    }
    assert read(tmp_path / "out.wav") != read(tmp_path / "in.wav")


def test_what_cannot_be_done_is_said_in_one_line(tmp_path: Path) -> None:
    write(tmp_path / "in.wav", Clip.silence(1, 8_000))
    for recipe, complaint in {
        "white_noise:snr_db=5": f"antiphon: {tmp_path / 'in.wav'}: white_noise:snr_db=5: silence has no signal-to-noise ratio",
        "far_field:cutoff_hz=5000": f"antiphon: {tmp_path / 'in.wav'}: far_field:cutoff_hz=5000: cutoff_hz must lie between 0 and half the rate of 8000 Hz, not 5000.0",
        "echo": "antiphon: no perturbation 'echo'; there are: background_noise, clipping, far_field, packet_loss, reverberation, white_noise",
    }.items():
        done = antiphon("perturb", tmp_path / "in.wav", tmp_path / "out.wav", "--recipe", recipe)
        assert (done.code, done.err.strip()) == (2, complaint)
    assert not (tmp_path / "out.wav").exists()
