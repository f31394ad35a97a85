"""Reads a judge's answer. What is not clearly a verdict is a problem, never a guess."""

from __future__ import annotations

import re
from dataclasses import dataclass

YES = ("正确", "是", "是的", "对", "yes", "true", "correct")
NO = ("错误", "不正确", "否", "不是", "不对", "no", "false", "incorrect", "wrong")

_WRAPPING = " \t\r\n*#_`\"'“”‘’「」『』《》【】[]()（）"
_LABEL = re.compile(r"^(?:判断|判定|结论|结果|评判|verdict|judge?ment|answer)\W*[:：]\W*", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+|[\u4e00-\u9fff]+")
_SCORE = re.compile(r"[\[【]\s*(-?\d+(?:\.\d+)?)\s*(?:分|/\s*5)?\s*[\]】]")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A verdict, or why there is none."""

    value: bool | float | None
    problem: str | None = None


def yes_no(answer: str, choices: tuple[str, ...] = ()) -> Parsed:
    """True or False when the answer begins with a verdict word that stands alone.

    "正确。理由…" is yes; "正确答案是…" is a problem, since it says nothing about the reply. A judge
    that contradicts itself in its first line ("是，不对") is one too.
    """
    words = (YES, NO) if not choices else ((choices[0], *YES), (choices[1], *NO))
    text = _LABEL.sub("", answer.strip(_WRAPPING)).strip(_WRAPPING)
    if not text:
        return Parsed(None, "the judge gave no answer")
    said = [_verdict(word, words) for word in _WORD.findall(text.splitlines()[0])]
    if not said or said[0] is None or not _WORD.match(text):
        return Parsed(None, f"no verdict first: {_short(answer)}")
    if (not said[0]) in said:
        return Parsed(None, f"both verdicts at once: {_short(answer)}")
    return Parsed(said[0])


def one_to_five(answer: str) -> Parsed:
    """The whole number from 1 to 5 in square brackets."""
    return bracket(answer, 5)


def bracket(answer: str, top: int, bottom: int = 1) -> Parsed:
    """The whole number from `bottom` to `top` in square brackets.

    Several brackets must agree: the published code takes the first one, which in "不到 [4]，给 [3]" is
    the wrong one. 4.5 and what is below the bottom or above the top are problems.
    """
    found = {float(score) for score in _SCORE.findall(answer)}
    if not answer.strip():
        return Parsed(None, "the judge gave no answer")
    if not found:
        return Parsed(None, f"no score in brackets: {_short(answer)}")
    if len(found) > 1:
        listed = ", ".join(f"{score:g}" for score in sorted(found))
        return Parsed(None, f"several scores ({listed}): {_short(answer)}")
    score = found.pop()
    if score not in range(bottom, top + 1):
        return Parsed(None, f"{score:g} is no whole number from {bottom} to {top}")
    return Parsed(score)


def _verdict(word: str, words: tuple[tuple[str, ...], tuple[str, ...]]) -> bool | None:
    folded = word.casefold()
    if folded in words[0]:
        return True
    return False if folded in words[1] else None


def _short(answer: str) -> str:
    flat = " ".join(answer.split())
    return repr(flat if len(flat) <= 60 else f"{flat[:59]}…")
