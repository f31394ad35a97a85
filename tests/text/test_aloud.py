from __future__ import annotations

import pytest

from antiphon.text.aloud import aloud


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("会议在2024-03-05 14:30开始。", "会议在二零二四年三月五日 十四点三十分开始。"),
        ("It costs $12.50 on 5/3/2024.", "It costs twelve dollars and fifty cents on the third of may twenty twenty four."),
        ("我有3个 iPhone 15 和80%的电。", "我有三个 iPhone fifteen 和百分之八十的电。"),
        ("1. 苹果\n2. 香蕉", "第一，苹果。第二，香蕉"),
        ("1. apples\n2. pears", "First, apples. Second, pears"),
        ("12) the last one", "Number twelve, the last one"),
        ("Call 555-1234 now.", "Call five five five, one two three four now."),
        ("from 100 2024 on", "from one hundred twenty twenty four on"),
        ("请打 555-1234。", "请打 五五五，幺二三四。"),
        ("See https://www.example.com/a?b=1 for more.", "See example dot com for more."),
        ("Write to me@example.com", "Write to me at example dot com"),
        ("**Hello** `there` 😀", "Hello there"),
        ("**half of it", "half of it"),
        ("- one\n- two", "one. two"),
        ("2024", "两千零二十四"),
    ],
)  # fmt: skip
def test_a_clause_is_read_as_a_person_would(written, read):
    assert aloud(written) == read


def test_digits_alone_are_read_in_the_language_of_the_talk():
    assert aloud("42", "en") == "forty two"


@pytest.mark.parametrize("silent", ["", "  ", "…", "😀", "---", "**"])
def test_what_cannot_be_pronounced_is_empty(silent):
    assert aloud(silent) == ""
