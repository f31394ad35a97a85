"""Right answers: by keyword, by keyword as spoken, and as a judge sees them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.metrics.clarity import speech_error
from antiphon.bench.metrics.keyword import (
    paper_forms,
    paper_keyword,
    spoken_right,
    strict_forms,
    strict_keyword,
)
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue, Value

if TYPE_CHECKING:
    from antiphon.bench.items import Item
    from antiphon.bench.suite import Scoring

# Subsets whose answer is a concise keyword (appendix C.1), with the two of our own in English.
KEYWORD_SUBSETS = frozenset(
    {
        "chinese_knowledge", "foreign_knowledge", "general_knowledge", "cs_knowledge", "cs_knowledge_en",
        "english_knowledge",
    }
)  # fmt: skip


def has_keyword(item: Item) -> bool:
    """Whether the item's answer is a keyword to look for."""
    return item.subset in KEYWORD_SUBSETS and bool(item.answer)


def found_keyword(scoring: Scoring, evidence: Evidence) -> tuple[bool, dict[str, str]]:
    """Whether the reply's words hold the answer, under either scoring."""
    item, text = evidence.item, evidence.said.text
    if scoring == "paper":
        return paper_keyword(paper_forms(item), text)
    language = "en" if item.language == "en" else "zh"
    return strict_keyword(strict_forms(item), text, item.question, language)


def _in_words(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    if not evidence.said.text.strip():
        return NoValue("excluded", "the reply has no words of its own")
    right, why = found_keyword(scoring, evidence)
    return Value(float(right), evidence=dict(why))


def _as_spoken(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    said = evidence.said
    if said.clip is None and evidence.heard is None:
        return NoValue("excluded", "the reply has no speech")
    in_words = _in_words(scoring, evidence)
    if isinstance(in_words, NoValue):
        return in_words
    error = speech_error(scoring, evidence)
    rate = error.value if isinstance(error, Value) else None
    right = spoken_right(in_words.value == 1.0, rate)
    if right is None:
        return error if isinstance(error, NoValue) else NoValue("invalid", "no error rate")
    return Value(float(right), evidence={"error_rate": rate})


def keyword_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """Keyword accuracy in words (S2T) and as spoken (S2S)."""
    return (
        Metric(
            MetricInfo(
                "keyword_accuracy", "Keyword accuracy", "%", "higher", 1,
                "The reply's words hold the answer (VocalBench-zh C.1, Knowledge, before the judge).", True,
            ),
            has_keyword,
            partial(_in_words, scoring),
        ),
        Metric(
            MetricInfo(
                "keyword_accuracy_s2s", "Keyword accuracy, spoken", "%", "higher", 1,
                "The words hold the answer and are spoken with an error rate below 5 % (Table 6, S2S).", True,
            ),
            has_keyword,
            partial(_as_spoken, scoring),
            needs=("transcript",),
        ),
    )  # fmt: skip
