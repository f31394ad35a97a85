"""The Overall score of VocalBench-zh: one sum of ten parts, or the parts that are missing."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# A part counts when at least this share of its items has a value.
COVERAGE = 0.95


@dataclass(frozen=True, slots=True)
class Part:
    """One part as measured: `value` in the unit of Table 2, and the share of its items that have one.

    `limited` says what the measurement leaves out; such a part is no part of an Overall.
    """

    value: float | None
    covered: float = 1.0
    limited: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Overall:
    """The sum, 0 to 100; None where `missing` names the parts that stand in its way, each with why."""

    value: float | None
    missing: tuple[str, ...] = ()


def clarity_points(error_percent: float) -> int:
    """Points for clarity from an error rate in percent: max(0, 10 - floor(s / 2)) (eq. 7).

    Raises ValueError below zero.
    """
    if error_percent < 0:
        raise ValueError(f"an error rate of {error_percent} % is none")
    return max(0, 10 - floor(error_percent / 2))


def robustness(rates_percent: Sequence[float]) -> float:
    """The mean preserve rate in percent, each at most 100 (eq. 6: "at most 100 in calculation").

    Raises ValueError unless there are six, one a condition of Table 15.
    """
    if len(rates_percent) != 6:
        raise ValueError(f"{len(rates_percent)} preserve rates; Table 15 has six")
    return sum(min(rate, 100.0) for rate in rates_percent) / 6


def _tenth(percent: float) -> float:
    return percent / 10


def _twice(score: float) -> float:
    return score * 2


# Equation 6 with its printing errors mended: every "/0" is /10, but the six preserve rates count /40
# (15 points together), and Reasoning, an accuracy here, counts /10 and not *2. Only so do 14 of the 15
# printed sums come out. Multi-round, code switching and latency are no part of it.
POINTS: dict[str, Callable[[float], float]] = {
    "knowledge": _tenth,
    "reasoning": _tenth,
    "creativity": _twice,
    "fluency": float,
    "clarity": clarity_points,
    "single_round": _twice,
    "instruction": _tenth,
    "empathy": _tenth,
    "safety": _tenth,
    "robust": lambda mean_percent: mean_percent * 6 / 40,
}


def overall(parts: Mapping[str, Part]) -> Overall:
    """The Overall of a system from its parts, keyed as in `POINTS` (appendix C.2, eq. 6 and 7).

    It is None when any part is missing, covers too few of its items, or is limited: a sum over
    what happened to be measured would compare with nothing.
    """
    missing = tuple(f"{name}: {why}" for name in POINTS if (why := _hindrance(parts.get(name))))
    if missing:
        return Overall(None, missing)
    values = {name: part.value for name, part in parts.items() if part.value is not None}
    return Overall(sum(points(values[name]) for name, points in POINTS.items()))


def _hindrance(part: Part | None) -> str:
    if part is None:
        return "not measured"
    if part.value is None:
        return part.reason or "no value"
    if part.covered < COVERAGE:
        return f"only {part.covered:.1%} of its items have a value"
    return part.limited
