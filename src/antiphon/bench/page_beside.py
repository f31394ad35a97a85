"""Several runs on one page that needs no network: what differs, every value, and the pictures of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.beside import beside
from antiphon.bench.compare import compare
from antiphon.bench.page_figures import ability_radar, spoken
from antiphon.bench.page_sets import set_pictures
from antiphon.bench.suites.vocalbench_zh.figures import SUITE, figures
from antiphon.errors import ConfigError
from antiphon.jsonl import write_text
from antiphon.models.ports import is_scripted
from antiphon.report import page
from antiphon.report.series import legend, of_runs
from antiphon.report.tables import MINUS, figure
from antiphon.report.terminal import verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from antiphon.bench.results import MetricInfo, Results
    from antiphon.stats import Paired

# What may differ between runs without a word: it is why they are compared, or decides no number.
_EXPECTED = frozenset({"system", "made at", "machine", "folder", "seed"})


@dataclass(frozen=True, slots=True)
class Change:
    """The second run against the first over the items both have, as printed."""

    value: str
    between: str
    p: str
    meaning: str
    n: int


def render(runs: Sequence[Results]) -> str:
    """The page as HTML. Raises ConfigError where the runs cannot stand side by side (see `beside`)."""
    found = beside(runs)
    changes, notes = _changes(runs)
    apart = [trait.name for trait in found.traits if not trait.same and trait.name not in _EXPECTED]
    drawn = figures(runs) if found.suite == SUITE else None
    return page.render(
        "antiphon.bench",
        "beside.html",
        {
            "found": found,
            "apart": apart,
            "scripted": [
                name
                for name, run in zip(found.names, runs, strict=True)
                if is_scripted(run.manifest.system) or is_scripted(run.manifest.system_uri)
            ],
            "changes": changes,
            "notes": notes,
            "figures": drawn,
            "radar": None if drawn and drawn.radar else ability_radar(runs, found.names),
            "key": legend(of_runs(found.names)),
            "sets": _sets(runs, found.names),
            "spoken": spoken,
        },
    )


def write(runs: Sequence[Results], path: Path) -> Path:
    """Write the page, all or nothing; gives back where it is."""
    write_text(path, render(runs))
    return path


def _sets(runs: Sequence[Results], names: Sequence[str]) -> list[tuple[str, object]]:
    """What was asked: once where all runs asked the same, otherwise run by run."""
    asked = [[(item.id, item.question) for item in run.items] for run in runs]
    if all(one == asked[0] for one in asked):
        return [("", set_pictures(runs[0]))]
    return [(name, set_pictures(run)) for name, run in zip(names, runs, strict=True)]


def _changes(runs: Sequence[Results]) -> tuple[dict[tuple[str, str], Change], tuple[str, ...]]:
    """Of two runs the paired difference by metric and subset, and what was left out of it; of more, nothing."""
    if len(runs) != 2:
        return {}, ("Changes with intervals are shown for two runs; name two RUNs.",)
    try:
        found = compare(runs[0].folder, runs[1].folder)
    except ConfigError as error:
        return {}, (f"No paired comparison: {error}",)
    infos = runs[0].metrics
    rows = [*found.overall, *found.subsets]
    return {(row.metric, row.subset): _change(row, infos[row.metric]) for row in rows}, found.notes


def _change(row: Paired, info: MetricInfo) -> Change:
    p = "<\N{NO-BREAK SPACE}0.001" if row.p < 0.001 else f"{row.p:.3f}"
    between = f"{_signed(row.low, info)} to {_signed(row.high, info)}"
    return Change(_signed(row.difference, info), between, p, verdict(row, info), row.n)


def _signed(value: float, info: MetricInfo) -> str:
    text = figure(value, info)
    return text if text.startswith(MINUS) or float(text) == 0 else f"+{text}"
