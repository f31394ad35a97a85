"""The first words of a clause, for a voice that is slow and somebody who waits: spoken first, by themselves.

The cut costs a little melody. It lies before a word that begins a phrase, where people may hesitate too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antiphon.text.script import HAN

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.text.script import Language

# Units: a Han character, or a word of another script. About a second of speech.
MOST: dict[str, int] = {"en": 4, "zh": 6}
_LEAST, _LEAST_AFTER = 2, 3
_UNIT = re.compile(rf"[{HAN}]|[^\W{HAN}]+(?:['’-]\w+)*")
_WORD = re.compile(r"\s*\S+|\s+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BEGINS_PHRASE = {
    "en": _words(
        "about after and are as at because before but by can could did do does for from has have if in into is of on or "
        "should that to was were when where which while who will with would"
    ),
    "zh": _words(
        "在 从 和 跟 对 向 给 把 被 比 让 用 为 因为 所以 如果 但是 而且 可以 应该 需要 会 能 要 想 是 有 都 也 就 还 已经 正在"
    ),
}
# What comes next belongs to it.
_LEADS = {
    "en": _BEGINS_PHRASE["en"]
    | _words(
        "a an the this these those my your his her its our their every each all no not very so two three four five six "
        "seven eight nine ten eleven twelve"
    ),
    "zh": _BEGINS_PHRASE["zh"]
    | _words("上 下 每 各 这 那 第 不 没 很 最 更 太 一 两 几 请 您 每个 这个 那个 哪个"),
}
# Stays with what stands before it.
_CLINGS = _words("的 地 得 了 着 过 们 吗 呢 吧 啊 呀 个 位 点 号 月 日 年 里 上 下 中")


def head(clause: str, language: Language, words: Callable[[str], list[str]]) -> tuple[str, str]:
    """(beginning, rest), together the clause; no rest where it is short, or has no place to cut.

    `words` divides Mandarin. Never cut: beside digits and marks, before capitals (names).
    """
    pieces = words(clause) if language == "zh" else _WORD.findall(clause)
    best, rank = 0, -1
    units, total = 0, len(_UNIT.findall(clause))
    for at in range(1, len(pieces)):
        units += len(_UNIT.findall(pieces[at - 1]))
        if units > MOST[language] or total - units < _LEAST_AFTER:
            break
        if units >= _LEAST and _may_part(pieces[at - 1], pieces[at], language):
            begins = pieces[at].strip().lower() in _BEGINS_PHRASE[language]
            if begins >= rank:
                best, rank = at, int(begins)
    if best == 0:
        return clause, ""
    first = "".join(pieces[:best])
    return first, clause[len(first) :]


def _may_part(before: str, after: str, language: Language) -> bool:
    if before.strip().lower() in _LEADS[language]:
        return False
    last, first = before.strip()[-1:], after.strip()
    return last.isalpha() and first[:1].isalpha() and not first[:1].isupper() and first not in _CLINGS
