"""A user's own suite: items from a folder, scored by the metrics of the subsets they are shaped like."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.bench.suite import Metric, Metrics, Suite
from antiphon.bench.suites.folder import load_folder
from antiphon.bench.suites.vocalbench_zh.metrics import METRICS
from antiphon.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from antiphon.bench.items import Item
    from antiphon.bench.suite import Evidence, NoValue, Selection, Value
    from antiphon.judge.judge import Ask
    from antiphon.score import Score
    from antiphon.stats import Summary


def open_folder(folder: Path, chosen: Selection) -> Suite:
    """The suite in a folder. Raises ConfigError and DataError for a folder that is not one."""
    found = load_folder(folder, chosen.subsets or None)
    named = {metric.info.name for metrics in METRICS.values() for metric in metrics}
    for name in found.metrics:
        if name not in named:
            raise unknown("metric", name, named, f"mend `metrics` in {folder / 'suite.toml'}")
    metrics: Metrics = {
        scoring: tuple(
            _reshaped(metric, found.like)
            for metric in offered
            if not found.metrics or metric.info.name in found.metrics
        )
        for scoring, offered in METRICS.items()
    }
    return Suite(found.name, found.items, metrics, source=str(folder.resolve()))


def _reshaped(metric: Metric, like: Mapping[str, str]) -> Metric:
    """The metric, which sees each item as one of the subset that its file is shaped like."""

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
