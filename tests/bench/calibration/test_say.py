from __future__ import annotations

from antiphon.bench.calibration.calibrate import Calibration
from antiphon.bench.calibration.say import percent, say_agreement, say_calibration
from antiphon.judge.agreement import Share, agreement, share


def test_scores_are_told_with_both_kappas_and_length() -> None:
    lines = say_agreement(
        agreement([1.0, 2.0, 3.0, 5.0], [1.0, 1.0, 3.0, 3.0], [1, 2, 3, 4]), "judge", "labels"
    )
    assert lines[0].startswith("  n 4, invalid 0; agreement 50.0% (")
    assert "within one 75.0% (" in lines[0]
    assert lines[1] == "  kappa 0.333, quadratic-weighted 0.667 (substantial); macro F1 0.333"
    assert lines[2].startswith("  bias, judge − labels: -0.75 (")
    assert lines[-1] == "  correlation with length: of judge +0.89, of labels +1.00 (Spearman)"


def test_what_is_not_known_is_said() -> None:
    assert percent(Share(0, 0)) == "none to count"
    lines = say_agreement(agreement([True, True], [True, True]), "a", "b")
    assert lines[1].startswith("  kappa not defined: both said 1 every time")
    assert lines[2] == "  bias, a − b: +0.00 points of yes-rate"
    assert say_agreement(agreement([True], [None]), "a", "b") == ["  n 0, invalid 1; agreement none to count"]


def test_a_published_figure_stands_beside_ours() -> None:
    found = Calibration("conciseness", "j", "p@1", 2, agreement([1.0, 3.0], [1.0, 2.0]))
    assert (
        "published, with the authors' prompt and GPT-5.2: agreement 92.3 %, macro F1 0.838"
        in say_calibration(found)
    )
    found = Calibration("x", "j", "p@1", 2, agreement([True, False], [True, False]), repeated=share(1, 2))
    assert "all members or repetitions agree: 50.0%" in say_calibration(found)
