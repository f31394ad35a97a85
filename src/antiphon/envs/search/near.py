"""Near-duplicates among requests and queries: what two texts ask beyond the words that add nothing."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from antiphon.text.mentions import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALIKE = 0.75  # share of common content from which two texts ask the same
_WORD = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+(?:['’][a-z]+)?")
_EMPTY = frozenset([
    "a", "about", "an", "and", "are", "at", "can", "could", "define", "definition", "do", "does", "explain",
    "explained", "explanation", "for", "from", "give", "how", "i", "in", "info", "information", "introduction", "is",
    "it", "me", "mean", "meaning", "means", "much", "my", "of", "on", "or", "overview", "please", "summary", "tell",
    "that", "the", "this", "to", "was", "what", "what's", "which", "who", "with", "you",
])  # fmt: skip
_EMPTY_HAN = re.compile(
    r"请问|告诉我|我想知道|帮我|查一下|是什么意思|什么意思|是什么|什么是|意思|定义|含义|介绍|解释|详解|简介|概述|相关|信息"
    r"|怎么样|一下|多少|哪些|怎么|如何|什么|[的了吗呢啊吧是有和与在我你您]"
)


def content(text: str) -> frozenset[str]:
    """What a text asks: words without those that add nothing, plurals as singulars, Han as pairs of characters."""
    found: set[str] = set()
    for run in _WORD.findall(_EMPTY_HAN.sub(" ", fold(text))):
        if "\u3400" <= run[0] <= "\u9fff":
            found.update(first + second for first, second in pairwise(run))
            found.update([run] if len(run) == 1 else [])
        elif run not in _EMPTY:
            found.add(run.removesuffix("s") if len(run) > 3 and not run.endswith("ss") else run)
    return frozenset(found)


def near(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two contents ask the same."""
    if not one or not other:
        return one == other
    return len(one & other) >= _ALIKE * len(one | other)


def complementary(queries: Iterable[str], most: int) -> tuple[str, ...]:
    """The queries that each add something to those before them, in order, at most so many."""
    kept: dict[str, frozenset[str]] = {}
    for query in queries:
        words = " ".join(query.split())
        asked = content(words)
        if words and len(kept) < most and not any(near(asked, each) for each in kept.values()):
            kept[words] = asked
    return tuple(kept)
