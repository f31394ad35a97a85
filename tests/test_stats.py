from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from antiphon.score import Score
from antiphon.stats import Paired, Summary, bootstrap, mcnemar, paired, summarise, wilson


def row(item: str, value: float | None, weight: float = 1.0, **rest: str) -> Score:
    fields = {"subset": "s", "metric": "m", "status": "valid" if value is not None else "invalid"} | rest
    if value is None:
        fields = {"reason": "why"} | fields
    return Score(item=item, value=value, weight=weight, **fields)


def rows(values: list[float], weights: list[float] | None = None) -> list[Score]:
    pairs = zip(values, weights or [1.0] * len(values), strict=True)
    return [row(f"i{number}", value, weight) for number, (value, weight) in enumerate(pairs)]


# R. G. Newcombe, Statistics in Medicine 17 (1998), Table I, method 3; and 9 of 10 by hand.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (9, 10, 0.5958, 0.9821),
        (10, 10, 0.7225, 1.0000),
    ],
)
def test_wilson_gives_the_published_interval(successes: int, n: int, low: float, high: float):
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_mirrors_successes_and_failures():
    low, high = wilson(3, 17)
    assert wilson(14, 17) == pytest.approx((1 - high, 1 - low), abs=1e-15)


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (-1, 4), (5, 4)])
def test_wilson_refuses_what_is_no_proportion(successes: int, n: int):
    with pytest.raises(ValueError, match=rf"^{successes} of {n} is no proportion$"):
        wilson(successes, n)


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        (1, 9, Fraction(2 * (1 + 10), 1024)),
        (9, 1, Fraction(2 * (1 + 10), 1024)),
        (0, 5, Fraction(2, 32)),
        (2, 4, Fraction(2 * (1 + 6 + 15), 64)),
        (3, 3, Fraction(1)),
        (0, 0, Fraction(1)),
    ],
)
def test_mcnemar_is_the_exact_binomial_tail(only_a: int, only_b: int, p: Fraction):
    assert mcnemar(only_a, only_b) == float(p)


def test_mcnemar_takes_counts_beyond_the_range_of_floats():
    tail = Fraction(2 * sum(comb(3000, i) for i in range(1401)), 2**3000)
    assert mcnemar(1400, 1600) == pytest.approx(float(tail), rel=1e-12)
    assert 2e-4 < mcnemar(1400, 1600) < 4e-4


def test_a_proportion_is_summarised_by_wilson():
    low, high = wilson(9, 10)
    assert summarise(rows([1.0] * 9 + [0.0])) == Summary("m", "s", 0.9, low, high, "wilson", 10)


def test_one_row_of_a_proportion_still_has_an_interval():
    low, high = wilson(1, 1)
    assert summarise(rows([1.0])) == Summary("m", "s", 1.0, low, high, "wilson", 1)


def test_one_measured_row_has_a_value_and_no_interval():
    assert summarise(rows([0.25])) == Summary("m", "s", 0.25, None, None, "none", 1)


def test_every_row_is_accounted_for():
    scores = [
        row("a", 1.0), row("b", 0.0), row("c", 0.5, 0.0),
        row("d", None, status="invalid", reason="judge timed out"),
        row("e", None, status="excluded", reason="no reference"),
        row("f", None, status="not judged", reason="no judge was given"),
        row("g", None, status="unavailable", reason="DistillMOS is not installed"),
        row("h", None, status="invalid", reason="judge timed out"),
    ]  # fmt: skip
    low, high = wilson(1, 2)
    assert summarise(scores) == Summary(
        metric="m", subset="s", value=0.5, low=low, high=high, interval="wilson", n=2,
        invalid=2, excluded=2, not_judged=1, unavailable=1,
        reasons=(
            "judge timed out", "no reference", "no judge was given", "DistillMOS is not installed",
        ),
    )  # fmt: skip


def test_nothing_valid_is_no_value_and_not_zero():
    summary = summarise([row("a", None), row("b", None)])
    assert summary == Summary("m", "s", None, None, None, "none", 0, invalid=2, reasons=("why",))


def test_several_subsets_are_summarised_as_all():
    assert summarise([row("a", 1.0), row("b", 1.0, subset="t")]).subset == "all"


@pytest.mark.parametrize(
    ("scores", "metrics"), [([], "[]"), ([row("a", 1.0), row("a", 1.0, metric="n")], "['m', 'n']")]
)
def test_a_summary_is_of_exactly_one_metric(scores: list[Score], metrics: str):
    with pytest.raises(ValueError, match="a summary is of one metric") as caught:
        summarise(scores)
    assert str(caught.value) == f"a summary is of one metric, not of {metrics}"


def test_weights_pool_an_error_rate():
    summary = summarise(rows([0.5, 0.0], [2.0, 6.0]))
    assert summary.value == 1 / 8
    assert (summary.low, summary.high, summary.interval) == (0.0, 0.5, "bootstrap")


def test_equal_values_show_no_spread_and_so_have_no_interval():
    summary = summarise(rows([0.3] * 8))
    assert (summary.value, summary.low, summary.high) == (pytest.approx(0.3), None, None)
    assert (summary.interval, summary.n) == ("none", 8)


def test_copies_of_a_row_tell_nothing_new():
    """Ten versions of each item: the clustered interval is that of the items, the naive one is far narrower."""
    values = np.random.default_rng(3).normal(size=30)
    items = [row(f"i{n}", float(value)) for n, value in enumerate(values)]
    copies = [
        row(f"i{n}-{version}", float(value), cluster=f"i{n}")
        for n, value in enumerate(values)
        for version in range(10)
    ]
    naive = [row(score.item, score.value) for score in copies]
    alone, clustered, unclustered = (summarise(group) for group in (items, copies, naive))
    assert (alone.interval, clustered.interval) == ("bootstrap", "clustered bootstrap")
    assert (clustered.low, clustered.high) == pytest.approx((alone.low, alone.high))
    widths = [(one.high or 0) - (one.low or 0) for one in (clustered, unclustered)]
    assert widths[0] / widths[1] == pytest.approx(10**0.5, rel=0.1)


def test_copies_of_a_right_answer_are_no_proportion_of_independent_ones():
    scores = [row(f"{n}-{version}", float(n < 9), cluster=str(n)) for n in range(10) for version in range(5)]
    assert summarise(scores).interval == "clustered bootstrap"


def test_the_bootstrap_covers_a_skewed_mean_about_as_often_as_it_says():
    """Percentile intervals of 40 exponential draws: known to cover a little less than 95 %."""
    generator = np.random.default_rng(11)
    ones, clusters = np.ones(40), np.arange(40)
    intervals = [bootstrap(generator.exponential(size=40), ones, clusters, seed) for seed in range(200)]
    covered = np.mean([low <= 1.0 <= high for low, high in intervals])
    assert 0.88 <= covered <= 0.98


def test_the_bootstrap_agrees_with_the_normal_interval_of_a_large_mean():
    values = np.random.default_rng(5).normal(2.0, 1.0, size=4000)
    low, high = bootstrap(values, np.ones(4000), np.arange(4000))
    half = 1.96 * values.std() / 4000**0.5
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.004)


def test_the_same_seed_gives_the_same_interval():
    scores = rows([0.1, 0.4, 0.7, 0.2])
    assert summarise(scores, seed=4) == summarise(scores, seed=4)
    assert summarise(scores, seed=4) != summarise(rows([0.1, 0.4, 0.7, 0.3]), seed=4)


def test_a_run_against_itself_shows_no_difference():
    for values in ([1.0, 0.0, 1.0, 1.0], [0.1, 0.9, 0.4, 0.4]):
        comparison = paired(rows(values), rows(values))
        assert comparison is not None
        assert (comparison.difference, comparison.low, comparison.high, comparison.p) == (0, 0, 0, 1)


def test_right_and_wrong_answers_are_compared_by_mcnemar():
    a = rows([1.0] * 9 + [0.0] + [1.0] * 10)
    b = rows([0.0] * 9 + [1.0] + [1.0] * 10)
    comparison = paired(a, b)
    assert comparison is not None
    assert (comparison.n, comparison.a, comparison.b) == (20, 0.95, 0.55)
    assert (comparison.difference, comparison.p, comparison.test) == (
        pytest.approx(-0.4), 22 / 1024, "mcnemar",
    )  # fmt: skip
    assert comparison.low < -0.4 < comparison.high < 0


def test_pairing_sees_what_two_intervals_would_hide():
    """Items differ much, systems little: every item is worse by 0.05."""
    values = [float(value) for value in np.random.default_rng(2).uniform(size=30)]
    a, b = rows(values), rows([value - 0.05 for value in values])
    summary_a, summary_b, comparison = summarise(a), summarise(b), paired(a, b)
    assert (summary_b.high or 0) > (summary_a.low or 1)
    assert comparison == Paired(
        "m", "s", 30, pytest.approx(np.mean(values)), pytest.approx(np.mean(values) - 0.05),
        pytest.approx(-0.05), pytest.approx(-0.05), pytest.approx(-0.05), pytest.approx(2 / 2001),
        "paired bootstrap",
    )  # fmt: skip


def test_only_rows_valid_in_both_are_compared():
    a = [row("x", 1.0), row("y", 1.0), row("z", None)]
    b = [row("y", 0.0), row("x", None), row("z", 1.0)]
    comparison = paired(a, b)
    assert comparison is not None
    assert (comparison.n, comparison.a, comparison.b) == (1, 1.0, 0.0)
    assert paired([row("x", 1.0)], [row("y", 1.0)]) is None
    assert paired([], []) is None


def test_copies_of_an_item_do_not_make_a_difference_certain():
    """Two clusters disagree: hundred copies of each prove nothing."""
    a = [row(f"{n}-{version}", 0.0, cluster=str(n)) for n in range(2) for version in range(100)]
    b = [row(score.item, 1.0 if score.cluster == "0" else -0.5, cluster=score.cluster or "") for score in a]
    clustered = paired(a, b)
    naive = paired([row(score.item, score.value) for score in a], [row(s.item, s.value) for s in b])
    assert clustered is not None
    assert naive is not None
    assert (clustered.low, clustered.high) == (-0.5, 1.0)
    assert clustered.p > 0.4
    assert naive.p < 0.01


def test_a_comparison_refuses_what_does_not_pair():
    with pytest.raises(ValueError, match=r"^a comparison is of one metric, not of \['m', 'n'\]$"):
        paired([row("x", 1.0)], [row("x", 1.0, metric="n")])
    with pytest.raises(ValueError, match=r"^m: an item has two rows; a comparison needs one an item$"):
        paired([row("x", 1.0), row("x", 0.0)], [row("x", 1.0)])
