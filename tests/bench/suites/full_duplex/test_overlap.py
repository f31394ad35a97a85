from __future__ import annotations

import pytest

from antiphon.bench.suite import NoValue, Value
from antiphon.bench.suites.full_duplex.overlap import answers, response_latency, stop_latency, stopped, stops
from antiphon.bench.suites.full_duplex.sides import merged
from antiphon.score import Score
from antiphon.stats import summarise
from tests.bench.suites.full_duplex.duplex import evidence, track

EXTRA = {"overlap": [4.0, 6.0]}


def test_pauses_up_to_the_gap_are_closed():
    assert merged([(2.0, 3.0), (0.0, 1.0), (3.5, 4.0)], 0.5) == ((0.0, 1.0), (2.0, 4.0))
    assert merged([(0.0, 5.0), (1.0, 2.0)], 0.5) == ((0.0, 5.0),)


def test_intervals_by_hand():
    person, agent = ((0.0, 2.0), (4.0, 6.0)), ((2.5, 4.5), (6.5, 9.0))
    assert stops(person, agent) == [(4.0, 4.5)]
    assert answers(person, agent) == [(2.0, 2.5), (6.0, 6.5)]


def test_two_ends_before_one_beginning_leave_the_shorter_gap_only():
    assert answers(((0.0, 1.0), (2.0, 3.0)), ((5.0, 6.0),)) == [(3.0, 5.0)]


def test_an_agent_that_never_stops_has_a_stop_latency_for_the_scripts_and_none_for_us():
    on = evidence(
        "user_interruption", EXTRA, user=track((), ((0.0, 2.0), (4.0, 6.0))), agent=track((), ((2.5, 9.0),))
    )
    assert stop_latency("paper", on) == Value(2.0, evidence={"intervals": [(4.0, 6.0)]})
    assert stop_latency("strict", on) == NoValue(
        "excluded", "the agent did not stop while the overlap lasted"
    )
    assert stopped("strict", on) == Value(0.0, evidence={"spoke_until_s": 9.0})


def test_the_times_of_one_overlap():
    item = evidence(
        "user_interruption", EXTRA,
        user=track((), ((0.0, 2.0), (4.0, 6.0))), agent=track((), ((2.5, 3.5), (3.75, 4.5), (7.0, 9.0))),
    )  # fmt: skip
    assert stop_latency("strict", item) == Value(0.5, evidence={"stopped_at_s": 4.5})
    assert stopped("strict", item).value == 1.0
    assert response_latency("strict", item) == Value(1.0, evidence={"begins_at_s": 7.0})
    assert response_latency("paper", item).value == pytest.approx(0.75)  # 2.0 to 2.5, and 6.0 to 7.0


def test_an_agent_that_is_silent_anyway_cannot_stop():
    item = evidence("user_interruption", EXTRA, user=track((), ((0.0, 2.0),)), agent=track((), ((2.5, 3.5),)))
    assert stop_latency("strict", item) == NoValue(
        "excluded", "the agent was not speaking when the overlap began"
    )
    assert stop_latency("paper", item) == NoValue("excluded", "the two never speak at once")
    assert response_latency("strict", item) == NoValue(
        "excluded", "the agent never begins after the overlap has ended"
    )


def test_paper_averages_intervals_and_not_samples():
    one = evidence("user_interruption", EXTRA, user=track((), ((0.0, 1.0),)), agent=track((), ((4.0, 5.0),)))
    two = evidence(
        "user_interruption",
        EXTRA,
        user=track((), ((0.0, 1.0), (4.0, 5.0))),
        agent=track((), ((2.0, 3.0), (6.0, 7.0))),
    )
    rows = [
        Score(str(at), "s", "m", found.value, found.weight)
        for at, found in enumerate(response_latency("paper", each) for each in (one, two))
        if isinstance(found, Value)
    ]
    assert summarise(rows).value == pytest.approx((3.0 + 1.0 + 1.0) / 3)


def test_paper_sees_nothing_of_the_agent_after_the_person_s_track_has_ended():
    item = evidence(
        "user_interruption", EXTRA, query_s=6.5, user=track((), ((0.0, 2.0),)), agent=track((), ((7.0, 9.0),))
    )
    assert response_latency("paper", item) == NoValue(
        "excluded", "the agent never begins after the person has ended"
    )
