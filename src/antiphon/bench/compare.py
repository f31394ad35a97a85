"""Two runs of one suite side by side, paired by item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.folder import load
from antiphon.errors import ConfigError
from antiphon.stats import Paired, paired

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from antiphon.bench.results import MetricInfo, Results
    from antiphon.score import Score

ALPHA = 0.05
_TIMES = frozenset({"rtf", "first_token_s", "first_audio_s"})


@dataclass(frozen=True, slots=True)
class Comparison:
    """B against A: every metric over all common items and by subset, and what got worse for certain.

    `regressions` names metrics whose overall difference is for the worse with p < 0.05 after Holm's
    correction over the metrics compared; `notes` says what was left out and why.
    """

    overall: tuple[Paired, ...]
    subsets: tuple[Paired, ...]
    regressions: tuple[str, ...]
    notes: tuple[str, ...]


def compare(first: Path, second: Path) -> Comparison:
    """Compare two finished runs. Raises ConfigError when their numbers cannot be set side by side."""
    a, b = load(first), load(second)
    if a.manifest.scoring != b.manifest.scoring:
        raise ConfigError(
            f"scored differently ({a.manifest.scoring} and {b.manifest.scoring}); "
            f"`antiphon score {second} --scoring {a.manifest.scoring}` makes them alike"
        )
    if not {item.id for item in a.items} & {item.id for item in b.items}:
        raise ConfigError(f"{first} and {second} have no item in common; compare runs of one suite")
    notes = _notes(a, b)
    same_machine = a.manifest.meta.get("machine") == b.manifest.meta.get("machine")
    names = [name for name in a.metrics if name in b.metrics and (same_machine or name not in _TIMES)]
    overall = [row for name in names if (row := _pair(a, b, name, None)) is not None]
    subsets = dict.fromkeys(item.subset for item in a.items)
    parts = [row for name in names for subset in subsets if (row := _pair(a, b, name, subset)) is not None]
    return Comparison(tuple(overall), tuple(parts), _regressions(overall, a.metrics), notes)


def _pair(a: Results, b: Results, metric: str, subset: str | None) -> Paired | None:
    def rows(results: Results) -> list[Score]:
        return [
            score for score in results.scores
            if score.metric == metric and subset in (None, score.subset)
        ]  # fmt: skip

    found = paired(rows(a), rows(b))
    if found is None or subset is not None:
        return found
    return Paired(
        metric, "all", found.n, found.a, found.b, found.difference, found.low, found.high, found.p, found.test
    )


def _regressions(rows: list[Paired], infos: Mapping[str, MetricInfo]) -> tuple[str, ...]:
    """Holm's step-down over all compared metrics, then those that moved for the worse."""
    better = {name: info.better for name, info in infos.items()}
    tested = sorted((row for row in rows if better[row.metric] != "neither"), key=lambda row: row.p)
    worse: list[str] = []
    for rank, row in enumerate(tested):
        if row.p * (len(tested) - rank) >= ALPHA:
            break
        if (row.difference < 0) == (better[row.metric] == "higher"):
            worse.append(row.metric)
    return tuple(worse)


def _notes(a: Results, b: Results) -> tuple[str, ...]:
    notes: list[str] = []
    if a.manifest.meta.get("machine") != b.manifest.meta.get("machine"):
        notes.append("Times are left out: the runs were made on different machines.")
    if a.manifest.transcriber != b.manifest.transcriber:
        notes.append("Different recognisers scored the two runs: error rates are not comparable.")
    if a.manifest.judge != b.manifest.judge:
        notes.append("Different judges scored the two runs: judged metrics are not comparable.")
    only = {item.id for item in a.items} ^ {item.id for item in b.items}
    if only:
        notes.append(f"{len(only)} items are in one run only and were left out.")
    return tuple(notes)
