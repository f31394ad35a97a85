"""The metrics of VocalBench-zh and of every suite in its format, by scoring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.metrics.answers import keyword_metrics
from antiphon.bench.metrics.clarity import clarity_metrics
from antiphon.bench.metrics.code_switching import code_switching_metrics
from antiphon.bench.metrics.empathy import EMPATHY
from antiphon.bench.metrics.following import following_metrics
from antiphon.bench.metrics.judged import judged_metrics
from antiphon.bench.metrics.latency import LATENCY
from antiphon.bench.metrics.quality import QUALITY
from antiphon.bench.metrics.robustness import preserve_metrics
from antiphon.bench.suite import SCORINGS, Metric, Metrics, Scoring
from antiphon.bench.suites.vocalbench_zh.rubrics import prompts_for
from antiphon.bench.suites.vocalbench_zh.subsets import SCORED_CONDITIONS

if TYPE_CHECKING:
    from collections.abc import Sequence


def _of(scoring: Scoring) -> Sequence[Metric]:
    return (
        EMPATHY[0],  # before the judge's score: of an ability the radar shows the first metric with a value
        *judged_metrics(scoring, prompts_for),
        *following_metrics(scoring, prompts_for),
        *EMPATHY[1:],
        *code_switching_metrics(prompts_for),
        *preserve_metrics(scoring, SCORED_CONDITIONS),
        *keyword_metrics(scoring),
        *clarity_metrics(scoring),
        *QUALITY,
        *LATENCY,
    )


METRICS: Metrics = {scoring: tuple(_of(scoring)) for scoring in SCORINGS}
