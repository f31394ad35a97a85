"""Emotional empathy: what is said by a judge, how it is said by the emotions heard in it, and both.

Source: VocalBench-zh, C.1, eq. 1 and 2, and Table 12, which has scores and rates of each side and of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from antiphon.bench.metrics.emotions import FIVE, emotions
from antiphon.bench.metrics.judged import verdict_of
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue, Value
from antiphon.stats import summarise

if TYPE_CHECKING:
    from antiphon.bench.items import Item
    from antiphon.score import Score
    from antiphon.stats import Summary

ENOUGH = 3.0
# A flat voice scores about 3 on most items, so this cut decides the rate: others are shown beside it.
OTHER_CUTS = (2.5, 2.75, 2.9, 3.1, 3.25, 3.5)


def acoustic_score(probabilities: dict[str, float], ratings: Sequence[float]) -> float:
    """a = Σ p·r: the item's own ratings of the five emotions, 1 to 5, weighted by what was heard (eq. 1).

    To nine decimals: a sum of floats that should be 3 must not fall below the cut.
    """
    return round(sum(probabilities[name] * rating for name, rating in zip(FIVE, ratings, strict=True)), 9)


def _ratings(item: Item) -> list[float] | None:
    given = cast("list[object]", item.extra.get("Score") or [])
    ratings = [float(one) for one in given if isinstance(one, int | float)]
    return ratings if len(given) == len(ratings) == len(FIVE) else None


def _acoustic(evidence: Evidence) -> Value | NoValue:
    ratings = _ratings(evidence.item)
    if ratings is None:
        return NoValue("invalid", f"the item's `Score` is not one number for each of {', '.join(FIVE)}")
    heard = emotions(evidence)
    if isinstance(heard, NoValue):
        return heard
    return Value(acoustic_score(heard, ratings), evidence={"heard": heard, "ratings": ratings})


def _semantic(evidence: Evidence) -> Value | NoValue:
    return verdict_of("score", evidence)


def _enough(side: Callable[[Evidence], Value | NoValue], evidence: Evidence) -> Value | NoValue:
    found = side(evidence)
    if isinstance(found, NoValue):
        return found
    return Value(float(found.value >= ENOUGH), evidence={**found.evidence, "score": found.value})


def _both(evidence: Evidence) -> tuple[float, float] | NoValue:
    said, heard = _semantic(evidence), _acoustic(evidence)
    if isinstance(said, NoValue) or isinstance(heard, NoValue):
        return said if isinstance(said, NoValue) else cast("NoValue", heard)
    return said.value, heard.value


def _sum(evidence: Evidence) -> Value | NoValue:
    both = _both(evidence)
    return both if isinstance(both, NoValue) else Value(sum(both), evidence=_sides(both))


def _rate(evidence: Evidence) -> Value | NoValue:
    both = _both(evidence)
    return both if isinstance(both, NoValue) else Value(float(min(both) >= ENOUGH), evidence=_sides(both))


def _sides(both: tuple[float, float]) -> dict[str, float]:
    return dict(zip(("semantic", "acoustic"), both, strict=True))


def _sensitivity(_: Sequence[Item], scores: Sequence[Score]) -> list[Summary]:
    """The rate at other cuts of the acoustic side; the judge gives whole numbers, so its cut stays."""
    rows = [score for score in scores if score.metric == "empathy_rate"]
    if not any(row.value is not None for row in rows):
        return []
    return [
        replace(summarise([_at(row, cut) for row in rows]), subset=f"emotion/voice ≥ {cut:g}")
        for cut in OTHER_CUTS
    ]


def _at(row: Score, cut: float) -> Score:
    if row.value is None:
        return row
    passed = row.evidence["semantic"] >= ENOUGH and row.evidence["acoustic"] >= cut
    return replace(row, value=float(passed))


def _covers(item: Item) -> bool:
    return item.subset == "emotion"


def _metric(
    name: str, title: str, what: str, measure: Callable[[Evidence], Value | NoValue],
    ends: tuple[float, float] | None = None, *, judged: bool,
) -> Metric:  # fmt: skip
    percent = ends is None
    info = MetricInfo(
        name, title, "%" if percent else "", "higher", 1 if percent else 2,
        f"{what} (VocalBench-zh C.1 and Table 12).", percent, "ability" if judged else "speech", ends,
    )  # fmt: skip
    return Metric(info, _covers, measure, needs=("judge",) if judged else ())


EMPATHY: tuple[Metric, ...] = (
    replace(
        _metric(
            "empathy_rate", "Empathy rate",
            "Share of replies that reach 3 of 5 both in words, as judged, and in voice", _rate, judged=True,
        ),
        derive=_sensitivity,
    ),
    _metric(
        "semantic_empathy_rate", "Empathy rate, words", "Share of replies whose words reach 3 of 5, as judged",
        partial(_enough, _semantic), judged=True,
    ),
    _metric(
        "empathy", "Empathy", "Judged score of the words plus the score of the voice, 2 to 10", _sum,
        (2.0, 10.0), judged=True,
    ),
    _metric(
        "acoustic_empathy", "Empathy of the voice",
        "The item's ratings of five emotions, 1 to 5, weighted by their probability in the voice", _acoustic,
        (1.0, 5.0), judged=False,
    ),
    _metric(
        "acoustic_empathy_rate", "Empathy rate, voice", "Share of replies whose voice reaches 3 of 5",
        partial(_enough, _acoustic), judged=False,
    ),
)  # fmt: skip
