"""Names that a recogniser wrote otherwise: "Do you know?" for Juno, 小小 for 晓晓.

Only where a name is called: alone in its clause in English, first in it in Mandarin. Elsewhere words that sound
alike are too many.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from antiphon.realtime.policy.cues import is_han
from antiphon.text.syllables import tonal

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLAUSE = re.compile(r"[,.!?;:，。！？；：、]+")
_LEAD_EN = re.compile(r"^(?:hey|hi|hello|oh|ok|okay|so|and|well)\s+(?=\w)")
_LEAD_ZH = re.compile(r"^(?:哎|喂|嗨|嘿|你好|那|好)(?=.)")
# Letters as they sound, in this order: "do you know" → "juno", "joono" → "juno".
_SOUNDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"\b(?:do|did|d)['’]? ?you\b", "ju"), (r"[^a-z]", ""), ("kn", "n"), ("wr", "r"),
        ("ph", "f"), ("gh", ""), ("ck|q|c(?=[aou]|[^aeiouyh]|$)", "k"), ("ch(?=[or])", "k"), ("c(?=[eiy])|z", "s"),
        ("ow$|oh$", "o"), ("oo|ou|ew|eu", "u"), (r"ee|ea|ie$|y$|(?<=[^aeiou])y(?=[^aeiou])", "i"), ("ah$|er$", "a"), (r"(?<=[^aeiou])e$", ""),
        (r"(.)\1+", r"\1"),
    )
)  # fmt: skip


def sounds_called(text: str, names: Iterable[str]) -> bool:
    """Whether a clause calls what sounds like one of these names; a name that is written right counts, too."""
    parts = [part for each in _CLAUSE.split(text.lower()) if (part := each.strip())]
    return any(_zh(part, name) if is_han(name) else _en(part, name) for name in names for part in parts)


def ready(names: Iterable[str]) -> None:
    """Load what Mandarin names are compared by, so that no session waits for it."""
    for name in filter(is_han, names):
        syllables(name)


def _en(clause: str, name: str) -> bool:
    return len(clause.split()) <= 4 and _sound(name.lower()) in (
        _sound(clause),
        _sound(_LEAD_EN.sub("", clause)),
    )


def _zh(clause: str, name: str) -> bool:
    return _begins(clause, name) or _begins(_LEAD_ZH.sub("", clause), name)


def _begins(clause: str, name: str) -> bool:
    """Whether it begins with the name's syllables, whatever their tones. 阿 is written right or is none: 啊 is
    no name; and what a 的 follows tells how something is."""
    said, after = clause[: len(name)], clause[len(name) : len(name) + 1]
    if len(name) < 2 or after == "的" or not is_han(said) or (name[0] == "阿") != (said[0] == "阿"):
        return False
    return syllables(said) == syllables(name)


@lru_cache(maxsize=4096)
def _sound(words: str) -> str:
    for pattern, sound in _SOUNDS:
        words = pattern.sub(sound, words)
    return words


@lru_cache(maxsize=4096)
def syllables(han: str) -> tuple[str, ...]:
    """Without tones, each character as it is read alone."""
    return tuple(each.rstrip("12345") for character in han for each in tonal(character))
