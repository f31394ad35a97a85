"""Metrics for subsets that go by names of their own: each sees an item as one of the subset it is shaped like."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.bench.items import Item
    from antiphon.bench.suite import Evidence, Metric, NoValue, Value
    from antiphon.judge.judge import Ask
    from antiphon.score import Score
    from antiphon.stats import Summary


def shaped(metric: Metric, like: Mapping[str, str]) -> Metric:
    """The metric with `like` between it and its items: a subset's name → the name the metric knows."""

    def seen(item: Item) -> Item:
        return replace(item, subset=like.get(item.subset, item.subset))

    def covers(item: Item) -> bool:
        return metric.covers(seen(item))

    def measure(evidence: Evidence) -> Value | NoValue:
        return metric.measure(replace(evidence, item=seen(evidence.item)))

    def ask(evidence: Evidence) -> Ask | None:
        return metric.ask(replace(evidence, item=seen(evidence.item))) if metric.ask is not None else None

    def derive(items: Sequence[Item], scores: Sequence[Score]) -> list[Summary]:
        return metric.derive([seen(item) for item in items], scores) if metric.derive is not None else []

    return replace(
        metric,
        covers=covers,
        measure=measure,
        ask=ask if metric.ask is not None else None,
        derive=derive if metric.derive is not None else None,
    )
