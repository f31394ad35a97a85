from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.bench.create.choices import Choices, with_options
from antiphon.errors import ModelError
from antiphon.models.scripted import Failure, Line, ScriptedChat
from tests.bench.create.studio import draft, judge, writer

CHOICE = draft("法国的首都是哪座城市？", "巴黎", options=("里昂", "巴黎", "尼斯。"), right=1)


async def test_a_question_that_is_answered_without_its_options_loses_them():
    done = await Choices(writer(("*", "巴黎。")), None).perform(CHOICE)
    assert (done.question, done.answer, done.options, done.right) == (CHOICE.question, "巴黎", (), None)
    assert done.steps[0].note == "answered without its options: it says the answer"
    assert done.marks == ()


async def test_one_that_is_answered_wrongly_says_its_options():
    done = await Choices(writer(("*", "里昂。")), judge("错误")).perform(CHOICE)
    assert done.question == "法国的首都是哪座城市？里昂、巴黎还是尼斯？"
    assert (done.answer, done.options, done.marks) == ("巴黎", (), ())


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("下列城市中，哪个是法国的首都？", "下列城市中，哪个是法国的首都？里昂、巴黎还是尼斯？"),
        (
            "Which of the following is in France?",
            "Which of the following is in France?？里昂、巴黎还是尼斯？",
        ),
    ],
)
async def test_a_question_that_points_to_its_options_keeps_them_unasked(question: str, sentence: str):
    nobody = writer()  # whoever asks it fails
    done = await Choices(nobody, None).perform(replace(CHOICE, question=question))
    assert done.question == sentence.replace("?？", "？")
    assert done.steps[0].note.startswith("it points to its options: ")


async def test_without_a_verdict_the_options_stay_and_nobody_calls_it_free():
    done = await Choices(writer(("*", "里昂。")), None).perform(CHOICE)
    assert done.question.endswith("里昂、巴黎还是尼斯？")
    assert [(mark.kind, mark.reason.split(":")[0]) for mark in done.marks] == [("unverified", "options kept")]


async def test_a_judge_that_may_answer_later_is_asked_again_later():
    down = judge("正确")
    lines = [Line(error=Failure("503", transient=True))]
    down.chat.__dict__.update(ScriptedChat("judge", lines, down.chat._clock).__dict__)
    with pytest.raises(ModelError) as caught:
        await Choices(writer(("*", "里昂。")), down).perform(CHOICE)
    assert caught.value.transient


def test_options_are_one_sentence_in_either_language():
    assert with_options("哪个最大?", ("木星", "火星"), "zh") == "哪个最大？木星还是火星？"
    assert with_options("Which is largest?", ("Mars", "Jupiter", "Venus."), "en") == (
        "Which is largest? Mars, Jupiter or Venus?"
    )


def test_only_drafts_with_options_are_wanted():
    assert Choices.wants(CHOICE)
    assert not Choices.wants(draft())
