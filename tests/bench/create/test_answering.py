from __future__ import annotations

import pytest

from antiphon.bench.create.answering import answer_freely, key_prompt, unlisted
from antiphon.bench.items import Turn
from tests.bench.create.studio import draft, judge, writer


async def test_a_keyword_needs_no_judge():
    found = await answer_freely(draft(), writer(("法国的首都是哪里？", "是巴黎。")), None)
    assert (found.right, found.why) == (True, "it says the answer")


@pytest.mark.parametrize(("verdict", "right"), [("正确", True), ("错误", False)])
async def test_otherwise_the_judge_compares_with_the_key(verdict: str, right: bool):
    found = await answer_freely(draft(), writer(("*", "花都。")), judge(verdict))
    assert found.right is right


async def test_without_a_verdict_nobody_can_say():
    unread = await answer_freely(draft(), writer(("*", "花都。")), judge("也许"))
    assert (unread.right, unread.transient) == (None, False)
    assert unread.why.startswith("the judge gave no verdict on '花都。': ")
    alone = await answer_freely(draft(), writer(("*", "花都。")), None)
    assert alone.why == "no judge was given, and '花都。' does not say it word for word"
    silent = await answer_freely(draft(), writer(("*", "")), judge("正确"))
    assert (silent.right, silent.why) == (None, "the model gave no answer")


async def test_a_dialogue_is_answered_with_what_went_before():
    class Listening(type(writer().chat)):
        seen: tuple = ()

        async def stream(self, request):
            type(self).seen = tuple(message.text for message in request.messages)
            async for chunk in super().stream(request):
                yield chunk

    asked = writer(("*", "小红。"))
    asked.chat.__class__ = Listening
    one = draft("谁最高？", "小红", subset="multi_round", history=(Turn("user", "小红比小明高。"),))
    await answer_freely(one, asked, judge("正确"))
    assert Listening.seen[0] == "小红比小明高。"
    assert Listening.seen[1].endswith("谁最高？")


def test_only_what_has_a_key_is_compared():
    assert key_prompt(draft()) is not None
    assert key_prompt(draft(subset="reasoning", category="Math")) is not None
    assert key_prompt(draft(subset="reasoning", category="Story")) is None  # open: scored 1 to 5
    assert key_prompt(draft(subset="single_round")) is None
    assert key_prompt(draft(answer="")) is None


async def test_a_question_without_a_key_cannot_be_compared():
    with pytest.raises(ValueError, match="has no key"):
        await answer_freely(draft(subset="single_round"), writer(), None)


def test_a_choice_without_its_list_is_answered_by_its_right_option():
    one = draft(options=("里昂", "巴黎"), right=1, answer="巴黎")
    assert unlisted(one) == draft()
    with pytest.raises(ValueError, match="has no right option"):
        unlisted(draft())
