from __future__ import annotations

from collections import Counter

from antiphon.realtime.sets.semantic_control import semantic_control


def test_a_hundred_sessions_have_three_points_each_over_all_scenes():
    made = [semantic_control(number, 0) for number in range(100)]
    assert {len(each.points) for each in made} == {3}
    tasks = Counter(point.task for each in made for point in each.points)
    assert tasks == {
        "wait for a signal": 40, "the signal": 20, "question": 60, "stop": 20, "go on": 20, "not called": 40,
        "called": 20, "a moment": 20, "asked for silence": 40, "given the word": 20,
    }  # fmt: skip


def test_what_is_said_right_after_an_agreement_is_no_point():
    made = semantic_control(0, 0)
    assert made.session.lines[0].id not in {point.line for point in made.points}
