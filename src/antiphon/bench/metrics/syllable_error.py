"""Tonal syllable error rate: what VocalBench-zh calls PER.

Source: arXiv 2511.08230, "Clarity"; `paper` follows its published code, `strict` what it set out to count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from antiphon.bench.metrics.error_rate import ErrorRate, error_rate
from antiphon.errors import unknown
from antiphon.text.normalise import NORMALISER, words
from antiphon.text.script import is_han
from antiphon.text.syllables import SYLLABLES, paper_units, strict_units

if TYPE_CHECKING:
    from collections.abc import Callable

Scoring = Literal["paper", "strict"]

_UNITS: dict[str, tuple[Callable[[str], list[str]], str]] = {
    "paper": (paper_units, f"paper units, {SYLLABLES}"),
    "strict": (strict_units, f"strict units, {SYLLABLES}, {NORMALISER}"),
}


def syllable_error(reference: str, hypothesis: str, scoring: Scoring = "strict") -> ErrorRate:
    """Substituted, missing and added units for each unit of the reference, compared with their tones.

    `paper`: tonal syllables only, numbers read as the published code reads them. `strict`: numbers read
    right, and each Latin word is a unit too. A reference without any tonal syllable has no rate, and says
    so; the published code gives it 0. An empty hypothesis counts in full: every unit is missing.
    Raises ConfigError for another scoring.
    """
    if scoring not in _UNITS:
        raise unknown("scoring", scoring, _UNITS)
    units, by = _UNITS[scoring]
    ours = units(reference)
    spoken = ours if scoring == "paper" else [word for word in words(reference, "zh") if is_han(word)]
    reason = None if spoken else "the reference has no tonal syllable"
    return error_rate(ours, units(hypothesis), by, reason)
