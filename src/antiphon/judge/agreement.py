"""How well two readers of the same replies agree: a judge and a label, a rater and a judge, two raters.

Pure functions. What cannot be known is None, and `reasons` says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.stats import bootstrap, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Share:
    """`k` of `n`, with Wilson's 95 % interval; all three None for n = 0."""

    k: int
    n: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """One reader (`given`) against another (`truth`) over the replies that both gave a value.

    `exact` and `within_one` are shares; `bias` is the mean of given − truth with a bootstrap interval: for
    yes or no, the yes-rate of the one minus that of the other. `sensitivity` is the share of truth's yes
    that given calls yes, `specificity` that of its no. `kappa` is Cohen's, `weighted_kappa` with quadratic
    weights (ordinal values only). `confusion[truth][given]` counts. `length_given` and `length_truth` are
    Spearman's correlations of the values with the replies' lengths.
    """

    n: int
    invalid: int
    exact: Share
    within_one: Share | None
    kappa: float | None
    weighted_kappa: float | None
    macro_f1: float | None
    bias: float | None
    bias_low: float | None
    bias_high: float | None
    sensitivity: Share | None
    specificity: Share | None
    length_given: float | None
    length_truth: float | None
    confusion: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    reasons: dict[str, str] = field(default_factory=dict[str, str])


def share(k: int, n: int) -> Share:
    """`k` of `n` with its interval."""
    return Share(k, n, k / n, *wilson(k, n)) if n else Share(k, n)


def agreement(
    truth: Sequence[bool | float],
    given: Sequence[bool | float | None],
    lengths: Sequence[int] | None = None,
) -> Agreement:
    """Compare two readers value by value; where `given` is None it counts as invalid and nowhere else.

    Yes and no are bools on both sides; anything else is ordinal. Raises ValueError for sequences of
    different lengths, or bools beside numbers.
    """
    pairs = list(zip(truth, given, strict=True))
    kept = [(a, b) for a, b in pairs if b is not None]
    binary = _binary([value for pair in kept for value in pair] or list(truth))
    a = np.array([float(pair[0]) for pair in kept])
    b = np.array([float(pair[1]) for pair in kept])
    reasons: dict[str, str] = {}
    bias, low, high = _bias(a, b, reasons)
    size = None
    if lengths is not None:
        size = np.array(
            [length for length, (_, value) in zip(lengths, pairs, strict=True) if value is not None]
        )
    return Agreement(
        n=len(kept),
        invalid=len(pairs) - len(kept),
        exact=share(int((a == b).sum()), len(kept)),
        within_one=None if binary else share(int((np.abs(a - b) <= 1).sum()), len(kept)),
        kappa=kappa(a, b, reasons=reasons),
        weighted_kappa=None if binary else kappa(a, b, quadratic=True, reasons=reasons),
        macro_f1=_macro_f1(a, b),
        bias=bias,
        bias_low=low,
        bias_high=high,
        sensitivity=share(int(((a == 1) & (b == 1)).sum()), int((a == 1).sum())) if binary else None,
        specificity=share(int(((a == 0) & (b == 0)).sum()), int((a == 0).sum())) if binary else None,
        length_given=_with_length(b, size, "length_given", reasons),
        length_truth=_with_length(a, size, "length_truth", reasons),
        confusion=_confusion(a, b, binary=binary),
        reasons=reasons,
    )


def unanimity(groups: Sequence[Sequence[bool | float | None]]) -> Share:
    """In how many groups of at least two values all of them are the same; None counts as no value."""
    known = [[value for value in group if value is not None] for group in groups]
    several = [group for group in known if len(group) > 1]
    return share(sum(len(set(group)) == 1 for group in several), len(several))


def kappa(
    a: NDArray[Any], b: NDArray[Any], *, quadratic: bool = False, reasons: dict[str, str] | None = None
) -> float | None:
    """Cohen's kappa of two arrays of equal shape (n,); `quadratic` weighs a disagreement by its square.

    0 where one reader always says the same and the other does not: that is what chance gives. None, with
    a reason, where both always say the same one thing: then chance alone gives full agreement.
    Source: J. Cohen, Educ. Psychol. Meas. 20 (1960); Psychol. Bull. 70 (1968) for weights.
    """
    name = "weighted_kappa" if quadratic else "kappa"
    told = {} if reasons is None else reasons
    if not len(a):
        told[name] = "no reply has both values"
        return None
    values, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    distance = np.subtract.outer(values, values)
    weight = distance**2 if quadratic else (distance != 0).astype(float)
    rows, columns = (
        np.bincount(places[: len(a)], minlength=len(values)),
        np.bincount(places[len(a) :], minlength=len(values)),
    )
    expected = float(rows @ weight @ columns) / len(a) ** 2
    if expected == 0:
        told[name] = f"both said {a[0]:g} every time: agreement by chance is complete"
        return None
    observed = float(weight[places[: len(a)], places[len(a) :]].mean())
    return 1 - observed / expected


def spearman(a: NDArray[Any], b: NDArray[Any]) -> float | None:
    """Spearman's rank correlation, ties at their mean rank; None for fewer than three or a constant side."""
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def _binary(values: Sequence[bool | float]) -> bool:
    kinds = {isinstance(value, bool) for value in values}
    if len(kinds) > 1:
        raise ValueError("yes or no on one side, numbers on the other: nothing compares them")
    return kinds == {True}


def _ranks(values: NDArray[Any]) -> NDArray[Any]:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def _with_length(
    values: NDArray[Any], size: NDArray[Any] | None, name: str, reasons: dict[str, str]
) -> float | None:
    if size is None:
        reasons[name] = "lengths are not known"
        return None
    found = spearman(values, size)
    if found is None:
        reasons[name] = "fewer than three values, or all of them equal"
    return found


def _bias(
    a: NDArray[Any], b: NDArray[Any], reasons: dict[str, str]
) -> tuple[float | None, float | None, float | None]:
    difference = b - a
    if not len(difference):
        reasons["bias"] = "no reply has both values"
        return None, None, None
    if len(difference) < 2 or np.ptp(difference) == 0:
        return float(difference.mean()), None, None
    ones, each = np.ones(len(difference)), np.arange(len(difference))
    return float(difference.mean()), *bootstrap(difference, ones, each)


def _macro_f1(a: NDArray[Any], b: NDArray[Any]) -> float | None:
    """Mean of the F1 scores of the values that occur; a value that only one side gives has 0."""
    scores = [
        2 * ((a == value) & (b == value)).sum() / ((a == value).sum() + (b == value).sum())
        for value in np.unique(np.concatenate([a, b]))
    ]
    return float(np.mean(scores)) if scores else None


def _confusion(a: NDArray[Any], b: NDArray[Any], *, binary: bool) -> dict[str, dict[str, int]]:
    def spelt(value: float) -> str:
        return ("no", "yes")[int(value)] if binary else f"{value:g}"

    values = [float(value) for value in np.unique(np.concatenate([a, b]))]
    return {
        spelt(mine): {spelt(other): int(((a == mine) & (b == other)).sum()) for other in values}
        for mine in values
    }
