"""The starter suite: what a fresh machine evaluates first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.suite import Suite
from antiphon.bench.suites.starter.load import load
from antiphon.bench.suites.vocalbench_zh.metrics import METRICS

if TYPE_CHECKING:
    from antiphon.bench.suite import Metrics, Selection

MAX_TOKENS = 60


def open_suite(chosen: Selection) -> Suite:
    """The items in VocalBench-zh's format, scored by its metrics; replies are capped at 60 tokens."""
    items = tuple(load(chosen.subsets or None))
    return Suite("starter", items, METRICS, source="starter", max_tokens=MAX_TOKENS, spoken_here=True)


def metrics(_: str = "") -> Metrics:
    """The suite's metrics."""
    return METRICS
