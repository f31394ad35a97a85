from __future__ import annotations

import pytest

from antiphon.bench.create.tag import Tag
from tests.bench.create.studio import draft, writer


@pytest.mark.parametrize(
    ("answer", "subset"),
    [("外国", "foreign_knowledge"), ("中国。", "chinese_knowledge"), ("通识", "general_knowledge")],
)
async def test_a_question_gets_its_split(answer: str, subset: str):
    asked = writer(("问题：法国的首都是哪里？\n答案：巴黎", answer))
    done = await Tag(asked).perform(draft(subset="knowledge"))
    assert (done.subset, done.marks) == (subset, ())


@pytest.mark.parametrize("answer", ["外国知识", "中国或外国", "", "法国"])
async def test_anything_else_is_no_split(answer: str):
    done = await Tag(writer(("*", answer))).perform(draft(subset="knowledge"))
    assert (done.subset, done.blocked) == ("knowledge", True)
    assert done.marks[0].reason == f"no split: {answer!r}"


def test_a_question_that_has_its_split_keeps_it():
    assert Tag.wants(draft(subset="knowledge"))
    assert not Tag.wants(draft())
