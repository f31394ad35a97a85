"""The embedded judge on pairs of our own, with its real weights: it must be right on nine of ten."""

from __future__ import annotations

import pytest

from antiphon.bench.items import Item, Turn
from antiphon.bench.suites.vocalbench_zh.rubrics import prompts_for
from antiphon.clock import RealClock
from antiphon.judge.judge import Ask, verdicts
from antiphon.judge.uri import open_judge
from antiphon.models.weights import fetch

WEIGHTS = "qwen2.5-coder-1.5b"


def zh(question: str, answer: str) -> Item:
    return Item("i", "general_knowledge", "zh", question, answer)


def en(question: str, answer: str) -> Item:
    return Item("i", "english_knowledge", "en", question, answer)


def reasoning(question: str, answer: str) -> Item:
    return Item("i", "reasoning", "zh", question, answer, category="Math")


def multi(history: tuple[tuple[str, str], ...], question: str, answer: str) -> Item:
    turns = tuple(turn for user, reply in history for turn in (Turn("user", user), Turn("assistant", reply)))
    return Item("i", "multi_round", "zh", question, answer, history=turns, category="CM")


# An item, a right reply and a wrong one. No right reply repeats the reference word for word.
PAIRS = [
    (
        zh("水的化学名称里包含哪两种元素？", "氢和氧"),
        "水由氧元素和氢元素组成。",
        "水由碳元素和氧元素组成。",
    ),
    (
        zh("一年里白天最长的节气叫什么？", "夏至"),
        "那一天叫夏至，通常在六月下旬。",
        "那一天叫冬至，通常在十二月下旬。",
    ),
    (zh("美国的第一任总统是谁？", "华盛顿"), "是乔治·华盛顿。", "是亚伯拉罕·林肯。"),
    (zh("蜜蜂采集花蜜酿成什么？", "蜂蜜"), "它们会酿出香甜的蜂蜜。", "它们会酿出香甜的牛奶。"),
    (zh("光在真空中每秒大约走多少公里？", "三十万"), "大约是300000公里。", "大约是3000公里。"),
    (
        en("Which metal is liquid at room temperature?", "mercury"),
        "That would be mercury.",
        "That would be iron.",
    ),
    (en("How many sides does a hexagon have?", "six"), "A hexagon has 6 sides.", "A hexagon has 8 sides."),
    (
        reasoning("三个箱子，每个箱子有七个球，一共有多少个球？", "二十一个"),
        "每箱七个，三箱就是三乘七，等于21个球。",
        "每箱七个，三箱就是三加七，等于10个球。",
    ),
    (
        reasoning("一件衣服原价一百元，打八折以后是多少元？", "八十元"),
        "打八折就是乘以零点八，所以是80块钱。",
        "打八折就是减去八元，所以是92块钱。",
    ),
    (
        multi((("我今天中午吃了饺子。", "听起来很美味。"),), "我中午吃了什么？", "饺子"),
        "你说过中午吃的是饺子。",
        "你说过中午吃的是面条。",
    ),
]


@pytest.mark.slow
@pytest.mark.weights
@pytest.mark.timeout(900)
async def test_the_embedded_judge_is_right_on_eighteen_of_twenty_pairs():
    if fetch.status(WEIGHTS).state != "present":
        pytest.skip(f"no weights of {WEIGHTS} here; antiphon weights fetch {WEIGHTS}")
    judge = open_judge("embedded:", RealClock())
    asks = [
        Ask(
            prompts_for(item)[0],
            {
                "question": item.question,
                "answer": item.answer or "",
                "response": reply,
                "history": "\n".join(f"{turn.role}：{turn.text}" for turn in item.history),
            },
        )
        for item, right, wrong in PAIRS
        for reply in (right, wrong)
    ]
    found = await verdicts(judge, asks, in_flight=1)
    assert [verdict.problem for verdict in found] == [None] * 20
    missed = [
        (ask.fields["question"], ask.fields["response"], verdict.value)
        for index, (ask, verdict) in enumerate(zip(asks, found, strict=True))
        if verdict.value is not (index % 2 == 0)
    ]
    assert len(missed) <= 2, missed
