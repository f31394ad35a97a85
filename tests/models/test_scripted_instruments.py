from __future__ import annotations

import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import VirtualClock
from antiphon.errors import ModelError
from antiphon.models.ports import SpeechContext, TimedWord, Transcript, Voice, speak
from antiphon.models.scripted_instruments import open_scorer, open_synthesizer, open_transcriber
from antiphon.models.scripted_sound import tone
from antiphon.models.uri import parse

CLIP = Clip([0.25, -0.25, 0.5], 16_000)


async def test_a_voice_takes_60_ms_a_character_and_is_heard_again():
    clock = VirtualClock()
    voice = open_synthesizer(parse("scripted:?rate_hz=16000&delay_ms=5"), clock)
    clip = await speak(voice, "一二三四五")
    assert (clip.duration_s, clip.rate_hz, clock.mono_us()) == (0.3, 16_000, 5000)
    ears = open_transcriber(parse("scripted:?delay_ms=2"), clock)
    assert await ears.transcribe([clip], "zh") == [Transcript("一二三四五", "zh")]
    assert clock.mono_us() == 7000


async def test_each_piece_of_text_is_one_chunk():
    async def text():
        for piece in ("ab", "", "c"):
            yield piece

    stream = open_synthesizer(parse("scripted:"), VirtualClock()).stream(text(), Voice(), SpeechContext())
    assert [(chunk.chars, chunk.estimated) async for chunk in stream] == [(2, False), (1, False)]


async def test_other_clips_need_a_row_or_a_text(tmp_path):
    path = tmp_path / "heard.jsonl"
    path.write_text(f'{{"clip": "{CLIP.digest}", "text": "known", "language": "en"}}', "utf-8")
    table = open_transcriber(parse(f"scripted:{path}"), VirtualClock())
    assert await table.transcribe([CLIP], None) == [Transcript("known", "en")]
    fixed = open_transcriber(parse("scripted:?text=always"), VirtualClock())
    assert await fixed.transcribe([CLIP], "zh") == [Transcript("always", "zh")]
    assert len({table.name, fixed.name}) == 2
    assert table.name.startswith("scripted:transcriber@")
    with pytest.raises(ModelError, match="the script has no words for clip"):
        await open_transcriber(parse("scripted:"), VirtualClock()).transcribe([CLIP], None)


async def test_scores_depend_on_the_sound_and_are_labelled():
    scorer = open_scorer(parse("scripted:?names=a,b"), VirtualClock())
    first, again, other = await scorer.score([CLIP, CLIP, tone("x", 0.1, 8000)])
    assert first == again != other
    assert set(first) == {"a", "b"}
    assert all(1 <= value <= 5 for value in first.values())
    assert (scorer.name, scorer.names) == ("scripted:scorer a,b", ("a", "b"))


async def test_words_are_spread_over_the_clip_where_times_are_asked_for():
    ears = open_transcriber(parse("scripted:?text=one+two&words=1"), VirtualClock())
    (heard,) = await ears.transcribe([Clip.silence(2.0, 16_000)], "en")
    assert heard == Transcript("one two", "en", (TimedWord("one", 0.0, 1.0), TimedWord("two", 1.0, 2.0)))
    assert ears.name.endswith(" words=1")
