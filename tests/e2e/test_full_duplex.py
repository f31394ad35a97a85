"""`antiphon run --suite full-duplex` against the engine of this process: speech in, speech out, in real time."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from antiphon.audio.clip import Clip, join
from antiphon.audio.files import read, write
from antiphon.audio.resample import resample
from antiphon.bench.folder import load
from tests.cli.commands import antiphon

pytest.importorskip("starlette")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_cache"), pytest.mark.timeout(180)]
ENGINE = "engine:?system=cascade:%3Ftranscriber=scripted:%3Ftext=Where is it?%26chat=scripted:echo%26synthesizer=espeak:"


def say(text: str, path: Path) -> Clip:
    subprocess.run(["espeak-ng", "-w", str(path), text], check=True)
    return resample(read(path), 16_000)


def test_an_answer_is_kept_in_time_and_measured_after_a_question(tmp_path: Path):
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    spoken = say("Could you tell me where the harbour is, please?", tmp_path / "a.wav")
    place = tmp_path / "fdb" / "candor_turn_taking" / "1"
    place.mkdir(parents=True)
    write(place / "input.wav", join([Clip.silence(0.3, 16_000), spoken, Clip.silence(1.0, 16_000)]))
    end_s = 0.3 + spoken.duration_s
    (place / "turn_taking.json").write_text(json.dumps([{"text": "", "timestamp": [end_s, end_s]}]), "utf-8")
    done = antiphon(
        "run", "--suite", "full-duplex", "--version", "1.0", "--data", tmp_path / "fdb", "--system", ENGINE,
        "--transcriber", "scripted:?text=yes", "--out", tmp_path / "run",
    )  # fmt: skip
    assert done.code == 0, done.err
    results = load(tmp_path / "run")
    (take,) = results.takes.values()
    assert take.replies[0].text == "Where is it?"
    ((start_s, agent_end_s),) = results.voiced[take.tracks["agent"]].spans
    assert end_s - 0.5 < start_s < end_s + 6.0  # the voice leaves some silence at the end of its clip
    assert 0.4 < agent_end_s - start_s < 2.5
    page = (tmp_path / "run" / "report" / "index.html").read_text("utf-8")
    assert 'class="lanes"' in page
