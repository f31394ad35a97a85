"""Numbers and addresses that point at a person, taken out of text: English and Mandarin, written and spelt out.

Five digits in a row and more are a number, whatever stands between them and however they are written: telephone,
card, identity and account numbers are; so, deliberately, are dates and large sums. Names stay.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_DIGITS = 5
NUMBER, ADDRESS = "[number]", "[e-mail]"

_ONES = ["zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_HAN_DIGITS = "零〇一二三四五六七八九两幺壹贰叁肆伍陆柒捌玖"
# What a word counts in digits. "double five" is two, "twenty one" is two.
_WORDS = {
    **dict.fromkeys(_ONES, 1), **dict.fromkeys([*_TEENS, *_TENS], 2), "double": 1, "triple": 2, "hundred": 2, "thousand": 3,
}  # fmt: skip
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_UNIT = re.compile(
    rf"(?P<digit>\d)|(?P<han>[{_HAN_DIGITS}])|(?<![^\W\d_])(?P<word>{_WORD})(?![^\W\d_])", re.IGNORECASE
)
# Between the digits of one number: marks and blanks, "and", and the letters of what spells it.
_BETWEEN = re.compile(r"(?:[\s\W_]|\band\b|[零〇十百千万横杠点])*", re.IGNORECASE)
_LONGEST_GAP = 6

_LOCAL = r"[\w.+-]+"
_HOST_END = r"(?:com|org|net|edu|gov|cn|io|de|uk|fr|eu|co|info|me|app|dev|ai)"
_AT = r"(?:\s*@\s*|\s+at\s+|\s*(?:艾特|圈a|小老鼠)\s*)"
_DOT = r"(?:\s*[.。．]\s*|\s+dot\s+|\s*点\s*)"
_ADDRESSES = (
    re.compile(r"[^\s@,;:，；：<>]+(?:@[^\s@,;:，；：<>]+)+"),
    re.compile(
        rf"{_LOCAL}(?:{_DOT}{_LOCAL})*?{_AT}[\w-]+(?:{_DOT}[\w-]+)*?{_DOT}{_HOST_END}(?![a-z0-9])",
        re.IGNORECASE,
    ),
)


def redacted(text: str, least: int = LEAST_DIGITS) -> str:
    """The text without its addresses and its numbers of at least so many digits; the same text where it has none."""
    for pattern in _ADDRESSES:
        text = pattern.sub(ADDRESS, text)
    pieces: list[str] = []
    at = 0
    for begin, end in _numbers(text, least):
        pieces += [text[at:begin], NUMBER]
        at = end
    return "".join([*pieces, text[at:]])


def _numbers(text: str, least: int) -> Iterator[tuple[int, int]]:
    """Where runs of digits begin and end that are long enough, with the letters that stick to them."""
    begin = end = None
    count = 0
    for unit in _UNIT.finditer(text):
        joined = end is not None and _joins(text[end : unit.start()])
        if not joined:
            if begin is not None and end is not None and count >= least:
                yield _whole(text, begin, end)
            begin, count = unit.start(), 0
        end = unit.end()
        count += _WORDS[unit["word"].lower()] if unit["word"] else 1
    if begin is not None and end is not None and count >= least:
        yield _whole(text, begin, end)


def _joins(between: str) -> bool:
    return len(between) <= _LONGEST_GAP and _BETWEEN.fullmatch(between) is not None


def _whole(text: str, begin: int, end: int) -> tuple[int, int]:
    """A passport's letter, an identity card's X, a plus before a country's code."""
    while begin > 0 and _sticks(text[begin - 1]):
        begin -= 1
    while end < len(text) and _sticks(text[end]):
        end += 1
    return begin, end


def _sticks(letter: str) -> bool:
    return letter == "+" or (letter.isascii() and letter.isalnum())
