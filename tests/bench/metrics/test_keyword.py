from __future__ import annotations

import pytest

from antiphon.bench.items import Item
from antiphon.bench.metrics.keyword import (
    paper_forms,
    paper_keyword,
    spoken_right,
    strict_forms,
    strict_keyword,
)

CAPITAL = "中国的首都是哪座城市？"


def strict(answer: str, reply: str, question: str = CAPITAL, language: str = "zh") -> bool:
    return strict_keyword([answer], reply, question, "en" if language == "en" else "zh")[0]


def test_the_published_form_is_a_plain_substring():
    assert paper_keyword(["北京"], "首都是**北京**。") == (True, {"found": "北京"})
    assert paper_keyword(["北京"], "首都是北\n京。") == (False, {"looked_for": "北京"})


def test_the_published_form_counts_an_echo_and_a_part_of_a_word():
    assert paper_keyword(["手"], "我不知道，但可以动手查。")[0]
    assert paper_keyword(["Mars"], "Marseille")[0]


@pytest.mark.parametrize("forms", [[], [""], ["北京", " "]])
def test_an_item_without_an_answer_has_no_keyword(forms: list[str]):
    with pytest.raises(ValueError, match="has no keyword"):
        paper_keyword(forms, "北京")
    with pytest.raises(ValueError, match="has no keyword"):
        strict_keyword(forms, "北京", CAPITAL, "zh")


def test_the_strict_form_names_what_it_found():
    assert strict_keyword(["齐天大圣", "孙悟空"], "是孙悟空！", "猴王是谁？", "zh") == (
        True,
        {"found": "孙悟空"},
    )
    assert strict_keyword(["孙悟空"], "是唐僧。", "猴王是谁？", "zh") == (False, {"looked_for": "孙悟空"})


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("北京", "中国的首都是**北京**。"),
        ("長城", "是万里长城。"),  # Traditional in the answer
        ("长城", "是萬里長城。"),  # Traditional in the reply
        ("一百", "水在100摄氏度沸腾。"),
        ("100", "一百度。"),
        ("240", "一共两百四十公里。"),
        ("二十", "答案是20，一共二十个。"),
        ("十一月一日", "是11月1日。"),
        ("达·芬奇", "作者是达芬奇。"),
        ("《离骚》", "是离骚。"),
        ("New York", "在new york。"),
        ("春，夏", "有春，夏两个。"),
    ],
)
def test_other_spellings_of_an_answer_count(answer: str, reply: str):
    assert strict(answer, reply)


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("北京", "首都不是北京，是南京。"),
        ("二十", "一共一百二十个。"),
        ("20", "答案是205。"),
        ("六十", "六十五页。"),
        ("York", "在Yorkshire。"),
        ("北京", ""),
        ("北京", "。。。"),
    ],
)
def test_what_only_looks_like_the_answer_does_not_count(answer: str, reply: str):
    assert not strict(answer, reply)


def test_a_denied_answer_counts_once_it_is_affirmed():
    assert strict("北京", "不是南京也不是北京市郊，就是北京。")


@pytest.mark.parametrize(
    ("answer", "reply", "right"),
    [
        ("Tokyo", "It's Tokyo.", True),
        ("Tokyo", "The capital of Japan is TOKYO!", True),
        ("366", "Three hundred and sixty-six days.", True),
        ("three hundred and sixty-six", "366", True),
        ("Mars", "Marseille is a city.", False),
        ("Mars", "It is not Mars.", False),
        ("Mars", "It isn't Mars, it is Venus.", False),
        ("Mars", "The planet is (Mars).", True),
        ("St. Louis", "It is St. Louis.", True),
        ("5", "There are 5 of them.", True),
        ("5", "There are 15 of them.", False),
    ],
)
def test_english_answers_are_whole_words(answer: str, reply: str, right: bool):
    assert strict(answer, reply, "What is it?", "en") is right


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("苹果是红的。", True),
        ("你问苹果和香蕉哪个是红的，我不知道。", False),
        ("苹果和香蕉哪个是红的？苹果。", True),
        ("香蕉。", False),
    ],
)
def test_an_echo_of_the_question_is_no_answer(reply: str, right: bool):
    assert strict("苹果", reply, "苹果和香蕉哪个是红的？") is right


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("手", True),
        ("答案是手。", True),
        ("这个字念“手”。", True),
        ("是手字。", True),
        ("我可以动手查一下。", False),
        ("手机。", False),
        ("不是手。", False),
    ],
)
def test_one_character_stands_alone_or_is_named(reply: str, right: bool):
    assert strict("手", reply, "掌上有五根指头的是身体的哪个部位？") is right


@pytest.mark.parametrize(("reply", "right"), [("“水”和“火”。", False), ("水。", False), ("选水。", True)])
def test_one_character_of_the_question_must_be_named(reply: str, right: bool):
    assert strict("水", reply, "“水”和“火”，哪个能喝？") is right


def test_one_numeral_is_not_found_in_other_numbers_or_counts():
    assert strict("3", "答案是三。", "几个？")
    assert not strict("3", "有十三个。", "几个？")
    assert not strict("3", "第三，有五个。", "几个？")


def item(answer: str, **extra: object) -> Item:
    return Item("i", "cs_knowledge", "zh", "?", answer, extra=dict(extra))


def test_published_forms_hold_both_languages_and_every_part_of_a_name():
    assert paper_forms(item("列奥纳多·达芬奇", Answer_en="Leonardo")) == [
        "列奥纳多·达芬奇", "Leonardo", "列奥纳多", "达芬奇",
    ]  # fmt: skip
    assert paper_forms(item("列奥纳多·达芬奇")) == ["列奥纳多·达芬奇"]


def test_strict_forms_hold_our_lists_and_only_the_last_part_of_a_name():
    assert strict_forms(item("列奥纳多·达芬奇", Answer_en="Leonardo", Answers=["达芬奇", "da Vinci"])) == [
        "列奥纳多·达芬奇", "Leonardo", "达芬奇", "da Vinci",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("right", "error_rate", "spoken"),
    [
        (True, 0.0, True),
        (True, 0.0499, True),
        (True, 0.05, False),
        (True, None, None),
        (False, 0.0, False),
        (False, None, False),
    ],
)
def test_a_spoken_answer_is_right_in_words_and_clear(
    right: bool, error_rate: float | None, spoken: bool | None
):
    assert spoken_right(right, error_rate) is spoken
