"""Several runs of one suite side by side: their values row by row, and what keeps them apart. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.results import names_of
from antiphon.bench.speech import run_speech, speech_label, speech_of
from antiphon.errors import ConfigError
from antiphon.report.tables import cell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.bench.results import MetricInfo, Results
    from antiphon.report.tables import Cell

ALL = "all"


@dataclass(frozen=True, slots=True)
class Row:
    """One subset under one metric: a cell a run, None where the run has no such row.

    `speech` tells whether the subset's questions were recorded or synthetic, over all runs.
    """

    subset: str
    speech: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One metric: a row for each subset where any run has a value, the row over everything last."""

    info: MetricInfo
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing that decides a run's numbers, run by run; `same` tells whether all have the same."""

    name: str
    values: tuple[str, ...]
    same: bool


@dataclass(frozen=True, slots=True)
class Beside:
    """Runs side by side, in the order given."""

    suite: str
    names: tuple[str, ...]
    traits: tuple[Trait, ...]
    blocks: tuple[Block, ...]


def beside(runs: Sequence[Results]) -> Beside:
    """Set runs side by side. Raises ConfigError for fewer than two, one run twice, or runs of several suites."""
    if len(runs) < 2:
        raise ConfigError("one run has nothing beside it; name two or more RUNs")
    folders = [run.folder.resolve() for run in runs]
    if len(set(folders)) < len(folders):
        raise ConfigError("a run stands beside itself; name each RUN once")
    suites = list(dict.fromkeys(run.manifest.suite for run in runs))
    if len(suites) > 1:
        raise ConfigError(f"runs of {' and '.join(suites)} share no questions; name runs of one suite")
    infos = {name: info for run in reversed(runs) for name, info in run.metrics.items()}
    order = dict.fromkeys(name for run in runs for name in run.metrics)
    blocks = [block for name in order if (block := _block(runs, infos[name])).rows]
    return Beside(suites[0], tuple(names_of(runs)), _traits(runs), tuple(blocks))


def _block(runs: Sequence[Results], info: MetricInfo) -> Block:
    found = [
        {summary.subset: summary for summary in run.summaries if summary.metric == info.name} for run in runs
    ]
    whole = dict.fromkeys(item.subset for run in runs for item in run.items)
    rows: list[Row] = []
    for subset in [*whole, ALL]:
        here = [one.get(subset) for one in found]
        if any(summary is not None and summary.value is not None for summary in here):
            cells = tuple(None if summary is None else cell(summary, info) for summary in here)
            rows.append(Row(subset, _speech(runs, subset), cells))
    return Block(info, tuple(rows))


def _speech(runs: Sequence[Results], subset: str) -> str:
    return speech_label(
        speech_of(item, run.takes.get(item.id))
        for run in runs
        for item in run.items
        if subset in (ALL, item.subset)
    )


_TRAITS: tuple[tuple[str, Callable[[Results], str]], ...] = (
    ("system", lambda run: run.manifest.system),
    ("items", lambda run: f"{len(run.items):,}"),
    ("questions", run_speech),
    ("questions spoken by", lambda run: run.manifest.synthesizer or "recordings only"),
    ("scoring", lambda run: run.manifest.scoring),
    ("judge", lambda run: run.manifest.judge or "none"),
    ("recogniser", lambda run: run.manifest.transcriber),
    ("other scorers", lambda run: ", ".join(run.manifest.scorers) or "none"),
    ("seed", lambda run: str(run.manifest.seed)),
    ("made at", lambda run: str(run.manifest.meta.get("made_at", "not known"))),
    ("machine", lambda run: str(run.manifest.meta.get("machine", "not known"))),
    ("folder", lambda run: str(run.folder)),
)


def _traits(runs: Sequence[Results]) -> tuple[Trait, ...]:
    found: list[Trait] = []
    for name, read in _TRAITS:
        values = tuple(read(run) for run in runs)
        found.append(Trait(name, values, len(set(values)) == 1))
    return tuple(found)
