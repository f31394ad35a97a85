from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from antiphon.report.tables import Cell, cell, direction, figure, unit
from antiphon.stats import Summary


@dataclass(frozen=True)
class Metric:
    name: str = "m"
    title: str = "M"
    unit: str = "s"
    better: Literal["higher", "lower", "neither"] = "lower"
    digits: int = 2
    what: str = "What it is."
    percent: bool = False


RATE = Metric(unit="", better="higher", digits=1, percent=True)


def test_figures_have_the_metrics_digits_and_a_real_minus() -> None:
    assert [figure(value, Metric()) for value in (1.0, -0.5, -0.001, 12.345)] == [
        "1.00",
        "−0.50",
        "0.00",
        "12.35",
    ]
    assert figure(0.7692, RATE) == "76.9"
    assert (unit(RATE), unit(Metric())) == ("%", "s")
    assert (direction(RATE), direction(Metric())) == ("higher is better", "lower is better")


def test_a_leaning_interval_is_not_shown_as_symmetric() -> None:
    leaning = Summary("m", "a", 0.769, 0.497, 0.918, "wilson", 13, invalid=1, excluded=2)
    assert cell(leaning, RATE) == Cell(
        "76.9",
        ("+14.9", "−27.2"),
        (("n", 13), ("invalid", 1), ("excluded", 2)),
        "95 % interval 49.7 to 91.8 (wilson)",
    )
    assert cell(Summary("m", "a", 1.0, 0.9, 1.1, "bootstrap", 4), Metric()).spread == ("±0.10",)


def test_without_an_interval_the_hint_says_so() -> None:
    assert cell(Summary("m", "a", 1.0, None, None, "none", 1), Metric()) == Cell(
        "1.00", (), (("n", 1),), "no interval: 1 independent row"
    )


def test_no_value_is_words_with_counts_and_never_a_zero() -> None:
    lost = Summary("m", "a", None, None, None, "none", 0, 1, 0, 7, 2, ("no judge was given",))
    shown = cell(lost, RATE)
    assert shown == Cell(
        "", (), (("invalid", 1), ("not judged", 7), ("unavailable", 2)), "no judge was given"
    )
    assert shown.words == ("1 invalid", "7 not judged", "2 unavailable")
