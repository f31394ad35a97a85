from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from antiphon.realtime.recording.redaction import LEAST_DIGITS, redacted


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Call 555-0123-456 now.", "Call [number] now."),
        ("+86 139 1234 5678", "[number]"),
        ("My card is 4111 1111 1111 1111, please.", "My card is [number], please."),
        ("身份证号是11010519491231002X。", "身份证号是[number]。"),
        ("passport E12345678", "passport [number]"),
        ("我的电话是幺三九一二三四五六七八，谢谢", "我的电话是[number]，谢谢"),
        ("一三九，一二三四，五六七八", "[number]"),
        ("１３９１２３４５６７８", "[number]"),
        ("It is one three nine, oh one two three.", "It is [number]."),
        ("double five, triple seven", "[number]"),
        ("five fifty-five, twenty-three", "[number]"),
        ("One, two, three, four, five, six", "[number]"),
        ("write to ana.li@example.com, please", "write to [e-mail], please"),
        ("john dot smith at example dot com please", "[e-mail] please"),
        ("邮箱是wang艾特example点com", "[e-mail]"),
    ],
)
def test_what_points_at_a_person_is_taken_out(text, left):
    assert redacted(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "The library opens at nine, and closes at 18:30.", "In 2024 we had 3 cats.", "三月二十五号下午三点", "一一得一",
        "We met at noon.", "someone phoned", "", "Room 1204",
    ],
)  # fmt: skip
def test_what_does_not_stays(text):
    assert redacted(text) == text


_DIGIT = re.compile(
    r"\d|[零〇一二三四五六七八九两幺]|\b(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)\b"
)


def longest(text: str) -> int:
    """The longest run of digits with nothing but up to three blanks and marks between them."""
    most = run = 0
    end = None
    for found in _DIGIT.finditer(text.lower()):
        between = "" if end is None else text[end : found.start()]
        run = run + 1 if end is not None and re.fullmatch(r"[\s,.;:/()-]{0,3}", between) else 1
        end, most = found.end(), max(most, run)
    return most


_PIECES = st.lists(
    st.sampled_from(
        [
            *"0123456789",
            *"零一二五九幺",
            "one ",
            "nine ",
            "Oh ",
            " ",
            "-",
            ". ",
            ", ",
            "(",
            ")",
            "/",
            "call me ",
            "电话",
            "@",
            "x",
        ]
    ),
    max_size=40,
).map("".join)


@settings(deadline=None)
@given(_PIECES | st.text(max_size=60))
@example("[number] 1234")
def test_no_long_run_of_digits_is_left_and_a_second_look_finds_nothing(text):
    left = redacted(text)
    assert longest(left) < LEAST_DIGITS
    assert redacted(left) == left


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=("Nd",)), max_size=60))
def test_text_without_digits_and_addresses_stays_as_it_is(text):
    if not _DIGIT.search(text.lower()) and "@" not in text and redacted(text) != text:
        assert "[e-mail]" in redacted(text) or "[number]" in redacted(text)
        assert re.search(
            r"ten|teen|ty|eleven|twelve|double|triple|hundred|thousand|at|艾特|[壹贰叁肆伍陆柒捌玖]",
            text,
            re.IGNORECASE,
        )


def test_a_group_of_a_number_can_be_taken_out_too():
    assert redacted("one three nine", least=3) == "[number]"
    assert redacted("Room 12", least=3) == "Room 12"
