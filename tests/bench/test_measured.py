from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.bench.items import Item
from antiphon.bench.measured import Found, Group, Mean, Rate, Rows, Source, Total, found
from antiphon.score import Score
from tests.bench.bench_boards import results

ITEMS = [
    Item("a", "reasoning", "zh", "？", category="Math"),
    Item("b", "reasoning", "zh", "？", category="Causal", extra={"Sub-category": "Num"}),
    Item("c", "reasoning", "zh", "？", category="Story", extra={"Level": "snr_-5"}),
]


def _rows(*scores: Score) -> Rows:
    return Rows(results(ITEMS, scores))


def _measured(rows: Rows, source: Source) -> Found:
    value = found(rows, source)
    assert value is not None
    return value


def _accuracy(item: str, value: float) -> Score:
    return Score(item, "reasoning", "accuracy", value)


ALL = _rows(_accuracy("a", 1.0), _accuracy("b", 0.0), _accuracy("c", 1.0))


@pytest.mark.parametrize(
    ("group", "values"),
    [
        (Group("accuracy", ("reasoning",)), [1.0, 0.0, 1.0]),
        (Group("accuracy", ("reasoning",), "Causal"), [0.0]),
        (Group("accuracy", ("reasoning",), ("Causal", "Story")), [0.0, 1.0]),
        (Group("accuracy", ("reasoning",), "Causal", "Num"), [0.0]),
        (Group("accuracy", ("reasoning",), "Causal", "Keywords"), []),
        (Group("accuracy", ("reasoning",), detail="snr_-5"), [1.0]),
        (Group("accuracy", ("safety",)), []),
        (Group("acc*", ("reasoning",), "Math"), [1.0]),
        (Group("following_rate", ("reasoning",)), []),
    ],
)
def test_a_group_is_its_rows_and_no_others(group: Group, values: list[float]) -> None:
    assert [score.value for score in ALL.of(group)] == values


def test_a_mean_says_which_share_of_the_published_items_it_covers() -> None:
    value = _measured(ALL, Mean(Group("accuracy", ("reasoning",), of=12), limited="words only"))
    assert (value.summary.value, value.summary.n) == (pytest.approx(2 / 3), 3)
    assert (value.covered, value.limited) == (0.25, "words only")


def test_a_column_without_any_row_is_not_found() -> None:
    assert found(ALL, Mean(Group("accuracy", ("safety",)))) is None
    assert found(ALL, Rate(((Group("score", ("robust",)), Group("score", ("robust_clean",))),))) is None


def test_rows_without_a_value_are_found_and_covered_by_nothing() -> None:
    rows = _rows(Score("a", "reasoning", "accuracy", status="not judged", reason="no judge"))
    value = _measured(rows, Mean(Group("accuracy", ("reasoning",), of=3)))
    assert (value.summary.value, value.summary.not_judged, value.covered) == (None, 1, 0.0)


def test_a_total_counts_successes_and_scales_their_interval() -> None:
    value = _measured(ALL, Total(Group("accuracy", ("reasoning",)))).summary
    share = _measured(ALL, Mean(Group("accuracy", ("reasoning",)))).summary
    assert share.low is not None
    assert (value.value, value.low) == (pytest.approx(2.0), pytest.approx(3 * share.low))


def test_seconds_are_summed_from_the_rows_of_a_real_time_factor() -> None:
    """By hand: 0.5 × 4 s + 2 × 1 s = 4 s of generation, over 5 s of speech."""
    rows = _rows(
        Score("a", "reasoning", "rtf", 0.5, 4.0),
        Score("b", "reasoning", "rtf", 2.0, 1.0),
        Score("c", "reasoning", "rtf", status="excluded", reason="no speech", weight=9.0),
    )
    group = Group("rtf", ("reasoning",))
    sums = [_measured(rows, Total(group, what=what)).summary for what in ("products", "weights")]
    assert [(one.value, one.low, one.n) for one in sums] == [(4.0, None, 2), (5.0, None, 2)]
    assert _measured(rows, Mean(group)).summary.value == pytest.approx(0.8)


def test_nothing_sums_to_nothing_and_not_to_zero() -> None:
    rows = _rows(Score("a", "reasoning", "rtf", status="excluded", reason="no speech"))
    assert _measured(rows, Total(Group("rtf", ("reasoning",)), what="weights")).summary.value is None


def test_a_score_passes_by_the_papers_mark() -> None:
    rows = _rows(*(Score(item, "reasoning", "score", value) for item, value in (("a", 3.0), ("b", 4.0))))
    above = Group("score", ("reasoning",), passed=lambda score: score > 3)
    least = replace(above, passed=lambda score: score >= 3)
    assert [score.value for score in rows.of(above)] == [0.0, 1.0]
    assert [score.value for score in rows.of(least)] == [1.0, 1.0]


def test_a_right_answer_counts_in_speech_only_below_five_percent_of_errors() -> None:
    errors = [
        Score("a", "reasoning", "syllable_error_rate", 0.05, 20.0),
        Score("b", "reasoning", "syllable_error_rate", 0.0, 20.0),
        Score("c", "reasoning", "syllable_error_rate", 0.049, 20.0),
    ]
    rows = _rows(_accuracy("a", 1.0), _accuracy("b", 0.0), _accuracy("c", 1.0), *errors)
    spoken = Group("accuracy", ("reasoning",), spoken=True)
    assert [score.value for score in rows.of(spoken)] == [0.0, 0.0, 1.0]


def test_speech_that_was_not_heard_is_unknown_where_the_words_were_right() -> None:
    lost = Score("a", "reasoning", "syllable_error_rate", status="invalid", reason="not recognised")
    rows = _rows(_accuracy("a", 1.0), _accuracy("b", 0.0), _accuracy("c", 1.0), lost)
    kept = rows.of(Group("accuracy", ("reasoning",), spoken=True))
    assert [(score.value, score.status) for score in kept] == [
        (None, "invalid"),
        (0.0, "valid"),
        (None, "unavailable"),
    ]


def _scores(subset: str, values: dict[str, float]) -> list[Score]:
    return [
        Score(f"{subset}-{source}", subset, "score", value, cluster=source)
        for source, value in values.items()
    ]


def test_a_rate_of_a_run_covers_as_much_as_its_thinnest_side() -> None:
    items = [Item(f"{subset}-x", subset, "zh", "？") for subset in ("robust", "robust_clean")]
    scores = [*_scores("robust", {"x": 3.0}), *_scores("robust_clean", {"x": 4.0})]
    top, bottom = Group("score", ("robust",), of=1), Group("score", ("robust_clean",), of=4)
    value = _measured(Rows(results(items, scores)), Rate(((top, bottom),)))
    assert (value.summary.value, value.summary.n, value.covered) == (pytest.approx(0.75), 1, 0.25)


def test_a_rate_with_one_side_only_has_no_value_and_says_so() -> None:
    items = [Item("robust-x", "robust", "zh", "？")]
    top, bottom = Group("score", ("robust",), of=1), Group("score", ("robust_clean",), of=1)
    value = _measured(Rows(results(items, _scores("robust", {"x": 3.0}))), Rate(((top, bottom),)))
    assert (value.summary.value, value.summary.n, value.covered) == (None, 0, 0.0)
    assert value.summary.reasons == (
        "nothing to hold it against: no clean row of the same source item, or a clean mean of 0",
    )
