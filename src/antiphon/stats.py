"""Statistics: summaries with intervals, and paired comparisons. Pure functions on numpy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from antiphon.ids import rng

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from antiphon.score import Score

Z_95 = 1.959963984540054
RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Summary:
    """A metric over a group: value with its 95 % interval, and how many rows of each status.

    `value` is None when nothing was valid. `interval` names how low and high were found:
    "wilson", "bootstrap", "clustered bootstrap", or "none": fewer than two independent rows, or all equal.
    """

    KIND: ClassVar[str] = "summary"
    V: ClassVar[int] = 1
    metric: str
    subset: str
    value: float | None
    low: float | None
    high: float | None
    interval: str
    n: int
    invalid: int = 0
    excluded: int = 0
    not_judged: int = 0
    unavailable: int = 0
    reasons: tuple[str, ...] = ()


def wilson(successes: int, n: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval for a proportion. Raises ValueError for n = 0.

    Source: E. B. Wilson, JASA 22 (1927), eq. for the roots of (p - k/n)^2 = z^2 p(1-p)/n.
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} of {n} is no proportion")
    p = successes / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def bootstrap(
    values: NDArray[Any], weights: NDArray[Any], clusters: NDArray[Any], seed: int = 0
) -> tuple[float, float]:
    """Percentile bootstrap, 95 %, of sum(value * weight) / sum(weight), resampling whole clusters.

    All arrays have shape (n,); `clusters` holds small integers. Needs at least two clusters.
    """
    count = int(clusters.max()) + 1
    tops = np.bincount(clusters, values * weights, minlength=count)
    bottoms = np.bincount(clusters, weights, minlength=count)
    sums = [(tops[draws].sum(axis=1), bottoms[draws].sum(axis=1)) for draws in _draws(seed, count)]
    top, bottom = (np.concatenate(parts) for parts in zip(*sums, strict=True))
    low, high = np.percentile(top[bottom > 0] / bottom[bottom > 0], [2.5, 97.5])
    return float(low), float(high)


def _draws(seed: int, count: int) -> Iterator[NDArray[Any]]:
    """`RESAMPLES` draws of `count` out of `count`, shape (block, count), in blocks of bounded memory."""
    generator = rng(seed, "bootstrap")
    block = max(1, min(RESAMPLES, 1_000_000 // count))
    for start in range(0, RESAMPLES, block):
        yield generator.integers(0, count, (min(block, RESAMPLES - start), count))


def summarise(scores: Sequence[Score], *, seed: int = 0) -> Summary:
    """One metric over one group of rows: the weighted mean, its interval, and every row accounted for.

    Wilson where each valid row is its own cluster, weighs one and is 0 or 1; the bootstrap otherwise.
    Raises ValueError when rows of several metrics are mixed or there is none.
    """
    metrics = {score.metric for score in scores}
    if len(metrics) != 1:
        raise ValueError(f"a summary is of one metric, not of {sorted(metrics)}")
    subsets = {score.subset for score in scores}
    valid = [score for score in scores if score.value is not None and score.weight > 0]
    statuses = [score.status for score in scores]
    value, low, high, interval = _interval(valid, seed)
    return Summary(
        metric=metrics.pop(),
        subset=subsets.pop() if len(subsets) == 1 else "all",
        value=value,
        low=low,
        high=high,
        interval=interval,
        n=len(valid),
        invalid=statuses.count("invalid"),
        excluded=statuses.count("excluded") + statuses.count("valid") - len(valid),
        not_judged=statuses.count("not judged"),
        unavailable=statuses.count("unavailable"),
        reasons=_reasons(scores),
    )


def _reasons(scores: Iterable[Score]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(score.reason for score in scores if score.reason))[:5]


def _interval(valid: Sequence[Score], seed: int) -> tuple[float | None, float | None, float | None, str]:
    if not valid:
        return None, None, None, "none"
    values = np.array([score.value for score in valid], dtype=np.float64)
    weights = np.array([score.weight for score in valid])
    value = float((values * weights).sum() / weights.sum())
    names = [score.cluster or score.item for score in valid]
    number = {name: index for index, name in enumerate(dict.fromkeys(names))}
    alone = len(number) == len(valid)
    if alone and (weights == 1).all() and np.isin(values, (0, 1)).all():
        return value, *wilson(int(values.sum()), len(valid)), "wilson"
    if len(number) < 2 or np.ptp(values) == 0:
        return value, None, None, "none"  # equal rows show no spread to resample: no interval, not a zero one
    clusters = np.array([number[name] for name in names])
    kind = "bootstrap" if alone else "clustered bootstrap"
    return value, *bootstrap(values, weights, clusters, seed), kind


@dataclass(frozen=True, slots=True)
class Paired:
    """B minus A over the items both have: the difference, its 95 % interval, and a p-value.

    `test` is "mcnemar" for 0/1 rows of weight one, else "paired bootstrap".
    """

    metric: str
    subset: str
    n: int
    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float
    test: str


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided p-value for discordant counts (binomial, p = 1/2); 1 when there are none.

    Source: Q. McNemar, Psychometrika 12 (1947); exact form of the sign test.
    """
    n, k = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return 1.0
    return min(1.0, 2 * sum(comb(n, i) for i in range(k + 1)) / 2**n)


def paired(a: Sequence[Score], b: Sequence[Score], *, seed: int = 0) -> Paired | None:
    """Compare two systems on the rows of one metric that are valid in both; None when there are none.

    Raises ValueError when metrics are mixed or an item comes twice: then nothing pairs.
    """
    if len(metrics := {score.metric for score in [*a, *b]}) > 1:
        raise ValueError(f"a comparison is of one metric, not of {sorted(metrics)}")
    first, second = _by_item(a), _by_item(b)
    both = [item for item in first if item in second]
    if not both:
        return None
    va, wa = _columns([first[item] for item in both])
    vb, wb = _columns([second[item] for item in both])
    mean_a, mean_b = float((va * wa).sum() / wa.sum()), float((vb * wb).sum() / wb.sum())
    names = [first[item].cluster or item for item in both]
    number = {name: index for index, name in enumerate(dict.fromkeys(names))}
    clusters = np.array([number[name] for name in names])
    low, high, p = _paired_bootstrap((va, wa), (vb, wb), clusters, seed)
    ones = bool((wa == 1).all() and (wb == 1).all())
    if ones and len(number) == len(both) and np.isin(np.concatenate([va, vb]), (0, 1)).all():
        p = mcnemar(int(((va == 1) & (vb == 0)).sum()), int(((va == 0) & (vb == 1)).sum()))
        test = "mcnemar"
    else:
        test = "paired bootstrap"
    one = first[both[0]]
    return Paired(one.metric, one.subset, len(both), mean_a, mean_b, mean_b - mean_a, low, high, p, test)


def _by_item(scores: Sequence[Score]) -> dict[str, Score]:
    valid = [score for score in scores if score.value is not None and score.weight > 0]
    by_item = {score.item: score for score in valid}
    if len(by_item) < len(valid):
        raise ValueError(f"{valid[0].metric}: an item has two rows; a comparison needs one an item")
    return by_item


def _columns(scores: Sequence[Score]) -> tuple[NDArray[Any], NDArray[Any]]:
    values = np.array([score.value for score in scores], dtype=np.float64)
    return values, np.array([score.weight for score in scores])


def _paired_bootstrap(
    a: tuple[NDArray[Any], NDArray[Any]],
    b: tuple[NDArray[Any], NDArray[Any]],
    clusters: NDArray[Any],
    seed: int,
) -> tuple[float, float, float]:
    count = int(clusters.max()) + 1
    sums = [
        (
            np.bincount(clusters, values * weights, minlength=count),
            np.bincount(clusters, weights, minlength=count),
        )
        for values, weights in (a, b)
    ]

    def means(draws: NDArray[Any], which: int) -> NDArray[Any]:
        tops, bottoms = sums[which]
        return tops[draws].sum(axis=1) / bottoms[draws].sum(axis=1)

    differences = np.concatenate([means(draws, 1) - means(draws, 0) for draws in _draws(seed, count)])
    low, high = np.percentile(differences, [2.5, 97.5])
    # Two-sided, with one added to each count so that a finite sample never claims p = 0.
    below = (int((differences <= 0).sum()) + 1) / (RESAMPLES + 1)
    above = (int((differences >= 0).sum()) + 1) / (RESAMPLES + 1)
    return float(low), float(high), min(1.0, 2 * min(below, above))
