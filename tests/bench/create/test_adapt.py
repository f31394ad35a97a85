from __future__ import annotations

import pytest

from antiphon.bench.create.adapt import Adapt, changed
from tests.bench.create.studio import draft, writer


async def test_a_question_is_reworded_and_its_answer_is_not():
    done = await Adapt(writer(("问题：法国的首都是哪里？", "问题：请问法国的首都在哪儿？"))).perform(draft())
    assert (done.question, done.answer, done.marks) == ("请问法国的首都在哪儿？", "巴黎", ())
    assert done.steps[0].before == "法国的首都是哪里？"


@pytest.mark.parametrize(
    ("question", "reworded", "why"),
    [
        ("一千二百加三百是多少？", "1200加30等于几？", "its numbers differ"),
        ("法国的首都是哪里？", "法国的首都是不是巴黎？", "it gives the answer away"),
        ("法国的首都是哪里？", "What is the capital of France?", "it is not Mandarin"),
        ("法国的首都是哪里？", "？", "it is not Mandarin"),
        ("法国的首都是哪里？", "请你" + "好好想一想" * 8 + "，法国的首都是哪里？", "it is much longer"),
    ],
)
async def test_rewording_that_breaks_something_is_reviewed_and_not_taken(
    question: str, reworded: str, why: str
):
    done = await Adapt(writer(("*", f"问题：{reworded}"))).perform(draft(question))
    assert done.question == question
    assert [(mark.stage, mark.kind) for mark in done.marks] == [("adapt", "review")]
    assert done.marks[0].reason.startswith(f"not adapted, {why}: ")


async def test_an_answer_that_cannot_be_read_is_reviewed():
    done = await Adapt(writer(("*", "请问法国的首都在哪儿？"))).perform(draft())
    assert done.marks[0].reason == "not adapted: a line that nobody asked for: '请问法国的首都在哪儿？'"


def test_the_same_number_written_otherwise_is_the_same():
    assert changed(draft("1200加300是多少？", "1500"), "一千二百加上三百等于多少？") is None
    assert changed(draft("一下子能装多少水？", ""), "一次能装多少水？") is None


def test_an_answer_that_stood_in_the_question_may_stand_there_again():
    assert changed(draft("巴黎和里昂哪个大？", "巴黎"), "巴黎和里昂，哪个更大？") is None


def test_instructions_and_mixed_speech_keep_their_words():
    assert Adapt.wants(draft())
    assert not Adapt.wants(draft(subset="instruction_following"))
    assert not Adapt.wants(draft(subset="cs_knowledge"))
    assert not Adapt.wants(draft(language="en"))
