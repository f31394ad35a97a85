"""The English VocalBench as a suite: the user's copy of the data, and the metrics that Mandarin has too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.suite import Suite
from antiphon.bench.suites.hub import folder_of
from antiphon.bench.suites.vocalbench.load import load
from antiphon.bench.suites.vocalbench.metrics import METRICS
from antiphon.bench.suites.vocalbench.subsets import SOURCE, SUBSETS
from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from antiphon.bench.suite import Metrics, Selection

HUB = {"VocalNet/VocalBench": {name: name for name in SUBSETS}}


def open_suite(chosen: Selection) -> Suite:
    """The published set in the folder that the user names. Raises ConfigError without one."""
    if chosen.data is None:
        raise ConfigError(
            f"vocalbench needs --data FOLDER with its JSON files, from {SOURCE}; or --data hf: to fetch it"
        )
    names = [name for name, subset in SUBSETS.items() if subset.counted]
    folder = folder_of(chosen.data, HUB, list(chosen.subsets) or names)
    return Suite("vocalbench", tuple(load(folder, chosen.subsets or None)), METRICS, source="vocalbench")


def metrics(_: str = "") -> Metrics:
    """The suite's metrics."""
    return METRICS
