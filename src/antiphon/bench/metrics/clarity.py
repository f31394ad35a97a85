"""Clarity: is what was heard what the reply says? Syllables in Mandarin, words in English."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.metrics.syllable_error import syllable_error
from antiphon.bench.metrics.word_error import word_error
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue, Value

if TYPE_CHECKING:
    from antiphon.bench.items import Item
    from antiphon.bench.suite import Scoring


def _english(item: Item) -> bool:
    return item.language == "en"


def _mandarin(item: Item) -> bool:
    return item.language == "zh"


def speech_error(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """The error rate between a reply's words and its transcript; weight: the length of the words."""
    said, heard = evidence.said, evidence.heard
    if said.clip is None and heard is None:
        return NoValue("excluded", "the reply has no speech")
    if not said.text.strip():
        return NoValue("excluded", "the reply has no words of its own to compare with")
    if heard is None:
        return NoValue("invalid", "the reply's speech was not recognised; `antiphon score` tries again")
    found = (
        word_error(said.text, heard.text)
        if _english(evidence.item)
        else syllable_error(said.text, heard.text, scoring)
    )
    if found.value is None:
        return NoValue("excluded", found.reason or "nothing to compare")
    return Value(found.value, weight=float(found.total))


def clarity_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """Tonal syllable error rate of Mandarin replies, word error rate of English ones, both pooled."""
    return (
        Metric(
            MetricInfo(
                "syllable_error_rate", "Syllable error rate", "%", "lower", 2,
                "Tonal pinyin syllables of the words that the recogniser did not hear so, pooled; the paper "
                "calls it PER (VocalBench-zh C.1, Clarity).", True, "speech",
            ),
            _mandarin,
            partial(speech_error, scoring),
            needs=("transcript",),
        ),
        Metric(
            MetricInfo(
                "word_error_rate", "Word error rate", "%", "lower", 2,
                "Words of an English reply that the recogniser did not hear so, pooled.", True, "speech",
            ),
            _english,
            partial(speech_error, scoring),
            needs=("transcript",),
        ),
    )  # fmt: skip
