"""benchmarks/serving.py and benchmarks/sessions.py measure a real server over its socket."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def ran(name: str, *arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, FOLDER / name, *arguments, "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr  # a busy machine may be slow
    return json.loads(done.stdout)


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="no espeak-ng here")
def test_pauses_and_answers_are_timed_from_the_sound_itself():
    (row,) = ran("serving.py", "--trials", "1")
    assert (row["voice"], row["trials"]) == ("espeak:en-us", 1)
    assert 0 < row["overlap_to_pause_ms_p50"] < 2000
    assert 160 < row["end_of_speech_to_audio_ms_p50"] < 5000


def test_sessions_that_speak_at_once_are_counted_with_how_late_their_frames_are():
    row = ran("sessions.py", "--sessions", "3", "--seconds", "3")
    assert (row["sessions"], row["vad"]) == (3, "energy")
    assert row["frames"] > 200
    assert row["late_ms_p50"] < 0
    assert 0 < row["core_share"] < 1
