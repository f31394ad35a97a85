"""Suites by name, and a user's own suite by its folder."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.bench.suite import Selection
from antiphon.errors import ConfigError, unknown

if TYPE_CHECKING:
    from antiphon.bench.suite import Metrics, OpenSuite, Suite

SUITES = {
    "full-duplex": "antiphon.bench.suites.full_duplex.suite",
    "starter": "antiphon.bench.suites.starter.suite",
    "vocalbench": "antiphon.bench.suites.vocalbench.suite",
    "vocalbench-zh": "antiphon.bench.suites.vocalbench_zh.suite",
}


def open_suite(name: str, chosen: Selection) -> Suite:
    """A suite by name, or the suite in the folder of that name.

    Raises ConfigError for an unknown name, and when questions have no sound and none may be made.
    """
    if chosen.version is not None and name != "full-duplex":
        raise ConfigError(f"--version {chosen.version}: {name} has one set of data; full-duplex has several")
    if name in SUITES:
        opener: OpenSuite = import_module(SUITES[name]).open_suite
        suite = opener(chosen)
    elif Path(name).is_dir():
        from antiphon.bench.suites.own import open_folder

        suite = open_folder(Path(name), chosen)
    else:
        raise unknown("suite", name, SUITES, "or give the folder of your own suite")
    silent = [item.id for item in suite.items if item.audio is None]
    if silent and not chosen.speak_missing and not suite.spoken_here:
        raise ConfigError(
            f"{len(silent)} of {len(suite.items)} questions have no recording (first: {silent[0]}); "
            "add --speak-missing to have them spoken, marked in every result, or fetch the suite's audio"
        )
    return suite


def metrics_of(source: str) -> Metrics:
    """The metrics of the suite that a kept run was made with: a name, `name:folder`, or a folder.

    Raises ConfigError when it is gone.
    """
    name, _, folder = source.partition(":")
    if name in SUITES:
        return import_module(SUITES[name]).metrics(folder)
    if not Path(source).is_dir():
        raise ConfigError(
            f"the suite of this run is gone: no folder {source!r}; bring it back to score again"
        )
    from antiphon.bench.suites.own import open_folder

    return open_folder(Path(source), Selection()).metrics
