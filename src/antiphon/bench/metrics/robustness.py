"""Preserve rate: how much of its clean score a system keeps under noise, or in mixed language."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.derived import Kept, preserved, source_of
from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue
from antiphon.stats import summarise

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from antiphon.bench.conditions import Condition
    from antiphon.bench.items import Item
    from antiphon.bench.suite import Scoring
    from antiphon.score import Score
    from antiphon.stats import Summary


def label_of(condition: Condition) -> str:
    """How a condition is called in summaries: robust/white_noise/snr_-5."""
    return "/".join(("robust", *condition))


def preserve_metrics(scoring: Scoring, scored: Collection[Condition]) -> tuple[Metric, ...]:
    """Preserve rates of robustness, by condition and over the `scored` ones, and of code switching.

    In the average each condition counts at most 100 % (VocalBench-zh C.2). `strict` pairs by source item;
    `paper` divides the means of whatever is valid on either side.
    """
    paired = scoring == "strict"
    robust = MetricInfo(
        "preserve_rate", "Preserve rate", "%", "higher", 1,
        "Score under a condition over the clean score of the same questions; over all, the mean of the scored "
        "conditions, each at most 100 % (VocalBench-zh C.1, eq. 5).", True,
    )  # fmt: skip
    mixed = MetricInfo(
        "cs_preserve_rate", "Preserve rate, mixed", "%", "higher", 1,
        "Accuracy on mixed questions over that on the same in English (VocalBench-zh C.1, eq. 3).", True,
    )  # fmt: skip
    return (
        Metric(robust, _nothing, _no_row, derive=partial(_robustness, paired, frozenset(scored))),
        Metric(mixed, _nothing, _no_row, derive=partial(_switching, paired)),
    )


def _nothing(_: Item) -> bool:
    return False


def _no_row(_: Evidence) -> NoValue:
    return NoValue("excluded", "a preserve rate belongs to a group, not to an item")


def _robustness(
    paired: bool, scored: frozenset[Condition], items: Sequence[Item], scores: Sequence[Score]
) -> list[Summary]:
    """The average, then each condition's score and rate; nothing without robustness items."""
    conditions: dict[Condition, set[str]] = {}
    for item in items:
        if item.subset == "robust":
            conditions.setdefault((item.category, str(item.extra.get("Level") or "")), set()).add(item.id)
    if not conditions:
        return []
    rows = [score for score in scores if score.metric == "score"]
    by_item = {row.item: row for row in rows}
    strained = {
        condition: [by_item[item] for item in sorted(ids) if item in by_item]
        for condition, ids in conditions.items()
    }
    sources = {source_of(row) for group in strained.values() for row in group}
    clean = clean_rows(items, by_item, sources)
    pairs = {condition: Kept(group, clean) for condition, group in strained.items()}
    found = [summary for condition in pairs for summary in _condition(condition, pairs[condition], paired)]
    return [_average(pairs, scored, paired), *found]


def clean_rows(items: Sequence[Item], by_item: Mapping[str, Score], sources: Collection[str]) -> list[Score]:
    """The rows of the same questions undisturbed: `robust_clean` if it was run, else of `single_round`."""
    for subset in ("robust_clean", "single_round"):
        ids = [item.id for item in items if item.subset == subset and item.id in by_item]
        if ids:
            return [by_item[item] for item in ids if source_of(by_item[item]) in sources]
    return []


def _condition(condition: Condition, pair: Kept, paired: bool) -> list[Summary]:
    label = label_of(condition)
    rate = preserved("preserve_rate", label, [pair], paired=paired)
    if not pair.clean:
        rate = replace(rate, reasons=(_NO_CLEAN, *rate.reasons)[:5])
    score = [replace(summarise(pair.strained), subset=label)] if pair.strained else []
    return [*score, rate]


_NO_CLEAN = "the same questions were not run clean; add --subset robust_clean or single_round"


def _average(pairs: Mapping[Condition, Kept], scored: frozenset[Condition], paired: bool) -> Summary:
    """Over the scored conditions, None where one of them was not run: five are not six."""
    here = [pairs[condition] for condition in sorted(scored) if condition in pairs]
    average = preserved("preserve_rate", "robust", here, paired=paired, most=1.0)
    missing = [label_of(condition) for condition in sorted(scored - pairs.keys())]
    reasons = () if all(pair.clean for pair in here) else (_NO_CLEAN,)
    if missing:
        reasons = (f"the average needs all {len(scored)} scored conditions; not run: {', '.join(missing)}",)
        average = replace(average, value=None, low=None, high=None, interval="none", n=0)
    return replace(average, reasons=(*reasons, *average.reasons)[:5])


def _switching(paired: bool, items: Sequence[Item], scores: Sequence[Score]) -> list[Summary]:
    mixed, english = (
        {item.id for item in items if item.subset == subset} for subset in ("cs_knowledge", "cs_knowledge_en")
    )
    rows = [score for score in scores if score.metric == "accuracy"]
    strained = [row for row in rows if row.item in mixed]
    clean = [row for row in rows if row.item in english]
    if not (mixed and english):
        return []
    return [preserved("cs_preserve_rate", "cs_knowledge", [Kept(strained, clean)], paired=paired)]
