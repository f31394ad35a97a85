from __future__ import annotations

import pytest

from antiphon.bench.create.entities import Entities, detected
from antiphon.bench.create.labelled import Problem
from antiphon.bench.create.names import Names
from antiphon.bench.items import Turn
from tests.bench.create.studio import draft, writer

POOL = Names({}, {"人名": ("李明",)})
CHAT = draft(
    "约翰要搬家，我送他什么？", "送约翰相册。", subset="single_round", history=(Turn("user", "我认识约翰。"),)
)


async def test_one_name_becomes_one_name_in_every_text_of_a_draft():
    done = await Entities(writer(("我认识约翰。\n约翰要搬家", "人名：约翰")), POOL, 0).perform(CHAT)
    assert (done.question, done.answer) == ("李明要搬家，我送他什么？", "送李明相册。")
    assert done.history == (Turn("user", "我认识李明。"),)
    assert done.steps[0].note == "约翰 → 李明"


async def test_in_knowledge_only_the_users_own_words_apply():
    one = draft("约翰·列侬是哪国人？", "英国")
    nobody = writer()  # whoever asks it fails
    assert await Entities(nobody, POOL, 0).perform(one) == one
    done = await Entities(nobody, Names({"约翰·列侬": "邓丽君"}, POOL.pools), 0).perform(one)
    assert done.question == "邓丽君是哪国人？"


async def test_what_cannot_be_read_is_reviewed_and_nothing_is_replaced():
    done = await Entities(writer(("*", "这里有约翰")), POOL, 0).perform(CHAT)
    assert (done.question, done.marks[0].kind) == (CHAT.question, "review")
    assert done.marks[0].reason == "names not found out: a line that nobody asked for: '这里有约翰'"


async def test_a_pool_that_runs_out_is_reviewed():
    done = await Entities(writer(("*", "人名：约翰\n人名：他")), POOL, 0).perform(CHAT)
    assert done.marks[0].reason == "the list has no 人名 left for 他"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("无", []),
        ("人名：约翰\n地名：无\n机构名：无", [("人名", "约翰")]),
        ("人名：约翰\n地名: 巴黎\n人名：约翰", [("人名", "约翰"), ("地名", "巴黎")]),
        ("人名：玛丽", Problem("'玛丽' is not in the text")),
        ("国家：法国", Problem("a line that nobody asked for: '国家：法国'")),
        ("无\n人名：约翰", Problem("a line that nobody asked for: '无'")),
        ("", Problem("the model gave no answer")),
    ],
)
def test_a_detected_name_stands_in_the_text(answer: str, found: object):
    assert detected(answer, "约翰在巴黎") == found
