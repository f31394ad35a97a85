from __future__ import annotations

import pytest

from antiphon.text.syllables import paper_units, strict_units, tonal


def test_syllables_carry_their_tone() -> None:
    assert tonal("你好，绿色的") == ["ni3", "hao3", "lv4", "se4", "de"]


def test_a_phrase_decides_the_reading() -> None:
    assert tonal("银行行长") == ["yin2", "hang2", "hang2", "zhang3"]
    assert tonal("步行去长城") == ["bu4", "xing2", "qu4", "chang2", "cheng2"]


def test_a_character_without_a_reading_stands_for_itself() -> None:
    unread = chr(0x2F800)  # a compatibility ideograph of the supplement
    assert tonal(f"你{unread}{unread}好") == ["ni3", unread, unread, "hao3"]


@pytest.mark.parametrize(
    ("number", "read"),
    [
        ("0", "零"),
        ("5", "五"),
        ("10", "一"),
        ("15", "一五"),
        ("20", "二十"),
        ("101", "一百零一"),
        ("10000", "一万"),
        ("100000", "一零"),
        ("123456", "一二万三千四百五十六"),
        ("1,000", "一"),
        ("00", ""),
        ("007", "零七"),
        ("-3.14", "负三点一四"),
        ("1990-2000", "一千九百九十负二千"),
        ("1.2.3", "一点二三"),
        ("1234567890123456", "一二三四五千六百七十八亿九千零一十二万三千四百五十六"),
        ("５", "五"),
    ],
)
def test_the_paper_reads_numbers_in_its_own_way(number: str, read: str) -> None:
    assert paper_units(f"第{number}个") == tonal(f"第{read}个")


def test_the_paper_drops_all_but_han() -> None:
    assert paper_units("用Python写〇，50%。") == ["yong4", "xie3", "wu3", "shi2"]
    assert paper_units("hello!") == []


def test_the_right_units_speak_everything() -> None:
    assert strict_units("用Python写〇，50%。") == [
        "yong4", "python", "xie3", "ling2", "bai3", "fen1", "zhi1", "wu3", "shi2",
    ]  # fmt: skip
    assert strict_units("第15個") == strict_units("第十五个") == ["di4", "shi2", "wu3", "ge4"]
    assert strict_units("1,000") == ["yi1", "qian1"]
    assert strict_units("！") == []
