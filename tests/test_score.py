from __future__ import annotations

import pytest

from antiphon.jsonl import from_row, to_row
from antiphon.score import Score


def test_a_valid_score_has_a_value_and_weighs_one():
    score = Score("i1", "knowledge", "keyword accuracy", 1.0)
    assert (score.weight, score.status, score.reason, score.cluster) == (1.0, "valid", None, None)
    assert to_row(score) == {
        "kind": "score", "v": 1, "item": "i1", "subset": "knowledge", "metric": "keyword accuracy", "value": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize("status", ["invalid", "excluded", "not judged", "unavailable"])
def test_a_score_without_a_value_says_why(status: str):
    row = {
        "kind": "score",
        "v": 1,
        "item": "i",
        "subset": "s",
        "metric": "m",
        "status": status,
        "reason": "why",
    }
    score = from_row(row, Score)
    assert (score.value, score.status, score.reason) == (None, status, "why")
    with pytest.raises(ValueError, match=rf"^m of i: {status} without a reason$"):
        Score("i", "s", "m", status=score.status)
    with pytest.raises(ValueError, match=rf"^m of i: {status} with value 0\.0$"):
        Score("i", "s", "m", 0.0, status=score.status, reason="why")


def test_missing_evidence_is_never_valid():
    with pytest.raises(ValueError, match=r"^m of i: valid with value None$"):
        Score("i", "s", "m", reason="why")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_value_that_is_no_number_is_refused(value: float):
    with pytest.raises(ValueError, match=rf"^m of i: {value} is no value"):
        Score("i", "s", "m", value)


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_that_would_break_a_mean_is_refused(weight: float):
    with pytest.raises(ValueError, match=rf"^m of i: weight {weight} "):
        Score("i", "s", "m", 1.0, weight)
