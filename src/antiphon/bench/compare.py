"""Two runs of one suite side by side, paired by item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antiphon.bench.folder import load
from antiphon.bench.instruments import COLUMNS, scheme_of
from antiphon.errors import ConfigError
from antiphon.stats import Paired, paired

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from antiphon.bench.items import Item
    from antiphon.bench.results import MetricInfo, Results
    from antiphon.score import Score

ALPHA = 0.05
# What depends on the recogniser that scored, on the judge, and on a scorer whose columns are no metrics.
_HEARD = frozenset(
    {
        "syllable_error_rate", "word_error_rate", "keyword_accuracy_s2s", "english_psr", "english_wer",
        "repetition_rate", "following_rate",
    }
)  # fmt: skip
_JUDGED = frozenset(
    {
        "accuracy", "refusal_rate", "following_rate", "score", "understanding_rate", "generation",
        "empathy_rate", "semantic_empathy_rate", "empathy",
    }
)  # fmt: skip
_MEASURED = {
    "emotion2vec": frozenset(
        {
            "empathy_rate", "empathy", "acoustic_empathy", "acoustic_empathy_rate", "emotion_rate",
            "following_rate",
        }
    ),
}  # fmt: skip


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
    items, notes = _common(a, b)
    if not items:
        raise ConfigError(f"{first} and {second} have no item in common; compare runs of one suite")
    apart = _apart(a, b)
    left_out = {name for names, _ in apart for name in names}
    names = [name for name in a.metrics if name in b.metrics and name not in left_out]
    whole = [row for name in names if (row := _pair(a, b, name, items)) is not None]
    overall = tuple(replace(row, subset="all") for row in whole)
    subsets: dict[str, set[str]] = {}
    for item in a.items:
        if item.id in items:
            subsets.setdefault(item.subset, set()).add(item.id)
    parts = [
        row for name in names for part in subsets.values() if (row := _pair(a, b, name, part)) is not None
    ]
    return Comparison(
        overall, tuple(parts), _regressions(overall, a.metrics), (*(why for _, why in apart), *notes)
    )


def _common(a: Results, b: Results) -> tuple[set[str], list[str]]:
    """The items that both runs asked in the same words, and what is to be said about the others."""
    asked_a, asked_b = ({item.id: _asked(item) for item in run.items} for run in (a, b))
    shared = asked_a.keys() & asked_b.keys()
    same = {item for item in shared if asked_a[item] == asked_b[item]}
    notes: list[str] = []
    if alone := len(asked_a.keys() ^ asked_b.keys()):
        notes.append(f"{_count(alone)} in one run only and left out.")
    if changed := len(shared) - len(same):
        notes.append(f"{_count(changed)} not the same question in both runs and left out.")
    for which, run in (("first", a), ("second", b)):
        if silent := len(same & run.failures.keys()):
            notes.append(f"{_count(silent)} without a reply in the {which} run and left out.")
    return same, notes


def _asked(item: Item) -> tuple[object, ...]:
    return item.question, item.answer, item.history


def _count(items: int) -> str:
    return "1 item is" if items == 1 else f"{items} items are"


def _pair(a: Results, b: Results, metric: str, items: Collection[str]) -> Paired | None:
    def rows(results: Results) -> list[Score]:
        return [score for score in results.scores if score.metric == metric and score.item in items]

    return paired(rows(a), rows(b))


def _regressions(rows: Sequence[Paired], infos: Mapping[str, MetricInfo]) -> tuple[str, ...]:
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


def _apart(a: Results, b: Results) -> list[tuple[frozenset[str], str]]:
    """Metrics that measure the two runs with different means, and why they are left out."""
    found: list[tuple[frozenset[str], str]] = []
    if _machines(a) != _machines(b):
        times = frozenset(name for name, info in a.metrics.items() if info.about == "time")
        found.append((times, "Times are left out: the replies were made on different machines."))
    if a.manifest.transcriber != b.manifest.transcriber:
        found.append((_HEARD, "What was heard is left out: different recognisers listened to the two runs."))
    if a.manifest.judge != b.manifest.judge:
        found.append((_JUDGED, "Judged metrics are left out: the two runs have different judges."))
    scorers = {scheme_of(name): name for name in a.manifest.scorers}
    for name in b.manifest.scorers:
        scheme = scheme_of(name)
        if scorers.get(scheme, name) != name:
            columns = _MEASURED.get(scheme) or frozenset(COLUMNS.get(scheme, ()))
            found.append((columns, f"{scheme} is left out: the two runs have different versions of it."))
    return found


def _machines(results: Results) -> set[object]:
    """Where the replies were made: reused ones keep their machine."""
    return {take.meta.get("machine") for take in results.takes.values()}
