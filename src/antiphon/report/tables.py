"""Numbers as tables print them: a value with its interval, and every row that has none in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from antiphon.stats import Summary

Better = Literal["higher", "lower", "neither"]
MINUS = "\N{MINUS SIGN}"


class Measure(Protocol):
    """What printing needs to know of a metric; `percent` values lie in 0..1 and print times 100."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def better(self) -> Better: ...
    @property
    def digits(self) -> int: ...
    @property
    def what(self) -> str: ...
    @property
    def percent(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Cell:
    """One value as printed. `spread` is ("±9.1",), or ("+8.3", "−12.4") where the interval leans.

    `counts` pairs "n", "invalid", "excluded", "not judged", "unavailable" with how many, zeros left out;
    `n` itself stays, so that a value never stands without it. `value` is "" where nothing was valid.
    """

    value: str
    spread: tuple[str, ...]
    counts: tuple[tuple[str, int], ...]
    hint: str

    @property
    def words(self) -> tuple[str, ...]:
        """The counts as words: "n 12", "2 invalid"."""
        return tuple(f"n {many}" if word == "n" else f"{many} {word}" for word, many in self.counts)


def scaled(value: float, measure: Measure) -> float:
    """The number that is printed: percentages are times 100."""
    return value * 100 if measure.percent else value


def figure(value: float, measure: Measure) -> str:
    """A value with the metric's own digits and a real minus sign; never "−0.0"."""
    text = f"{scaled(value, measure):.{measure.digits}f}"
    if text.strip("-0.") == "":
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def unit(measure: Measure) -> str:
    """The unit for a column's head: "%", the metric's own, or nothing."""
    return "%" if measure.percent else measure.unit


def direction(measure: Measure) -> str:
    """Which way is better, in words."""
    return {"higher": "higher is better", "lower": "lower is better", "neither": "neither is better"}[
        measure.better
    ]


def spread(summary: Summary, measure: Measure) -> tuple[str, ...]:
    """The interval around a value as it prints; empty where there is none."""
    if summary.value is None or summary.low is None or summary.high is None:
        return ()
    above = figure(summary.high - summary.value, measure)
    below = figure(summary.value - summary.low, measure)
    if above == below:
        return (f"±{above}",)
    return f"+{above}", f"{MINUS}{below}"


def cell(summary: Summary, measure: Measure) -> Cell:
    """A summary as a table's cell."""
    counts = [("n", summary.n)] if summary.value is not None else []
    counts += [pair for pair in gaps(summary) if pair[1]]
    if summary.value is None:
        return Cell("", (), tuple(counts), "; ".join(summary.reasons))
    return Cell(
        figure(summary.value, measure), spread(summary, measure), tuple(counts), _hint(summary, measure)
    )


def gaps(summary: Summary) -> tuple[tuple[str, int], ...]:
    """How many rows have no value, by status."""
    return (
        ("invalid", summary.invalid),
        ("excluded", summary.excluded),
        ("not judged", summary.not_judged),
        ("unavailable", summary.unavailable),
    )


def _hint(summary: Summary, measure: Measure) -> str:
    if summary.low is None or summary.high is None:
        told = f"no interval: {summary.n} independent row" + ("" if summary.n == 1 else "s")
    else:
        ends = f"{figure(summary.low, measure)} to {figure(summary.high, measure)}"
        told = f"95 % interval {ends} ({summary.interval})"
    return "; ".join((told, *summary.reasons))
