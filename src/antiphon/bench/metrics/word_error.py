"""Word error rate: of English words, and of Han characters and words in a mixed text."""

from __future__ import annotations

from antiphon.bench.metrics.error_rate import ErrorRate, error_rate
from antiphon.text.normalise import NORMALISER, words


def word_error(reference: str, hypothesis: str, language: str = "en") -> ErrorRate:
    """Substituted, missing and added words for each word of the reference, in comparable form.

    With `language` "zh", or where a text mixes both, each Han character counts as a word (the mixed error
    rate). A compound written in two ways ("rainforest", "rain forest") counts as the errors it makes. A
    reference without words has no rate, and says so. Raises ConfigError for another language.
    """
    ours = words(reference, language)
    reason = None if ours else "the reference has no words"
    return error_rate(ours, words(hypothesis, language), f"words, {NORMALISER}", reason)
