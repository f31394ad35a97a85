"""Whether a spoken question was heard as it is written: the check before a recording is kept.

The paper asks for identical texts. We ask for equal tonal syllables (Mandarin; Latin words whole) or equal
words (English), both after the normaliser: 他 and 她, or 登封 and 登丰, sound the same, so their difference
says nothing about the recording. Whether the characters agree as well is kept and counted in the card.
"""

from __future__ import annotations

from dataclasses import dataclass

from antiphon.text.align import distance
from antiphon.text.normalise import NORMALISER, comparable, words
from antiphon.text.syllables import SYLLABLES, strict_units

COMPARED_BY = f"{SYLLABLES}, {NORMALISER}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """`errors` counts units that were swapped, missed or added; a text without units equals nothing."""

    errors: int
    equal: bool
    identical: bool


def compare(question: str, heard: str, language: str) -> Comparison:
    """A question beside what a recogniser heard. `language` is "zh" or "en", else ConfigError."""
    ours, theirs = _units(question, language), _units(heard, language)
    errors = distance(ours, theirs)
    identical = bool(ours) and comparable(question, language) == comparable(heard, language)
    return Comparison(errors, bool(ours) and errors == 0, identical)


def _units(text: str, language: str) -> list[str]:
    return strict_units(text) if language == "zh" else words(text, language)
