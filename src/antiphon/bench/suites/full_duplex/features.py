"""Version 1.5: how fast the agent speaks before and after the overlap."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.sides import words_of
from antiphon.bench.suites.full_duplex.subsets import TASKS

if TYPE_CHECKING:
    from antiphon.bench.suite import Evidence, Scoring
    from antiphon.bench.suites.full_duplex.sides import Words


def split_s(words: Words, end_s: float) -> float:
    """The overlap's end, moved to the beginning of the word that it cuts or that follows; to the last word's end."""
    return next((word.start_s for word in words if end_s < word.end_s), words[-1].end_s if words else end_s)


def split(words: Words, end_s: float) -> tuple[Words, Words]:
    """Words before and after the overlap's end: a word that it cuts comes after."""
    at_s = split_s(words, end_s)
    return tuple(word for word in words if word.end_s <= at_s), tuple(
        word for word in words if word.end_s > at_s
    )


def words_per_minute(words: Words) -> float:
    """From the first word's beginning to the last one's end; 0 where that takes no time."""
    lasts_s = words[-1].end_s - words[0].start_s if words else 0.0
    return 60 * len(words) / lasts_s if lasts_s > 0 else 0.0


def rate(place: int, scoring: Scoring, evidence: Evidence) -> Value | NoValue:
    """Words a minute before (0) or after (1). paper: 0 where there are none; strict: excluded."""
    words = words_of(scoring, evidence, "agent")
    if isinstance(words, NoValue):
        return words
    part = split(words, evidence.item.extra["overlap"][1])[place]
    found = words_per_minute(part)
    if scoring == "strict" and found == 0.0:
        return NoValue("excluded", f"the agent says nothing {('before', 'after')[place]} the overlap's end")
    return Value(found, evidence={"words": len(part)})


def feature_metrics(scoring: Scoring) -> tuple[Metric, ...]:
    """Speaking rate on both sides of the overlap."""
    return tuple(
        Metric(
            MetricInfo(
                f"wpm_{name}", f"Words a minute {name}", "1/min", "neither", 1,
                f"The agent's speaking rate {name} the overlap's end (FDB v1.5, WPM).", False, "speech",
            ),
            lambda item: TASKS.get(item.subset) == "overlap",
            partial(rate, place, scoring),
            ("transcript",),
        )
        for place, name in enumerate(("before", "after"))
    )  # fmt: skip
