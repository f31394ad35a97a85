from __future__ import annotations

import json
import os
import subprocess
import sys
import wave
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.realtime import events as e
from antiphon.realtime.live.playout import Frame
from antiphon.realtime.recording.recording import ABOUT, LOG, SOUND, TRANSCRIPT, Recording
from antiphon.realtime.recording.tracks import RATE_HZ
from antiphon.realtime.simulation.recorded import Header, read
from tests.realtime.recording.test_tracks import edges, loud

if TYPE_CHECKING:
    from pathlib import Path

MS = 1000
SESSION = "sess_0123456789abcdef"


def tracks(folder: Path) -> tuple[bytes, bytes]:
    with wave.open(str(folder / SOUND)) as file:
        both = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)
    return both[:, 0].tobytes(), both[:, 1].tobytes()


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / TRANSCRIPT).read_text().splitlines()]


class Played:
    """A recording in virtual time: 20 ms of the person at a time, loud where `person` says so."""

    def __init__(self, folder: Path, *, redact: bool = False, knows_pauses: bool = True) -> None:
        self.troubles: list[str] = []
        self.folder = folder
        self.recording = Recording(
            folder,
            {"session": SESSION},
            Header(SESSION, "default", 0),
            redact=redact,
            knows_pauses=knows_pauses,
            failed=self.troubles.append,
        )

    def run(self, until_ms: int, steps: dict[int, Any], person: list[tuple[int, int]]) -> None:
        for now_ms in range(20, until_ms + 1, 20):
            speaks = any(begin <= now_ms - 20 < end for begin, end in person)
            self.recording.heard(loud(20, 1000 if speaks else 0), now_ms * MS)
            if now_ms in steps:
                steps[now_ms](now_ms * MS)
        self.recording.close(until_ms * MS)

    def says(self, name: str, begin_ms: int, end_ms: int, text: str) -> dict[int, Any]:
        began = e.SpeechStarted(0, name, begin_ms * MS)
        ended = e.SpeechStopped(0, name, end_ms * MS)
        words = e.Words(0, name, text, end_ms * MS, final=True)
        return {
            begin_ms + 80: lambda now: self.recording.stepped(now, [began], []),
            end_ms + 200: lambda now: self.recording.stepped(now, [ended], []),
            end_ms + 700: lambda now: self.recording.stepped(now, [words], []),
        }

    def speaks(self, item: str, begin_ms: int, frames: int, text: str) -> dict[int, Any]:
        """Frames 100 ms ahead of the ear, and the end once all are played."""
        steps: dict[int, Any] = {}
        for n in range(frames):
            frame = Frame(item, 20 * n, loud(20, rate_hz=24_000), 0)
            at_ms = max(begin_ms, begin_ms + 20 * n - 100)
            before = steps.get(at_ms, lambda now: None)
            steps[at_ms] = lambda now, frame=frame, before=before: (
                before(now),
                self.recording.sent(frame, now),
            )
        said = e.Said(item, text, len(text), 20 * frames, "stop")
        steps[begin_ms + 20 * frames] = lambda now: self.recording.stepped(now, [], [said])
        return steps


def test_both_voices_stand_where_they_were_heard(tmp_path):
    played = Played(tmp_path / "r")
    steps = played.says("u1", 1000, 1800, "When?") | played.speaks("item", 2600, 50, "At nine.")
    played.run(5000, steps, [(1000, 1800)])
    person, agent = tracks(tmp_path / "r")
    assert len(person) == len(agent) == 2 * 5 * RATE_HZ
    assert edges(person) == [1000, 1800]
    begin, end = edges(agent)
    assert (begin, abs(end - 3600) <= 2) == (2600, True)
    assert [(row["t_ms"], row["what"], row["text"]) for row in rows(tmp_path / "r")] == [
        (1000, "speech", "When?"),
        (2600, "agent", "At nine."),
    ]
    modes = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "r").iterdir()}
    assert modes == {ABOUT: 0o600, SOUND: 0o600, TRANSCRIPT: 0o600, LOG: 0o600}
    assert (tmp_path / "r").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(("knows_pauses", "heard_ms"), [(True, 500), (False, 600)])
def test_a_pause_is_silence_for_who_holds_the_sound(tmp_path, knows_pauses, heard_ms):
    played = Played(tmp_path / "r", knows_pauses=knows_pauses)
    frame = Frame("item", 0, loud(20, rate_hz=24_000), 0)

    def burst(now: int) -> None:
        for _ in range(30):
            played.recording.sent(frame, now)

    steps = {1000: burst, 1480: lambda now: played.recording.stepped(now, [], [e.Pause("item")])}
    played.run(3000, steps, [])
    begin, end = edges(tracks(tmp_path / "r")[1])
    assert (begin, abs(end - 1000 - heard_ms) <= 2) == (1000, True)


def test_numbers_are_neither_written_nor_heard(tmp_path):
    played = Played(tmp_path / "r", redact=True)
    steps = (
        played.says("u1", 1000, 1800, "Good morning.")  # known at 2500
        | played.says("u2", 4000, 5000, "It is one three nine")
        | played.says("u3", 7000, 8000, "and thank you")
        | played.speaks("i1", 2600, 20, "Your number?")
        | played.speaks("i2", 9000, 40, "So it is 139 1234.")
    )
    played.run(13_000, steps, [(1000, 1800), (4000, 5000), (7000, 8000), (11_500, 12_500)])
    person, agent = tracks(tmp_path / "r")
    assert edges(person) == [1000, 1800, 7000, 8000]  # what no words are known for is not heard either
    begin, end = edges(agent)
    assert (begin, abs(end - 3000) <= 2) == (2600, True)
    written = (tmp_path / "r" / TRANSCRIPT).read_text()
    assert [row["text"] for row in rows(tmp_path / "r")] == [
        "Good morning.", "Your number?", "It is [number]", "and thank you", "So it is [number].",
    ]  # fmt: skip
    assert "139" not in written
    assert json.loads((tmp_path / "r" / ABOUT).read_text())["redacted"] is True
    assert not (tmp_path / "r" / LOG).exists()


def test_nothing_of_a_number_reaches_the_disk_while_its_words_are_unknown(tmp_path):
    played = Played(tmp_path / "r", redact=True)
    seen: list[list[int]] = []
    steps = played.says("u1", 1000, 3000, "one three nine one two three")
    steps |= {at: lambda now: seen.append(edges(tracks(tmp_path / "r")[0])) for at in range(4000, 9000, 500)}
    played.run(9000, steps, [(1000, 3000)])
    assert seen
    assert all(each == [] for each in seen)


def test_an_answer_that_is_never_known_whole_is_not_heard(tmp_path):
    played = Played(tmp_path / "r", redact=True)
    steps = played.speaks("item", 1000, 50, "Never said.")
    del steps[2000]
    played.run(5000, steps, [])
    assert edges(tracks(tmp_path / "r")[1]) == []


def test_a_process_that_is_killed_leaves_sound_that_plays_and_rows_that_read(tmp_path):
    program = """
import os, signal, sys
from pathlib import Path
from antiphon.realtime import events as e
from antiphon.realtime.simulation.recorded import Header
from antiphon.realtime.recording.recording import Recording
recording = Recording(Path(sys.argv[1]), {}, Header("s", "default", 0), redact=False, knows_pauses=True, failed=print)
for n in range(1, 500):
    recording.heard(bytes([1, 0]) * 320, 20_000 * n)
    if n % 50 == 0:
        recording.stepped(20_000 * n, [e.Typed(20_000 * n, f"row {n}")], [])
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "r")], check=False, env=os.environ)
    assert done.returncode == -9
    person, agent = tracks(tmp_path / "r")
    assert len(person) == len(agent) > 2 * RATE_HZ * 8
    assert [row["text"] for row in rows(tmp_path / "r")] == [f"row {n}" for n in range(50, 500, 50)]
    log = tmp_path / "r" / LOG
    log.write_bytes(log.read_bytes() + b'[9980000,"in","Ty')  # killed inside a row
    assert [given.text for given in read(log).inputs] == [f"row {n}" for n in range(50, 500, 50)]


def test_a_disk_that_refuses_ends_the_recording_and_is_told(tmp_path):
    played = Played(tmp_path / "r")
    os.close(played.recording._rows)
    played.recording._rows = os.open("/dev/full", os.O_WRONLY)
    played.recording.stepped(0, [e.Typed(0, "hello")], [])
    played.recording.stepped(1, [e.Typed(1, "hello")], [])
    played.recording.close(2)
    assert played.troubles == ["the recording ends: No space left on device"]
