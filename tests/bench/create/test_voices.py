from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.audio.files import decode, write
from antiphon.bench.create.gauges import Gauges
from antiphon.bench.create.voices import SAMPLE, Audition, VoiceProfile, VoiceSource, open_audition, sources
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, DataError
from antiphon.jsonl import from_row
from antiphon.models.scripted_instruments import ScriptedSynthesizer
from antiphon.models.scripted_sound import tone, words_in
from tests.bench.create.studio import Scorer

if TYPE_CHECKING:
    from pathlib import Path


def test_presets_are_named_or_the_synthesizers_own():
    assert sources("a, b", "scripted:", ["zh"]) == [VoiceSource("a", "preset"), VoiceSource("b", "preset")]
    assert sources(None, "scripted:", ["zh"]) == [VoiceSource("", "preset")]
    ours = sources(None, "kokoro:", ["zh", "en"])
    assert {voice.language for voice in ours} == {"zh", "en"}
    assert "zf_xiaoni" not in {voice.name for voice in ours}  # the slurred one


def test_prompt_clips_are_named_by_file_and_content(tmp_path: Path):
    for name in ("b.wav", "a.flac"):
        write(tmp_path / name, tone(name, 0.2, 16_000))
    (tmp_path / "notes.txt").touch()
    (tmp_path / "voices.csv").write_text("file,emotion,text\na.flac,Sad,你好。\n")
    one, two = sources(str(tmp_path), "kokoro:", ["zh"])
    assert (one.name.split("@")[0], one.origin, one.emotion) == ("a.flac", "prompt", "sad")
    assert (one.text, two.text) == ("你好。", "")
    assert (two.name.split("@")[0], two.emotion) == ("b.wav", "")
    write(tmp_path / "a.flac", tone("other", 0.2, 16_000))
    assert sources(str(tmp_path), "kokoro:", ["zh"])[0].name != one.name


def test_wrong_voices_are_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="no folder 'x/y'"):
        sources("x/y", "kokoro:", ["zh"])
    with pytest.raises(ConfigError, match="holds no prompt clips"):
        sources(str(tmp_path), "kokoro:", ["zh"])
    write(tmp_path / "a.wav", tone("a", 0.2, 16_000))
    (tmp_path / "voices.csv").write_text("file,emotion\nb.wav,sad\n")
    with pytest.raises(DataError, match=r"voices.csv:2 file: no sound file 'b.wav' beside it"):
        sources(str(tmp_path), "kokoro:", ["zh"])
    (tmp_path / "voices.csv").write_text("file,emotion\na.wav,bored\n")
    with pytest.raises(DataError, match=r"voices.csv:2 emotion: 'bored' is not among angry"):
        sources(str(tmp_path), "kokoro:", ["zh"])


async def test_a_preset_is_heard_in_a_sentence_and_a_prompt_as_it_is(tmp_path: Path):
    write(tmp_path / "a.wav", tone("提示", 0.2, 16_000))
    (prompt,) = sources(str(tmp_path), "scripted:", ["zh"])
    gauges = Gauges(Scorer(utmos=3.6), Scorer(angry=0.1, happy=0.1, neutral=0.7, sad=0.1, surprised=0.0))
    audition = Audition(ScriptedSynthesizer(VirtualClock()), gauges, 0)
    made = await audition([VoiceSource("v", "preset", "zh"), prompt])
    profiles = [from_row(one.row, VoiceProfile) for one in made]
    said = [words_in(decode(next(iter(one.blobs.values())), "clip")) for one in made]
    assert said == [SAMPLE["zh"], "提示"]
    assert [(one.name.split("@")[0], one.origin, one.mos) for one in profiles] == [
        ("v", "preset", 3.6), ("a.wav", "prompt", 3.6),
    ]  # fmt: skip
    assert profiles[0].emotions == {"angry": 0.1, "happy": 0.1, "neutral": 0.7, "sad": 0.1, "surprised": 0.0}


async def test_what_was_not_measured_says_why():
    async with open_audition("scripted:", (), 0) as audition:
        (made,) = await audition([VoiceSource("", "preset")])
    profile = from_row(made.row, VoiceProfile)
    assert (profile.mos, profile.mos_why) == (None, "no UTMOS was given (--scorer URI)")
    assert (profile.emotions, bool(profile.emotions_why)) == ({}, True)


async def test_a_prompt_that_vanished_is_a_failure_to_be_repeated(tmp_path: Path):
    audition = Audition(ScriptedSynthesizer(VirtualClock()), Gauges(), 0)
    (failed,) = await audition([VoiceSource("a", "prompt", file=str(tmp_path / "a.wav"))])
    assert (failed.reason, failed.transient) == (f"{tmp_path / 'a.wav'}: no such file", True)
