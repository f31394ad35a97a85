"""Values of a group that are no mean of its rows: how much of one group's mean another group keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.ids import rng
from antiphon.stats import RESAMPLES, Summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antiphon.score import Score


@dataclass(frozen=True, slots=True)
class Kept:
    """Rows of one metric under a strain, and the rows without it that they are held against."""

    strained: Sequence[Score]
    clean: Sequence[Score]


def source_of(score: Score) -> str:
    """The source item of a row: what pairs its versions."""
    return score.cluster or score.item


def preserved(
    metric: str, subset: str, pairs: Sequence[Kept], *, paired: bool, most: float | None = None, seed: int = 0
) -> Summary:
    """The mean over the pairs of mean(strained) / mean(clean), each at most `most`.

    `paired` counts a source item only where it has a valid row on both sides, so that an item lost on one
    side does not shift the ratio. The interval resamples source items, once for all pairs. `n` counts the
    strained rows that took part; rows without a value count on both sides. No value where one pair has
    none: `reasons` then says why. Source: VocalBench-zh eq. 3 and 5, as its tables compute them.
    """
    sides = [_valid(pair, paired) for pair in pairs]
    numbers = {
        name: at
        for at, name in enumerate(
            dict.fromkeys(source_of(row) for pair in sides for row in (*pair.strained, *pair.clean))
        )
    }
    sums = np.array([_sums(pair, numbers) for pair in sides]).reshape(len(sides), 4, len(numbers))
    value = float(_ratio(sums.sum(axis=2, keepdims=True), most)[0]) if sides and numbers else np.nan
    rows = list(dict.fromkeys(_place(row) for pair in pairs for row in (*pair.strained, *pair.clean)))
    statuses = [status for _, _, status in rows]
    known = bool(np.isfinite(value))
    low, high = _interval(sums, most, seed) if known and len(numbers) > 1 else (None, None)
    return Summary(
        metric=metric,
        subset=subset,
        value=value if known else None,
        low=low,
        high=high,
        interval="none" if low is None else "clustered bootstrap",
        n=sum(len(pair.strained) for pair in sides) if known else 0,
        invalid=statuses.count("invalid"),
        excluded=statuses.count("excluded"),
        not_judged=statuses.count("not judged"),
        unavailable=statuses.count("unavailable"),
        reasons=_reasons(pairs, known=known),
    )


def _place(score: Score) -> tuple[str, str, str]:
    return score.subset, score.item, score.status


def _valid(pair: Kept, paired: bool) -> Kept:
    strained, clean = (
        [row for row in rows if row.value is not None and row.weight > 0]
        for rows in (pair.strained, pair.clean)
    )
    if not paired:
        return Kept(strained, clean)
    both = {source_of(row) for row in strained} & {source_of(row) for row in clean}
    return Kept(
        [row for row in strained if source_of(row) in both], [row for row in clean if source_of(row) in both]
    )


def _sums(pair: Kept, numbers: dict[str, int]) -> NDArray[np.float64]:
    """Shape (4, sources): value * weight and weight, strained, then clean."""
    found = np.zeros((4, len(numbers)))
    for at, rows in ((0, pair.strained), (2, pair.clean)):
        for row in rows:
            place = numbers[source_of(row)]
            found[at, place] += (row.value or 0.0) * row.weight
            found[at + 1, place] += row.weight
    return found


def _ratio(sums: NDArray[Any], most: float | None) -> NDArray[np.float64]:
    """Shape (pairs, 4, draws) → (draws,); not finite where a mean is missing or a clean one is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        means = sums[:, 0::2] / sums[:, 1::2]
        ratios = np.where(means[:, 1] > 0, means[:, 0] / means[:, 1], np.nan)
    return np.mean(ratios if most is None else np.minimum(ratios, most), axis=0)


def _interval(sums: NDArray[Any], most: float | None, seed: int) -> tuple[float | None, float | None]:
    count = sums.shape[2]
    draws = rng(seed, "preserved").multinomial(count, np.full(count, 1 / count), RESAMPLES)
    ratios = _ratio(sums @ draws.T, most)
    ratios = ratios[np.isfinite(ratios)]
    if len(ratios) == 0 or np.ptp(ratios) == 0:
        return None, None
    low, high = np.percentile(ratios, [2.5, 97.5])
    return float(low), float(high)


def _reasons(pairs: Sequence[Kept], *, known: bool) -> tuple[str, ...]:
    rows = [row for pair in pairs for row in (*pair.strained, *pair.clean)]
    found = [row.reason for row in rows if row.reason]
    if not known and not found:
        found = ["nothing to hold it against: no clean row of the same source item, or a clean mean of 0"]
    return tuple(dict.fromkeys(found))[:5]
