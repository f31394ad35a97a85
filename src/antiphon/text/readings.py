"""pypinyin's readings, out of its own dictionaries, without what its general converter costs.

What comes out is what `lazy_pinyin(han, Style.TONE3, errors=list)` gives in a fresh process. It is read
from the packaged dictionaries themselves: other libraries (a Mandarin front end) add readings of their own to
the ones that pypinyin shares within a process, and a score must not depend on what was spoken before.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Readings:
    """Readings by longest phrase, each converted once, when it is first met."""

    def __init__(self, phrases: Mapping[str, list[list[str]]], characters: Mapping[int, str]) -> None:
        """`phrases`: one list of readings a character; `characters`: readings by code point, with commas."""
        self._phrases = phrases
        self._characters = characters
        self._sorted = sorted(phrases)
        lengths: dict[str, set[int]] = {}
        for phrase in phrases:
            lengths.setdefault(phrase[:2], set()).add(len(phrase))
        # First two characters → the lengths of the phrases that begin so, longest first.
        self._lengths = {start: tuple(sorted(found, reverse=True)) for start, found in lengths.items()}
        self._longest = max(map(len, phrases), default=0)
        self._of_phrase: dict[str, list[str]] = {}
        self._of_character: dict[str, str] = {}

    def syllables(self, han: str) -> list[str]:
        """One tonal syllable a character; a character without a known reading stands for itself."""
        unread = {character for character in set(han) if not self._is_read(character)}
        if not unread:
            return self._run(han)
        found: list[str] = []
        for without, group in groupby(han, unread.__contains__):
            run = "".join(group)
            found += run if without else self._run(run)
        return found

    def _run(self, han: str) -> list[str]:
        found: list[str] = []
        single, lengths, phrases = self._of_character, self._lengths, self._phrases
        at, end = 0, len(han)
        while at < end:
            for length in lengths.get(han[at : at + 2], ()):
                phrase = han[at : at + length]
                if phrase in phrases:
                    found += self._of_phrase.get(phrase) or self._phrase(phrase)
                    at += length
                    break
            else:
                if 1 < end - at < self._longest and self._begins_a_phrase(han[at:]):
                    # pypinyin reads such an end character by character, whatever phrases are in it.
                    return found + [single.get(one) or self._character(one) for one in han[at:]]
                one = han[at]
                found.append(single.get(one) or self._character(one))
                at += 1
        return found

    def _begins_a_phrase(self, rest: str) -> bool:
        if rest[:2] not in self._lengths:
            return False
        place = bisect_left(self._sorted, rest)
        return place < len(self._sorted) and self._sorted[place].startswith(rest)

    def _phrase(self, phrase: str) -> list[str]:
        found = [_syllable(readings[0]) for readings in self._phrases[phrase]]
        return self._of_phrase.setdefault(phrase, found)

    def _character(self, character: str) -> str:
        reading = self._characters.get(ord(character), character).split(",", 1)[0]
        return self._of_character.setdefault(character, _syllable(reading))

    def _is_read(self, character: str) -> bool:
        """Whether pypinyin takes it for Han at all; what it does not ends a phrase, and the text before it."""
        return ord(character) in self._characters or _is_han(character)


@lru_cache(maxsize=4096)
def _is_han(character: str) -> bool:
    from pypinyin.constants import RE_HANS

    return RE_HANS.match(character) is not None


def _syllable(reading: str) -> str:
    from pypinyin import Style
    from pypinyin.style import convert

    return convert(reading, Style.TONE3, True, default=reading)


@lru_cache(maxsize=1)
def packaged() -> Readings:
    """The readings of the installed pypinyin, as packaged."""
    from pypinyin.phrases_dict import phrases_dict
    from pypinyin.pinyin_dict import pinyin_dict

    return Readings(phrases_dict, pinyin_dict)
