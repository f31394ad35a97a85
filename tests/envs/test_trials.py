from __future__ import annotations

import pytest

from antiphon.envs.trials import pass_at_k, pass_hat_k, reliability, task_scores
from antiphon.envs.verdict import Verdict
from antiphon.score import Score


def row(task: str, trial: int, passed: bool | None) -> Verdict:
    return Verdict(
        domain="desk", task=task, trial=trial, seed=0, system="s", partner="p", outcome="write",
        stop="partner_hung_up", status="invalid" if passed is None else "valid", passed=passed, scoring="strict",
        reason="x" if not passed else None,
    )  # fmt: skip


def rows(task: str, *passed: bool | None) -> list[Verdict]:
    return [row(task, trial, each) for trial, each in enumerate(passed)]


def test_by_hand_three_of_four_trials():
    assert [pass_hat_k(3, 4, k) for k in (1, 2, 3, 4)] == [3 / 4, 3 / 6, 1 / 4, 0]
    assert [pass_at_k(3, 4, k) for k in (1, 2)] == [3 / 4, 1]
    assert pass_at_k(1, 4, 2) == 3 / 6


@pytest.mark.parametrize(("passed", "n", "k"), [(1, 2, 3), (0, 0, 1), (3, 2, 1), (1, 2, 0)])
def test_more_than_there_is_cannot_be_drawn(passed: int, n: int, k: int):
    with pytest.raises(ValueError, match="can be drawn"):
        pass_hat_k(passed, n, k)


def test_invalid_trials_do_not_count_and_too_few_are_no_zero():
    scores = task_scores(
        [*rows("a", True, True, None), *rows("b", True, False, True), *rows("c", None, False, None)], 2
    )
    assert scores == [
        Score("a", "desk", "pass^2", 1.0, evidence={"passed": 2, "valid": 2, "invalid": 1}),
        Score("b", "desk", "pass^2", 1 / 3, evidence={"passed": 2, "valid": 3, "invalid": 0}),
        Score(
            "c", "desk", "pass^2", None, status="invalid", reason="1 valid trials of 3; pass^2 needs 2",
            evidence={"passed": 0, "valid": 1, "invalid": 2},
        ),
    ]  # fmt: skip


def test_over_tasks_with_counts_and_an_interval():
    found = reliability(
        [*rows("a", True), *rows("b", False), *rows("c", True), *rows("d", None)], 1, "pass@k"
    )
    assert (found.metric, found.value, found.n, found.invalid, found.interval) == (
        "pass@1",
        2 / 3,
        3,
        1,
        "wilson",
    )
    assert found.low == pytest.approx(0.2077, abs=1e-4)
    assert found.high == pytest.approx(0.9385, abs=1e-4)
