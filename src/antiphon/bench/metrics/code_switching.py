"""Code switching: the language of the answer, the English words in it, understanding and content.

Source: VocalBench-zh, C.1 and Table 13, which takes its indicators from CS3-Bench (arXiv 2510.07881). Their counts
were read off the table: PSR and WER share one denominator, the English words of the replies' text.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.metrics.judged import RIGHT_ABOVE, fields_of, verdict_of
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue, Value
from antiphon.judge.judge import Ask
from antiphon.text.align import align
from antiphon.text.normalise import words
from antiphon.text.script import language_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.bench.items import Item
    from antiphon.judge.prompt import Prompt
    from antiphon.text.align import Alignment

_ENGLISH = re.compile("[a-z]")


def english_words(text: str) -> list[str]:
    """The English words of a mixed text, in comparable form; digits are read in Mandarin (GPT4: gpt)."""
    return [word for word in words(text, "zh") if _ENGLISH.search(word)]


def _aligned(evidence: Evidence) -> Alignment | NoValue:
    """The reply's English words beside those that were heard; Mandarin on both sides is left out."""
    said, heard = evidence.said, evidence.heard
    if said.clip is None and heard is None:
        return NoValue("excluded", "the reply has no speech")
    ours = english_words(said.text)
    if not ours:
        return NoValue("excluded", "the reply has no English words")
    if heard is None:
        return NoValue("invalid", "the reply's speech was not recognised; `antiphon score` tries again")
    return align(ours, english_words(heard.text))


def _heard_rightly(evidence: Evidence) -> Value | NoValue:
    found = _aligned(evidence)
    if isinstance(found, NoValue):
        return found
    hits = found.count("equal")
    return Value(hits / found.length, weight=float(found.length), evidence={"right": hits})


def _heard_wrongly(evidence: Evidence) -> Value | NoValue:
    found = _aligned(evidence)
    if isinstance(found, NoValue):
        return found
    return Value(found.errors / found.length, weight=float(found.length), evidence={"errors": found.errors})


def _in_language(evidence: Evidence) -> Value | NoValue:
    """The language of the words, or of what was heard where a system gives no words."""
    text = evidence.said.text.strip() or (evidence.heard.text.strip() if evidence.heard else "")
    if not text:
        return NoValue("excluded", "the reply has no words")
    found = language_of(text)
    return Value(float(found == evidence.item.language), evidence={"language": found})


def _understood(evidence: Evidence) -> Value | NoValue:
    found = verdict_of("score", evidence)
    if isinstance(found, NoValue):
        return found
    return Value(float(found.value > RIGHT_ABOVE), evidence={**found.evidence, "score": found.value})


def _of(*subsets: str) -> Callable[[Item], bool]:
    def covers(item: Item) -> bool:
        return item.subset in subsets

    return covers


def code_switching_metrics(prompts_for: Callable[[Item], tuple[Prompt, ...]]) -> tuple[Metric, ...]:
    """Table 13 beside its accuracies and their preserve rate. Both scorings count alike.

    Of an open-ended item's two prompts the first, its relevance, is asked under `score`.
    """

    def asks(evidence: Evidence) -> Ask | None:
        prompts = prompts_for(evidence.item)[1:]
        return Ask(prompts[0], fields_of(evidence.item, evidence.said.text)) if prompts else None

    knowledge, open_ended, mixed = (
        _of("cs_knowledge"),
        _of("cs_open_ended"),
        _of("cs_knowledge", "cs_open_ended"),
    )
    return (
        Metric(
            MetricInfo(
                "understanding_rate", "Understood", "%", "higher", 1,
                "Share of mixed questions that were understood: relevance above 3 of 5, as judged "
                "(VocalBench-zh, Table 13).", True,
            ),
            open_ended, _understood, needs=("judge",),
        ),
        Metric(
            MetricInfo(
                "generation", "Generation", "", "higher", 2,
                "The judge's score from 1 to 5 for what a reply to a mixed question says "
                "(VocalBench-zh, Table 13).", False, ends=(1.0, 5.0),
            ),
            open_ended, partial(verdict_of, "generation"), needs=("judge",), ask=asks,
        ),
        Metric(
            MetricInfo(
                "lsa", "Language kept", "%", "higher", 1,
                "Share of replies to mixed questions in the question's main language "
                "(LSA in VocalBench-zh, Table 13).", True,
            ),
            knowledge, _in_language,
        ),
        Metric(
            MetricInfo(
                "english_psr", "English words heard", "%", "higher", 1,
                "English words of the reply that the recogniser heard so, pooled (PSR in VocalBench-zh, "
                "Table 13).", True, "speech",
            ),
            mixed, _heard_rightly, needs=("transcript",),
        ),
        Metric(
            MetricInfo(
                "english_wer", "English word errors", "%", "lower", 1,
                "English words lost, replaced or added in what was heard, over those of the reply, pooled "
                "(WER in VocalBench-zh, Table 13).", True, "speech",
            ),
            mixed, _heard_wrongly, needs=("transcript",),
        ),
    )  # fmt: skip
