"""What a run gives for one column of a published table: a mean, a number of successes, a preserve rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

from antiphon.bench.derived import Kept, preserved
from antiphon.bench.metrics.keyword import spoken_right
from antiphon.score import Score
from antiphon.stats import summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.bench.items import Item
    from antiphon.bench.results import Results
    from antiphon.stats import Summary


@dataclass(frozen=True, slots=True)
class Group:
    """Which rows of a run: a metric (a pattern takes the first that fits) over subsets, one or several categories,
    and a detail (sub-category or level).

    `of` is how many items the published set has there; `passed` turns each value into 1 or 0; `spoken`
    also asks that the reply was heard as written (an error rate below 5 %).
    """

    metric: str
    subsets: tuple[str, ...]
    category: str | tuple[str, ...] = ""
    detail: str = ""
    of: int = 0
    passed: Callable[[float], bool] | None = None
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class Mean:
    """The (weighted) mean of a group. `limited` says what its metric leaves out of the paper's."""

    group: Group
    limited: str = ""


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over a group: of its values (a number of successes), of its weights (the seconds that a
    real-time factor divides by), or of their products (the seconds that it divides)."""

    group: Group
    limited: str = ""
    what: Literal["values", "weights", "products"] = "values"


@dataclass(frozen=True, slots=True)
class Rate:
    """The mean over pairs of one group's mean over another's, each at most `at_most` if given."""

    pairs: tuple[tuple[Group, Group], ...]
    at_most: float | None = None
    limited: str = ""


Source = Mean | Total | Rate


@dataclass(frozen=True, slots=True)
class Found:
    """A column's value, the share of the published items behind it, and what it leaves out."""

    summary: Summary
    covered: float
    limited: str


class Rows:
    """The rows of one run, found by group."""

    def __init__(self, results: Results) -> None:
        self.paired = results.manifest.scoring == "strict"
        self._items = {item.id: item for item in results.items}
        self._scores: dict[tuple[str, str], list[Score]] = {}
        for score in results.scores:
            self._scores.setdefault((score.metric, score.subset), []).append(score)
        self._metrics = {metric for metric, _ in self._scores}
        self._errors = {
            score.item: score for score in results.scores if score.metric == "syllable_error_rate"
        }

    def of(self, group: Group) -> list[Score]:
        """A group's rows; none where the run has no such metric or subset. One metric only."""
        names = sorted(name for name in self._metrics if fnmatchcase(name, group.metric))[:1]
        found = [
            score
            for name in names
            for subset in group.subsets
            for score in self._scores.get((name, subset), [])
            if _belongs(self._items[score.item], group)
        ]
        if group.spoken:
            found = [_heard_right(score, self._errors.get(score.item)) for score in found]
        if group.passed is not None:
            found = [_passed(score, group.passed) for score in found]
        return found


def _belongs(item: Item, group: Group) -> bool:
    wanted = (group.category,) if isinstance(group.category, str) else group.category
    detail = str(item.extra.get("Sub-category") or item.extra.get("Level") or "")
    return (not group.category or item.category in wanted) and group.detail in ("", detail)


def _passed(score: Score, passed: Callable[[float], bool]) -> Score:
    return score if score.value is None else replace(score, value=float(passed(score.value)))


def _heard_right(right: Score, error: Score | None) -> Score:
    """Speech-to-speech correctness of one item (appendix E.1), or why it is not known."""
    if right.value is None:
        return right
    verdict = spoken_right(bool(right.value), error.value if error is not None else None)
    if verdict is not None:
        return replace(right, value=float(verdict))
    if error is None or error.value is not None:
        return replace(right, value=None, status="unavailable", reason="no error rate was measured")
    return replace(right, value=None, status=error.status, reason=error.reason)


def found(rows: Rows, source: Source) -> Found | None:
    """What a run gives for a column; None where it has no row for it at all."""
    match source:
        case Rate():
            return _rate(rows, source)
        case Mean() | Total():
            scores = rows.of(source.group)
            if not scores:
                return None
            summary = summarise(scores)
            if isinstance(source, Total):
                summary = _summed(summary, scores, source.what)
            return Found(summary, _covered(summary.n, source.group), source.limited)


def _covered(n: int, group: Group) -> float:
    return min(1.0, n / group.of) if group.of else 1.0


def _summed(summary: Summary, scores: Sequence[Score], what: str) -> Summary:
    """Successes instead of their share, with their interval; sums of seconds have none."""
    if summary.value is None:
        return summary
    if what == "values":
        low, high = (None if end is None else end * summary.n for end in (summary.low, summary.high))
        return replace(summary, value=summary.value * summary.n, low=low, high=high)
    weight = sum(score.weight for score in scores if score.value is not None)
    total = weight if what == "weights" else summary.value * weight
    return replace(summary, value=total, low=None, high=None, interval="none")


def _rate(rows: Rows, source: Rate) -> Found | None:
    groups = [group for pair in source.pairs for group in pair]
    found = [rows.of(group) for group in groups]
    if not any(found):
        return None
    valid = [sum(score.value is not None for score in scores) for scores in found]
    covered = min(_covered(n, group) for n, group in zip(valid, groups, strict=True))
    pairs = [Kept(found[at], found[at + 1]) for at in range(0, len(found), 2)]
    summary = preserved("preserve_rate", "all", pairs, paired=rows.paired, most=source.at_most)
    return Found(summary, covered, source.limited)
