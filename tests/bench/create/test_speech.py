from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.audio.files import decode, write
from antiphon.bench.create.draft import Draft, Mark
from antiphon.bench.create.gauges import Gauges
from antiphon.bench.create.speech import Speaker
from antiphon.cache import Store
from antiphon.clock import VirtualClock
from antiphon.errors import ModelError
from antiphon.jsonl import from_row
from antiphon.models.ports import SpeechChunk, Transcript
from antiphon.models.scripted_instruments import ScriptedSynthesizer
from antiphon.models.scripted_sound import tone, words_in
from antiphon.stage.outcome import Failed, Made
from tests.bench.create.studio import Scorer, draft

if TYPE_CHECKING:
    from pathlib import Path

VOICES = ("a", "b", "c")


class Mumbling(ScriptedSynthesizer):
    """Some voices say something else; the tone's words are what is heard."""

    def __init__(self, said: dict[str, str]) -> None:
        super().__init__(VirtualClock())
        self.name = "mumbling"
        self.asked: list[tuple[str, int]] = []
        self._said = said

    async def stream(self, text, voice, context):
        words = "".join([piece async for piece in text])
        self.asked.append((voice.name, voice.seed))
        yield SpeechChunk(tone(self._said.get(voice.name, words), 0.1, 16_000), len(words), False)


class Hearing:
    """Hears the words of a tone."""

    name = "hearing"

    async def transcribe(self, clips, language):
        return [Transcript(words_in(clip) or "", language) for clip in clips]


def speaker(folder: Path, said: dict[str, str], gauges: Gauges | None = None) -> Speaker:
    return Speaker(Mumbling(said), Hearing(), gauges or Gauges(), {}, 0, Store(folder))


async def spoken(made: Speaker, one: Draft) -> Draft:
    (outcome,) = await made([one])
    assert isinstance(outcome, Made)
    found = from_row(outcome.row, Draft)
    (data,) = outcome.blobs.values()
    assert decode(data, "clip").digest == found.spoken.clip
    return found


async def test_a_question_that_is_heard_as_written_is_kept_at_once(tmp_path: Path):
    made = speaker(tmp_path, {})
    done = await spoken(made, draft(voices=VOICES))
    assert (done.spoken.voice, done.spoken.attempts, done.spoken.equal, done.marks) == ("a", 1, True, ())
    assert len(made.synthesizer.asked) == 1


async def test_a_mismatch_is_spoken_again_by_the_next_voice_with_another_seed(tmp_path: Path):
    made = speaker(tmp_path, {"a": "法国的守都", "b": "法国"})
    done = await spoken(made, draft(voices=VOICES))
    assert (done.spoken.voice, done.spoken.attempts, done.spoken.heard) == ("c", 3, "法国的首都是哪里？")
    assert len({seed for _, seed in made.synthesizer.asked}) == 3
    assert done.marks == ()


async def test_when_none_is_equal_the_nearest_is_kept_for_review(tmp_path: Path):
    made = speaker(tmp_path, {"a": "法国", "b": "法国的首都是哪儿？", "c": "国"})
    done = await spoken(made, draft(voices=VOICES))
    assert (done.spoken.voice, done.spoken.equal, done.spoken.attempts) == ("b", False, 3)
    assert done.marks == (
        Mark("speech", "review", "heard differently in 1 places after 3 tries: '法国的首都是哪儿？'"),
    )


async def test_another_take_has_other_seeds(tmp_path: Path):
    seeds = []
    for take in (0, 1):
        made = speaker(tmp_path / str(take), {})
        await spoken(made, draft(voices=VOICES, take=take))
        seeds += made.synthesizer.asked
    assert seeds[0] != seeds[1]


async def test_a_prompt_voice_speaks_from_its_clip_and_the_words_in_it(tmp_path: Path):
    class Cloning(Mumbling):
        async def stream(self, text, voice, context):
            self.voice = voice
            async for chunk in super().stream(text, voice, context):
                yield chunk

    write(tmp_path / "p.wav", tone("提示", 0.2, 16_000))
    prompts = {"p.wav@1": (str(tmp_path / "p.wav"), "提示")}
    made = Speaker(Cloning({}), Hearing(), Gauges(), prompts, 0, Store(tmp_path / "cache"))
    done = await spoken(made, draft(voices=("p.wav@1",)))
    voice = made.synthesizer.voice
    assert (voice.name, words_in(voice.prompt), voice.prompt_text) == ("", "提示", "提示")
    assert done.spoken.voice == "p.wav@1"


async def test_sound_that_was_made_before_is_not_made_again(tmp_path: Path):
    await spoken(speaker(tmp_path, {}), draft(voices=VOICES))
    again = speaker(tmp_path, {})
    await spoken(again, draft(voices=VOICES))
    assert again.synthesizer.asked == []


@pytest.mark.parametrize(
    ("felt", "marks"),
    [
        (0.81, ()),
        (0.8, (Mark("speech", "review", "P(sad) is 0.80, not over 0.8"),)),
    ],
)
async def test_the_wanted_emotion_must_be_heard(tmp_path: Path, felt: float, marks: tuple[Mark, ...]):
    gauges = Gauges(None, Scorer(angry=0.0, happy=0.0, neutral=1 - felt, sad=felt, surprised=0.0))
    one = draft(voices=VOICES, subset="emotion", emotion="sad", answer="")
    done = await spoken(speaker(tmp_path, {}, gauges), one)
    assert (done.spoken.feeling, done.spoken.attempts) == (felt, 3 if marks else 1)
    assert done.marks == marks


async def test_an_emotion_that_nobody_can_hear_is_unverified_and_not_tried_again(tmp_path: Path):
    one = draft(voices=VOICES, subset="emotion", emotion="sad", answer="")
    done = await spoken(speaker(tmp_path, {}), one)
    assert (done.spoken.feeling, done.spoken.attempts) == (None, 1)
    assert [(mark.kind, mark.reason.split(":")[0]) for mark in done.marks] == [
        ("unverified", "P(sad) not measured")
    ]


@pytest.mark.parametrize("transient", [True, False])
async def test_a_model_that_fails_is_the_drafts_failure(tmp_path: Path, transient: bool):
    class Failing(Hearing):
        async def transcribe(self, clips, language):
            raise ModelError("ears", "broken", transient=transient)

    made = Speaker(Mumbling({}), Failing(), Gauges(), {}, 0, Store(tmp_path))
    assert await made([draft(voices=VOICES)]) == [Failed("ears: broken", transient)]
