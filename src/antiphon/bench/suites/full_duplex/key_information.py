"""Version 3.0: how long a person waits until the agent says what they wanted to know, filler left out.

The published evaluation lets a language model part an answer into filler and key information; here a judge that the
user names gives the number of the first word that answers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.metrics.judged import verdict_of
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.dynamics import interrupts
from antiphon.bench.suites.full_duplex.judging import ask_key_information
from antiphon.bench.suites.full_duplex.sides import untimed, words_of
from antiphon.bench.suites.full_duplex.subsets import TASKS

if TYPE_CHECKING:
    from antiphon.bench.items import Item
    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.judge.judge import Ask

_NAME = "key_information_s"


def key_information(scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Seconds from the person's end to the first word that answers.

    Excluded where the agent says nothing, or nothing that answers, or answers before that end. paper: also where it
    began to speak before that end, as for the first response; strict: early filler does not hide a late answer.
    """
    if (gap := untimed(evidence)) is not None:
        return gap
    early = interrupts(scoring, evidence)
    if isinstance(early, NoValue):
        return early
    if scoring == "paper" and early.value == 1.0:
        return NoValue("excluded", "the agent began before the person had ended")
    found = verdict_of(_NAME, evidence)
    if isinstance(found, NoValue):
        return found
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    place = round(found.value)
    if not 1 <= place <= len(words):
        return NoValue("excluded", "the agent says nothing that answers")
    word = words[place - 1]
    wait_s = word.start_s - float(early.evidence["person_ends_s"])
    if wait_s < 0:
        return NoValue("excluded", "the agent answered before the person had ended")
    return Value(wait_s, evidence={**found.evidence, "first_word": word.text, "at_s": word.start_s})


def _ask(scoring: Scoring, evidence: Evidence) -> Ask | None:
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue) or not words:
        return None
    return ask_key_information(evidence, [word.text for word in words])


def key_information_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """The wait for what the person wanted to know."""
    return (
        Metric(
            MetricInfo(
                _NAME, "Key information", "s", "lower", 3,
                "From the person's end to the first word that answers, as judged with our prompt (FDB v3.0).", False,
                "time",
            ),
            _covers, partial(key_information, scoring), ("judge", "transcript"), partial(_ask, scoring),
        ),
    )  # fmt: skip


def _covers(item: Item) -> bool:
    return TASKS.get(item.subset) == "tools"
