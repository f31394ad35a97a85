"""Written text as a person reads it out: lists counted, links by name, numbers in each stretch's own language.

`normalise.spoken` reads one language. What a voice agent says mixes two, carries lists, links and telephone
numbers, and comes clause by clause: this takes one clause at a time and keeps no state.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antiphon.text.markdown import plain
from antiphon.text.normalise import spoken
from antiphon.text.script import HAN, language_of, runs

if TYPE_CHECKING:
    from antiphon.text.script import Language

_NUMBERED = re.compile(r"^[ \t]*(\d{1,2})(?:[.)、．]|[)）])[ \t]*(?=\S)", re.MULTILINE)
_ORDINALS = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth",
)  # fmt: skip
_LINK = re.compile(r"https?://(?:www\.)?([\w.-]+\w)(?:/[^\s，。！？）)]*)?", re.ASCII)
_MAIL = re.compile(r"\b([\w.+-]+)@([\w-]+(?:\.[\w-]+)+)\b", re.ASCII)
# Seven to eleven digits in groups of three and four are a telephone number, not a subtraction.
_TELEPHONE = re.compile(r"(?<![\d-])(?:\+?\d{1,2}[ -])?(?:\(?\d{3}\)?[ -])?\d{3}-\d{4}(?![\d-])")
_DIGITS: dict[Language, str] = {
    "zh": "零幺二三四五六七八九",
    "en": "zero one two three four five six seven eight nine",
}
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2190-\u21ff\u200d\ufe0e\ufe0f\u20e3]")
# What `plain` leaves of marks whose other half stands in another clause.
_HALF_MARK = re.compile(r"\*{2,}|_{2,}|`+|~~|^\s*#+\s*|^\s*[-*+•]\s+|\*(?=\s|$)(?<=\S\*)", re.MULTILINE)
_BREAK = re.compile(r"(?<=[^\s,.;:!?，。；：！？、…])[ \t]*\n+")


def aloud(clause: str, language: Language | None = None) -> str:
    """What to hand to a voice for this clause: words and marks only, empty when nothing can be pronounced.

    `language` decides how stretches without letters are read (None: that of the whole clause). Each stretch
    of letters is read in its own language: "我有3个iPhone 15" has a Mandarin three and an English fifteen.
    """
    whole = language or language_of(clause)
    text = _NUMBERED.sub(lambda found: _ordinal(int(found[1]), _script_after(clause, found, whole)), clause)
    text = _EMOJI.sub("", _HALF_MARK.sub("", plain(text)))
    text = _BREAK.sub("。" if whole == "zh" else ". ", text)
    text = _LINK.sub(lambda found: _dotted(found[1], whole), text)
    text = _MAIL.sub(lambda found: f"{found[1]} at {_dotted(found[2], 'en')}", text)
    text = _TELEPHONE.sub(lambda found: _digits(found[0], whole), text)
    if not any(char.isalpha() for char in text):
        read = spoken(text, whole)
    else:
        read = "".join(_kept(run.text, spoken(run.text, run.language)) for run in runs(text))
    words = " ".join(read.split())
    return words if any(char.isalnum() for char in words) else ""


def _kept(before: str, after: str) -> str:
    """Spaces around a stretch stay: they part it from its neighbours."""
    lead = " " if before[:1].isspace() and not after[:1].isspace() else ""
    tail = " " if before[-1:].isspace() and not after[-1:].isspace() else ""
    return f"{lead}{after}{tail}"


def _script_after(text: str, found: re.Match[str], whole: Language) -> Language:
    """A list's number is read in the language of its entry."""
    entry = text[found.end() :].split("\n", 1)[0]
    return language_of(entry) if re.search(f"[A-Za-z{HAN}]", entry) else whole


def _ordinal(number: int, language: Language) -> str:
    if language == "zh":
        return f"第{number}，"
    return f"{_ORDINALS[number - 1]}, " if 1 <= number <= len(_ORDINALS) else f"Number {number}, "


def _dotted(host: str, language: Language) -> str:
    return host.replace(".", "点" if language == "zh" else " dot ")


def _digits(number: str, language: Language) -> str:
    names = _DIGITS[language] if language == "zh" else _DIGITS[language].split()
    groups = [group for group in re.split(r"\D+", number) if group]
    joint, between = ("", "，") if language == "zh" else (" ", ", ")
    return between.join(joint.join(names[int(digit)] for digit in group) for group in groups)
