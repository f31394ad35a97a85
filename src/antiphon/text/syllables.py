"""Mandarin as tonal syllables, the unit of the syllable error rate.

A syllable is pypinyin's `Style.TONE3`: letters and the tone's digit ("hao3", ü as "v"); the neutral tone
has no digit ("de", "ma"). Readings come from whole phrases (银行 hang2, 行走 xing2), so one
wrong character can change its neighbour's reading too.
"""

from __future__ import annotations

import re
from importlib.metadata import version

from antiphon.text.normalise import words
from antiphon.text.readings import packaged
from antiphon.text.script import HAN

SYLLABLES = f"pypinyin {version('pypinyin')}"

_PAPER_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_PAPER_KEEPS = re.compile(r"[^\u4e00-\u9fff]")
_PAPER_PLACES = ("", "十", "百", "千", "万", "十", "百", "千", "亿", "十", "百", "千")
_NUMERALS = "零一二三四五六七八九"
_HAN = re.compile(f"[{HAN}]")


def tonal(text: str) -> list[str]:
    """One tonal syllable for each Han character; all else is dropped.

    A character without a known reading stands for itself, so that it still counts.
    """
    return packaged().syllables("".join(_HAN.findall(text)))


def strict_units(text: str) -> list[str]:
    """The right units of a Mandarin text: syllables of its comparable form, Latin words whole.

    Numerals are read correctly, Traditional counts as Simplified, % and 〇 are spoken, Markdown is not.
    """
    tokens = words(text, "zh")
    syllables = iter(tonal("".join(tokens)))
    return [next(syllables) if _HAN.match(token) else token for token in tokens]


def paper_units(text: str) -> list[str]:
    """The units of VocalBench-zh's published scores (arXiv 2511.08230; its repository at 3524c78).

    Reproduced as published, faults included: 10 is read 一, 15 一五, 100000 一零, 123456 一二万三千…,
    "1,000" 一 (its zeros vanish), 1990-2000 with a 负; then everything outside U+4E00-9FFF is dropped:
    English words, %, 〇. Traditional stays Traditional. Full-width digits, which stop the published code
    with an error, are read like others.
    """
    spoken = _PAPER_NUMBER.sub(lambda number: _paper_number(number[0]), text)
    return tonal(_PAPER_KEEPS.sub("", spoken))


def _paper_number(number: str) -> str:
    sign = "负" if number.startswith("-") else ""
    whole, point, decimals = number.removeprefix("-").partition(".")
    after = "".join(_NUMERALS[int(digit)] for digit in decimals)
    return sign + _paper_whole(whole) + ("点" if point else "") + after


def _paper_whole(digits: str) -> str:
    if digits == "0":
        return "零"
    spoken = ""
    for index, digit in enumerate(digits):
        place = len(digits) - 1 - index
        unit = _PAPER_PLACES[place] if place < len(_PAPER_PLACES) else ""
        if int(digit):
            # A leading one loses its 十, where it should have lost its 一.
            bare = index == 0 and digit == "1" and unit == "十"
            spoken += _NUMERALS[int(digit)] + ("" if bare else unit)
        elif place and (digits[index + 1] != "0" or unit in ("万", "亿")) and not spoken.endswith("零"):
            spoken += "零"  # stands for the zeros, but takes 万 and 亿 with it
    return spoken
