"""Full-Duplex-Bench as a suite: the user's copy of the data, performed in real time, scored version by version."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.bench.suite import SCORINGS, Suite
from antiphon.bench.suites.full_duplex.acoustics import acoustic_metrics
from antiphon.bench.suites.full_duplex.backchannel import backchannel_metrics
from antiphon.bench.suites.full_duplex.behaviour import behaviour_metrics
from antiphon.bench.suites.full_duplex.dynamics import dynamics_metrics
from antiphon.bench.suites.full_duplex.features import feature_metrics
from antiphon.bench.suites.full_duplex.key_information import key_information_metrics
from antiphon.bench.suites.full_duplex.load import load
from antiphon.bench.suites.full_duplex.open_sets import open_metrics
from antiphon.bench.suites.full_duplex.overlap import overlap_metrics
from antiphon.bench.suites.full_duplex.subsets import OPEN, SOURCE, VERSIONS, known_version
from antiphon.bench.suites.full_duplex.takeover import takeover_metrics
from antiphon.bench.suites.full_duplex.tool_use import tool_metrics
from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from antiphon.bench.suite import Metric, Metrics, Scoring, Selection

NAME = "full-duplex"
PUBLISHED = Path(__file__).parent / "published"
EARS = "whisper:base?beam=5&words=1"  # the published scripts use nvidia/parakeet-tdt-0.6b-v2


def open_suite(chosen: Selection) -> Suite:
    """The samples in the folder that the user names. Raises ConfigError without a version or a folder."""
    version = known_version(chosen.version)
    if version == OPEN:
        raise ConfigError(
            "full-duplex open is written and performed in one: antiphon run --suite full-duplex --version open"
        )
    if chosen.data is None:
        names = ", ".join(subset.name for subset in VERSIONS[version])
        raise ConfigError(f"full-duplex {version} needs --data FOLDER with {names}, from {SOURCE}")
    items = tuple(load(chosen.data, version, chosen.subsets))
    source = f"{NAME}:{version}"
    return Suite(f"{NAME}-{version}", items, metrics(version), source, live=True, transcriber=EARS)


def metrics(version: str = "") -> Metrics:
    """The metrics of one version. Raises ConfigError for another."""
    known = known_version(version)
    return {scoring: _of(known, scoring) for scoring in SCORINGS}


def _of(version: str, scoring: Scoring) -> tuple[Metric, ...]:
    if version == OPEN:
        return open_metrics()
    if version == "1.0":
        return (*takeover_metrics(scoring), *backchannel_metrics(scoring))
    if version == "1.5":
        return (
            *behaviour_metrics(scoring),
            *overlap_metrics(scoring),
            *feature_metrics(scoring),
            *acoustic_metrics(scoring),
        )
    return (*tool_metrics(scoring), *dynamics_metrics(scoring), *key_information_metrics(scoring))
