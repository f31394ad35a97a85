from __future__ import annotations

import pytest

from antiphon.bench.derived import Kept, preserved
from antiphon.score import Score


def rows(values: list[float | None], subset: str = "robust", weight: float = 1.0) -> list[Score]:
    return [
        Score(f"{subset}-{at}", subset, "score", value, weight, cluster=f"q-{at}")
        if value is not None
        else Score(
            f"{subset}-{at}", subset, "score", status="invalid", reason="no verdict", cluster=f"q-{at}"
        )
        for at, value in enumerate(values)
    ]


def test_what_is_kept_is_the_ratio_of_the_means() -> None:
    found = preserved("m", "robust", [Kept(rows([2, 3, 1]), rows([4, 3, 5], "clean"))], paired=True)
    assert (found.value, found.n, found.interval) == (0.5, 3, "clustered bootstrap")
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 < found.high


def test_it_is_no_mean_of_ratios() -> None:
    # Item by item 1/5 and 5/1 would average 2.6; the paper's table divides 3 by 3.
    assert preserved("m", "s", [Kept(rows([1, 5]), rows([5, 1], "clean"))], paired=True).value == 1.0


def test_a_row_lost_on_one_side_is_left_out_on_the_other_where_rows_pair() -> None:
    pair = Kept(rows([2, None, 2]), rows([4, 1, 4], "clean"))
    strict = preserved("m", "s", [pair], paired=True)
    assert (strict.value, strict.n, strict.invalid, strict.reasons) == (0.5, 2, 1, ("no verdict",))
    paper = preserved("m", "s", [pair], paired=False)
    assert paper.value == pytest.approx(2 / 3)


def test_the_average_caps_each_pair_before_it_averages() -> None:
    pairs = [Kept(rows([4]), rows([2], "clean")), Kept(rows([1]), rows([2], "clean"))]
    assert preserved("m", "s", pairs, paired=True, most=1.0).value == 0.75
    assert preserved("m", "s", pairs, paired=True).value == 1.25


def test_the_published_average_of_baichuan_is_capped() -> None:
    # Table 15: scores 3.83 3.63 3.82 3.82 3.68 3.49 against 3.63 are printed as 99.357 %.
    pairs = [Kept(rows([score]), rows([3.63], "clean")) for score in (3.83, 3.63, 3.82, 3.82, 3.68, 3.49)]
    value = preserved("m", "s", pairs, paired=False, most=1.0).value
    assert value is not None
    assert round(value * 100, 3) == 99.357


@pytest.mark.parametrize(
    "pair",
    [
        Kept(rows([3]), []),
        Kept([], rows([3], "clean")),
        Kept(rows([0]), rows([0], "clean")),
        Kept(rows([None]), rows([3], "clean")),
    ],
)
def test_without_two_sides_there_is_no_value_but_a_reason(pair: Kept) -> None:
    found = preserved("m", "s", [pair], paired=True)
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)
    assert found.reasons


def test_one_pair_without_value_takes_the_average_with_it() -> None:
    pairs = [Kept(rows([4]), rows([4], "clean")), Kept(rows([None]), rows([4], "clean"))]
    assert preserved("m", "s", pairs, paired=True, most=1.0).value is None
    assert preserved("m", "s", [], paired=True).value is None


def test_the_interval_moves_both_sides_of_a_source_item_together() -> None:
    # Each item keeps exactly half: whatever is drawn, the ratio is a half, so nothing is uncertain.
    clean = [1.0, 2.0, 3.0, 4.0, 5.0]
    found = preserved("m", "s", [Kept(rows([v / 2 for v in clean]), rows([*clean], "clean"))], paired=True)
    assert found.value == 0.5
    assert found.low in (None, pytest.approx(0.5))
    assert found.high in (None, pytest.approx(0.5))


def test_the_same_rows_give_the_same_interval() -> None:
    pair = Kept(rows([1, 2, 5, 4]), rows([4, 3, 5, 5], "clean"))
    assert preserved("m", "s", [pair], paired=True) == preserved("m", "s", [pair], paired=True)


def test_a_clean_row_that_serves_two_pairs_is_counted_once() -> None:
    clean = rows([4, None], "clean")
    found = preserved("m", "s", [Kept(rows([4, 4]), clean), Kept(rows([2, 2], "b"), clean)], paired=True)
    assert (found.value, found.n, found.invalid) == (0.75, 2, 1)
