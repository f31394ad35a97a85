"""The metrics of the English VocalBench, by scoring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.metrics.answers import keyword_metrics
from antiphon.bench.metrics.clarity import clarity_metrics
from antiphon.bench.metrics.empathy import EMPATHY
from antiphon.bench.metrics.following import following_metrics
from antiphon.bench.metrics.judged import judged_metrics
from antiphon.bench.metrics.latency import LATENCY
from antiphon.bench.metrics.quality import QUALITY
from antiphon.bench.metrics.robustness import preserve_metrics
from antiphon.bench.suite import SCORINGS, Metric, Metrics, Scoring
from antiphon.bench.suites.shaped import shaped
from antiphon.bench.suites.vocalbench.rubrics import prompts_for
from antiphon.bench.suites.vocalbench.subsets import LIKE
from antiphon.bench.suites.vocalbench_zh.subsets import SCORED_CONDITIONS

if TYPE_CHECKING:
    from collections.abc import Sequence


def _of(scoring: Scoring) -> Sequence[Metric]:
    return (
        EMPATHY[0],
        *judged_metrics(scoring, prompts_for),
        *following_metrics(scoring, prompts_for),
        *EMPATHY[1:],
        *preserve_metrics(scoring, SCORED_CONDITIONS),
        *keyword_metrics(scoring),
        *clarity_metrics(scoring),
        *QUALITY,
        *LATENCY,
    )


METRICS: Metrics = {scoring: tuple(shaped(metric, LIKE) for metric in _of(scoring)) for scoring in SCORINGS}
