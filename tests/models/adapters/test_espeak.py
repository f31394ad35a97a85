from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.models.adapters import espeak
from antiphon.models.ports import SpeechContext, Voice, speak
from antiphon.models.uri import parse

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

# Writes the WAV in $WAV for every clause but "mute", and notes its arguments and input.
_PROGRAM = """#!/bin/sh
[ "$1" = --version ] && { echo "eSpeak NG text-to-speech: 1.51"; exit; }
read -r text
echo "$@ < $text" >> "$CALLS"
case "$text" in *broken*) echo "no such voice" >&2; exit 1;; *mute*) exit 0;; esac
cat "$WAV"
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """An espeak-ng in front of the real one; call it for the lines of its calls."""
    import numpy as np
    import soundfile

    (tmp_path / "espeak-ng").write_text(_PROGRAM)
    (tmp_path / "espeak-ng").chmod(0o755)
    soundfile.write(tmp_path / "said.wav", np.full(2205, 0.5), 22_050, subtype="PCM_16")
    monkeypatch.setenv("WAV", str(tmp_path / "said.wav"))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "calls").touch()
    return (tmp_path / "calls").read_text


async def one(text: str) -> AsyncGenerator[str, None]:
    yield text


async def test_text_goes_in_by_pipe_and_sound_comes_out(calls: Callable[[], str]) -> None:
    voice = espeak.open_synthesizer(parse("espeak:en-gb?speed=160"), VirtualClock())
    assert voice.name == "espeak:en-gb speed=160 (espeak-ng 1.51)"
    clip = await speak(voice, "Hello there; rm -rf $HOME")
    assert (clip.rate_hz, clip.samples[0]) == (22_050, 0.5)
    assert "-v en-gb -s 160 --stdout --stdin -b 1 < Hello there" in calls()


async def test_the_rate_cue_changes_the_speed(calls: Callable[[], str]) -> None:
    voice = espeak.open_synthesizer(parse("espeak:"), VirtualClock())
    context = SpeechContext(cues={"rate": 2.0})
    assert [chunk.chars async for chunk in voice.stream(one("Hello."), Voice(), context)] == [6]
    assert calls() == "-v en-us -s 350 --stdout --stdin -b 1 < Hello.\n"


@pytest.mark.parametrize(
    ("wish", "context", "problem"),
    [
        (Voice("en; ls"), SpeechContext(), "no voice 'en; ls'"),
        (Voice("--help"), SpeechContext(), "no voice '--help'"),
        (Voice(style="sad"), SpeechContext(), "preset voices only"),
        (Voice(), SpeechContext(cues={"emotion": "sad"}), "no espeak cue 'emotion'; there are: rate"),
        (Voice(), SpeechContext(cues={"rate": 9.0}), "rate must be a number from 0.5 to 2"),
    ],
)
async def test_what_espeak_cannot_do_is_refused(
    calls: Callable[[], str], wish: Voice, context: SpeechContext, problem: str
) -> None:
    voice = espeak.open_synthesizer(parse("espeak:"), VirtualClock())
    with pytest.raises(ConfigError, match=problem):
        await anext(voice.stream(one("Hello."), wish, context))
    assert calls() == ""


async def test_a_failing_program_and_a_silent_one_are_errors(calls: Callable[[], str]) -> None:
    voice = espeak.open_synthesizer(parse("espeak:"), VirtualClock())
    with pytest.raises(ModelError, match="no such voice"):
        await speak(voice, "broken")
    with pytest.raises(ModelError, match="no sound"):
        await speak(voice, "mute")


def test_without_the_program_the_message_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError) as caught:
        espeak.open_synthesizer(parse("espeak:"), VirtualClock())
    assert str(caught.value) == "the program espeak-ng is missing; apt install espeak-ng"


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
async def test_the_real_program_speaks() -> None:
    clip = await speak(espeak.open_synthesizer(parse("espeak:en-us"), VirtualClock()), "Hello, world.")
    assert 0.5 < clip.duration_s < 3
