"""Scripts: Traditional to Simplified, which language a text is in, and runs of one language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from opencc import OpenCC

Language = Literal["zh", "en"]

# Unified ideographs, extension A, compatibility ideographs, the planes beyond, and the zero 〇.
HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_HAN = re.compile(f"[{HAN}]")
# 著 is read zhù in these words; elsewhere it is the Traditional spelling of the particle 着, which OpenCC leaves.
_PARTICLE = re.compile("(?<![显顯名原专專编編巨论論土卓昭译譯遗遺合所拙新主])著(?![名作称稱者述书書录錄])")
_WORD = re.compile(r"[A-Za-zÀ-ɏ]+(?:['’][A-Za-z]+)*")
_LETTER = re.compile(f"(?P<zh>[{HAN}])|(?P<en>[A-Za-zÀ-ɏ])")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one language; digits, spaces and marks belong to the letters before them."""

    language: Language
    text: str


@lru_cache(maxsize=1)
def _converter() -> OpenCC:
    from opencc import OpenCC

    return OpenCC("t2s")


def simplify(text: str) -> str:
    """Traditional characters as Simplified ones (OpenCC t2s, which looks at whole phrases; and 著 as 着)."""
    return _PARTICLE.sub("着", _converter().convert(text))


def is_han(character: str) -> bool:
    """Whether this one character is a Han character."""
    return _HAN.fullmatch(character) is not None


def language_of(text: str) -> Language:
    """The language that fills more of a text: one Han character counts as much as one Latin word.

    A text without letters counts as Mandarin.
    """
    words = len(_WORD.findall(text))
    return "en" if words > len(_HAN.findall(text)) else "zh"


def runs(text: str, otherwise: Language = "zh") -> list[Run]:
    """The text cut where the script changes; joined again the runs are the text.

    What stands before the first letter belongs to it; a text without letters is one run of the language `otherwise`.
    """
    cuts: list[tuple[int, Language]] = []
    for letter in _LETTER.finditer(text):
        language: Language = "zh" if letter["zh"] else "en"
        if not cuts or cuts[-1][1] != language:
            cuts.append((letter.start() if cuts else 0, language))
    if not cuts:
        return [Run(otherwise, text)] if text else []
    ends = [start for start, _ in cuts[1:]] + [len(text)]
    return [Run(language, text[start:end]) for (start, language), end in zip(cuts, ends, strict=True)]
