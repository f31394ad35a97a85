from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antiphon.envs.search.reward import (
    SearchReward,
    decision_reward,
    final_turn_reward,
    query_quality,
    query_reward,
    tool_turn_reward,
)

FOUR = {"accuracy": 1.0, "coverage": 0.75, "specificity": 0.5, "diversity": 0.75}  # mean 0.75


@pytest.mark.parametrize(
    ("needed", "searched", "value"), [(True, True, 1), (False, False, 1), (True, False, 0), (False, True, 0)]
)
def test_the_decision(needed: bool, searched: bool, value: float):
    assert decision_reward(needed, searched) == value


def test_by_hand_the_quality_is_the_mean_of_four():
    assert query_quality(FOUR) == 0.75
    assert query_quality(dict.fromkeys(FOUR, 1.0)) == 1.0
    with pytest.raises(ValueError, match="diversity is None"):
        query_quality({"accuracy": 1.0, "coverage": 1.0, "specificity": 1.0})
    with pytest.raises(ValueError, match="coverage is 4"):
        query_quality(FOUR | {"coverage": 4})


@pytest.mark.parametrize(
    ("q", "n_ref", "n_pred", "value"),
    [
        (0.75, 2, 1, 0.75),  # below the count: all of q
        (0.75, 2, 2, 0.75),  # at the count
        (0.75, 2, 3, 0.5),  # one above: 0.75 · 2/3
        (0.75, 2, 4, 0.375),
        (1.0, 1, 1, 1.0),
        (1.0, 1, 2, 0.5),
        (1.0, 1, 10, 0.1),
        (1.0, 5, 5, 1.0),
        (0.6, 5, 6, 0.5),
        (0.0, 3, 1, 0.0),
    ],
)
def test_by_hand_equation_5(q: float, n_ref: int, n_pred: int, value: float):
    assert query_reward(q, n_ref, n_pred) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("q", "n_ref", "n_pred", "problem"),
    [
        (0.5, 2, 0, "n_pred is 0; a search call has at least one query"),
        (0.5, 0, 1, "n_ref is 0; it is from 1 to 5"),
        (0.5, 6, 1, "n_ref is 6; it is from 1 to 5"),
        (1.1, 1, 1, "q is 1.1"),
        (-0.1, 1, 1, "q is -0.1"),
        (math.nan, 1, 1, "q is nan"),
    ],
)
def test_outside_its_range_equation_5_has_no_value(q: float, n_ref: int, n_pred: int, problem: str):
    with pytest.raises(ValueError, match=problem):
        query_reward(q, n_ref, n_pred)


@given(st.floats(0, 1), st.integers(1, 5), st.integers(1, 50))
def test_more_queries_never_earn_more_for_the_same_quality(q: float, n_ref: int, n_pred: int):
    assert 0 <= query_reward(q, n_ref, n_pred + 1) <= query_reward(q, n_ref, n_pred) <= q


def test_by_hand_a_right_search():
    assert tool_turn_reward(True, 3, FOUR, 2) == SearchReward(
        0.75, {"decision": 1.0, "q": 0.75, "query": 0.5}, 2, 3
    )


def test_a_missing_search_is_the_decisions_business_alone():
    assert tool_turn_reward(True, None) == SearchReward(0.0, {"decision": 0.0})


def test_a_needless_search_is_worth_nothing_however_good_its_queries():
    assert tool_turn_reward(False, 1, FOUR, 1) == SearchReward(0.0, {"decision": 0.0}, n_pred=1)
    assert tool_turn_reward(False, None) == SearchReward(1.0, {"decision": 1.0})


def test_a_call_without_a_query_is_no_search():
    assert tool_turn_reward(True, 0, FOUR, 1).value == 0.0


def test_a_missing_judgement_is_no_zero():
    found = tool_turn_reward(True, 1, FOUR | {"coverage": None}, None)
    assert (found.value, found.reason) == (None, "no judgement of coverage, n_ref")


def test_by_hand_the_final_turn():
    judged = {"faithfulness": 1.0, "usefulness": 0.5, "safety": 1.0, "spoken": 0.25}
    assert final_turn_reward(judged) == SearchReward(0.6875, judged)
    assert final_turn_reward(judged | {"safety": None}).reason == "no judgement of safety"
    assert final_turn_reward(judged | {"safety": None}).value is None
