"""A user's own suite: items from a folder, scored by the metrics of the subsets they are shaped like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.suite import Metrics, Suite
from antiphon.bench.suites.folder import load_folder
from antiphon.bench.suites.shaped import shaped
from antiphon.bench.suites.vocalbench_zh.metrics import METRICS
from antiphon.errors import unknown

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.bench.suite import Selection


def open_folder(folder: Path, chosen: Selection) -> Suite:
    """The suite in a folder. Raises ConfigError and DataError for a folder that is not one."""
    found = load_folder(folder, chosen.subsets or None)
    named = {metric.info.name for metrics in METRICS.values() for metric in metrics}
    for name in found.metrics:
        if name not in named:
            raise unknown("metric", name, named, f"mend `metrics` in {folder / 'suite.toml'}")
    metrics: Metrics = {
        scoring: tuple(
            shaped(metric, found.like)
            for metric in offered
            if not found.metrics or metric.info.name in found.metrics
        )
        for scoring, offered in METRICS.items()
    }
    return Suite(found.name, found.items, metrics, source=str(folder.resolve()))
