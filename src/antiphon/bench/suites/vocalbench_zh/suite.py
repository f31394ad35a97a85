"""VocalBench-zh as a suite: the user's copy of the data, the paper's metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.suite import Suite
from antiphon.bench.suites.vocalbench_zh.load import SOURCE, load
from antiphon.bench.suites.vocalbench_zh.metrics import METRICS
from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from antiphon.bench.suite import Selection


def open_suite(chosen: Selection) -> Suite:
    """The published set in the folder that the user names. Raises ConfigError without one."""
    if chosen.data is None:
        raise ConfigError(f"vocalbench-zh needs --data FOLDER with its JSON files; they are in {SOURCE}")
    return Suite(
        "vocalbench-zh", tuple(load(chosen.data, chosen.subsets or None)), METRICS, source="vocalbench-zh"
    )
