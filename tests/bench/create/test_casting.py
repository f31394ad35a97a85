from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.bench.create.casting import cast, doubts, refusal
from antiphon.bench.create.voices import VoiceProfile
from tests.bench.create.studio import draft

PRESET = VoiceProfile("v", "preset", "ab", 2.0, mos_why="no UTMOS was given")
CLEAN = VoiceProfile("c", "prompt", "cd", 2.0, mos=3.6)
VOICES = [VoiceProfile(name, "preset", name, 2.0) for name in "abcdef"]


def test_a_draft_tries_its_voices_in_an_order_of_its_own():
    one = cast(draft(), VOICES, {}, 4, 0)
    assert len(set(one.voices)) == 4
    assert cast(draft(), VOICES, {}, 4, 0) == one
    others = {cast(draft(id=str(number)), VOICES, {}, 4, 0).voices for number in range(10)}
    assert len(others) > 1


def test_a_voice_that_leaves_moves_no_other():
    before = cast(draft(), VOICES, {}, 6, 0).voices
    after = cast(draft(), VOICES, {before[2]: "never"}, 5, 0).voices
    assert after == before[:2] + before[3:]


def test_another_take_begins_behind_the_voices_that_were_tried():
    first = cast(draft(), VOICES, {}, 2, 0).voices
    second = cast(draft(take=1), VOICES, {}, 2, 0).voices
    assert not set(first) & set(second)


def test_fewer_voices_than_attempts_come_again():
    assert cast(draft(), VOICES[:1], {}, 3, 0).voices == ("a", "a", "a")


@pytest.mark.parametrize(
    ("subset", "mos", "hearing", "why"),
    [
        ("general_knowledge", 3.5, None, "UTMOS is not over 3.5"),
        ("general_knowledge", 3.51, None, None),
        ("general_knowledge", None, None, None),  # nobody knows: allowed, and doubted
        ("general_knowledge", 4.0, "full", "a listener found it not clean"),
        ("creativity", 4.0, "never", "a listener refused it"),
        ("single_round", 1.5, "full", None),
        ("single_round", 4.0, "never", "a listener refused it"),
    ],
)
def test_the_clean_set_is_over_3_5_and_listened_to(
    subset: str, mos: float | None, hearing: str | None, why: str | None
):
    heard = {"c": hearing} if hearing else {}
    assert refusal(draft(subset=subset), replace(CLEAN, mos=mos), heard) == why


@pytest.mark.parametrize(
    ("emotion", "felt", "why"),
    [
        ("sad", 0.9, "P(sad) is not over 0.9"),
        ("sad", 0.91, None),
        ("angry", 0.99, "it is no sad prompt"),
        ("sad", None, None),
    ],
)
def test_an_emotional_question_takes_a_prompt_that_sounds_so(
    emotion: str, felt: float | None, why: str | None
):
    one = draft(subset="emotion", emotion="sad")
    voice = replace(CLEAN, emotion=emotion, emotions={} if felt is None else {"sad": felt})
    assert refusal(one, voice, {}) == why


def test_a_draft_without_a_voice_is_blocked_with_the_reasons():
    done = cast(draft(), [replace(CLEAN, mos=2.0), replace(PRESET, name="w")], {"w": "full"}, 4, 0)
    assert (done.blocked, done.voices) == (True, ())
    assert done.marks[0].reason == "no voice: UTMOS is not over 3.5; a listener found it not clean"
    english = cast(draft(language="en"), [replace(CLEAN, language="zh")], {}, 4, 0)
    assert english.marks[0].reason == "no voice: none speaks its language"


def test_what_nobody_found_out_about_a_voice_is_said():
    assert doubts(draft(), CLEAN, {"c": "clean"}) == []
    assert doubts(draft(), PRESET, {}) == [
        "UTMOS of voice v not measured: no UTMOS was given", "voice v not listened to",
    ]  # fmt: skip
    assert doubts(draft(subset="single_round"), PRESET, {}) == []
    sad = draft(subset="emotion", emotion="sad")
    assert doubts(sad, PRESET, {}) == ["preset voice v instead of a prompt that sounds sad"]
    assert doubts(sad, replace(CLEAN, emotions={"sad": 0.95}), {}) == []
    assert doubts(sad, replace(CLEAN, emotions_why="none given"), {}) == [
        "P(sad) of the prompt not measured: none given"
    ]
