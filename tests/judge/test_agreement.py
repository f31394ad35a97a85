from __future__ import annotations

import numpy as np
import pytest

from antiphon.judge.agreement import Share, agreement, kappa, share, spearman, unanimity
from antiphon.stats import wilson

# Cohen's textbook table: both yes 20, truth yes and given no 5, truth no and given yes 10, both no 15.
TRUTH = [True] * 25 + [False] * 25
GIVEN = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15


def test_yes_and_no_by_hand():
    # observed (20 + 15) / 50 = 0.7; by chance 25/50 * 30/50 + 25/50 * 20/50 = 0.5; kappa (0.7 - 0.5) / 0.5
    found = agreement(TRUTH, GIVEN)
    assert found.kappa == pytest.approx(0.4)
    assert (found.n, found.invalid, found.exact) == (50, 0, Share(35, 50, 0.7, *wilson(35, 50)))
    assert (found.sensitivity, found.specificity) == (share(20, 25), share(15, 25))
    assert found.bias == pytest.approx(30 / 50 - 25 / 50)
    # F1 of yes 2*20/(25+30), of no 2*15/(25+20)
    assert found.macro_f1 == pytest.approx((40 / 55 + 30 / 45) / 2)
    assert found.confusion == {"no": {"no": 15, "yes": 10}, "yes": {"no": 5, "yes": 20}}
    assert (found.within_one, found.weighted_kappa) == (None, None)
    assert found.bias_low is not None
    assert found.bias_high is not None
    assert found.bias_low < 0.1 < found.bias_high


def test_scores_by_hand():
    # Squared distances 0, 1, 0, 4: mean 1.25. By chance: every truth 1 2 3 5 against every given 1 1 3 3:
    # from 1: 0 0 4 4; from 2: 1 1 1 1; from 3: 4 4 0 0; from 5: 16 16 4 4; mean 60/16 = 3.75.
    found = agreement([1.0, 2.0, 3.0, 5.0], [1.0, 1.0, 3.0, 3.0], [10, 20, 30, 40])
    assert found.weighted_kappa == pytest.approx(1 - 1.25 / 3.75)
    # unweighted: 2 of 4 differ; by chance 1 - (1/4*2/4 + 1/4*2/4) = 0.75
    assert found.kappa == pytest.approx(1 - 0.5 / 0.75)
    assert (found.exact, found.within_one) == (share(2, 4), share(3, 4))
    assert found.bias == pytest.approx(-0.75)
    assert (found.sensitivity, found.specificity) == (None, None)
    assert found.length_truth == pytest.approx(1.0)
    assert found.length_given == pytest.approx(2 / np.sqrt(5))  # ranks 1.5 1.5 3.5 3.5 against 1 2 3 4
    assert found.confusion["5"] == {"1": 0, "2": 0, "3": 1, "5": 0}


def test_a_judge_that_always_says_yes_is_worth_nothing():
    found = agreement([True] * 8 + [False] * 2, [True] * 10)
    assert found.kappa == pytest.approx(0.0)
    assert found.exact.value == 0.8
    assert (found.sensitivity, found.specificity) == (share(8, 8), share(0, 2))
    assert found.bias == pytest.approx(0.2)


def test_a_judge_that_always_says_three_is_worth_nothing():
    found = agreement([1.0, 2.0, 3.0, 4.0, 5.0], [3.0] * 5)
    assert (found.kappa, found.weighted_kappa) == (pytest.approx(0.0), pytest.approx(0.0))
    assert found.bias == 0.0


def test_labels_of_one_kind_leave_kappa_undefined_with_the_reason():
    found = agreement([True] * 5, [True] * 5, [3] * 5)
    assert found.kappa is None
    assert found.reasons["kappa"] == "both said 1 every time: agreement by chance is complete"
    assert found.specificity == Share(0, 0)
    assert (found.length_given, "length_given" in found.reasons) == (None, True)
    assert (found.bias, found.bias_low) == (0.0, None)


def test_opposite_judges_have_kappa_below_zero():
    assert agreement([True, False] * 10, [False, True] * 10).kappa == pytest.approx(-1.0)


def test_two_constants_that_differ_have_kappa_zero():
    assert kappa(np.ones(4), np.full(4, 2.0)) == 0.0
    assert kappa(np.ones(4), np.full(4, 2.0), quadratic=True) == 0.0


def test_what_has_no_verdict_counts_as_invalid_and_nowhere_else():
    found = agreement([True, False, True], [True, None, None], [1, 2, 3])
    assert (found.n, found.invalid, found.exact) == (1, 2, share(1, 1))
    nothing = agreement([4.0, 5.0], [None, None])
    assert (nothing.n, nothing.invalid, nothing.exact, nothing.kappa) == (0, 2, Share(0, 0), None)
    assert nothing.macro_f1 is None
    assert nothing.reasons["bias"] == "no reply has both values"


def test_yes_beside_numbers_cannot_be_compared():
    with pytest.raises(ValueError, match="nothing compares them"):
        agreement([True, False], [1.0, 0.0])


def test_many_rows_take_no_square_of_memory():
    many = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 20_000)
    assert kappa(many, many, quadratic=True) == 1.0


def test_ranks_share_their_ties():
    assert spearman(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(np.sqrt(3) / 2)
    assert spearman(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])) is None


def test_unanimity_counts_groups_with_two_values():
    assert unanimity([[True, True, None], [True, False], [True], [None, None], [4.0, 4.0]]) == share(2, 3)
