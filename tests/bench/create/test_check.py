from __future__ import annotations

import pytest

from antiphon.bench.create.check import Check
from antiphon.bench.create.draft import Step
from tests.bench.create.studio import draft, judge, writer


async def test_a_question_that_is_answered_as_its_key_says_passes():
    done = await Check(writer(("*", "是巴黎。")), None).perform(draft())
    assert (done.marks, done.steps[0].note) == ((), "it says the answer")


async def test_a_question_whose_meaning_changed_is_noticed():
    wrong = draft("德国的首都是哪里？", "巴黎")  # a translation gone astray
    done = await Check(writer(("*", "是柏林。")), judge("错误")).perform(wrong)
    assert [(mark.stage, mark.kind, mark.reason) for mark in done.marks] == [
        ("check", "review", "answer check: the judge says wrong of '是柏林。'")
    ]


async def test_where_nobody_can_say_the_question_is_unverified():
    done = await Check(writer(("*", "是柏林。")), None).perform(draft())
    assert done.marks[0].kind == "unverified"


async def test_what_was_reworded_and_has_no_key_waits_for_a_reader():
    one = draft("搬家送什么？", "相册。", subset="single_round")
    assert not Check.wants(one)
    reworded = one.stepped(Step("adapt", "model", before="他搬家，我送什么？"))
    assert Check.wants(reworded)
    done = await Check(writer(), None).perform(reworded)
    assert done.marks[0].reason == "reworded by a model, and no key to check it by: a person must read it"
    assert not Check.wants(one.stepped(Step("adapt", "model", before=one.question)))


@pytest.mark.parametrize(
    ("note", "wanted"),
    [("answered without its options: it says the answer", False), ("the judge says wrong", True)],
)
def test_a_free_answer_that_was_just_compared_is_not_compared_again(note: str, wanted: bool):
    assert Check.wants(draft().stepped(Step("choices", "model", note=note))) is wanted
