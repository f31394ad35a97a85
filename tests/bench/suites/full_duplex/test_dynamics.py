from __future__ import annotations

import pytest

from antiphon.bench.suite import NoValue, Value
from antiphon.bench.suites.full_duplex.dynamics import (
    filler,
    first_call,
    first_response,
    interrupts,
    last_word_s,
    speaks_first,
    take_turn,
)
from antiphon.bench.takes import Called
from tests.bench.suites.full_duplex.duplex import evidence, track, words

USER = track(words("please track my order", 1.0), ((1.0, 2.1),))


def item(*said, calls=(), user=USER, **more):
    return evidence("tool_use", {"expected_calls": []}, calls=calls, user=user, agent=track(said), **more)


def test_the_person_ends_before_a_gap_of_more_than_two_seconds():
    assert last_word_s((*words("track it", 1.0), *words("thanks", 3.5))) == 3.75  # a gap of exactly two
    assert last_word_s((*words("track it", 1.0), *words("thanks", 3.6))) == 1.5
    assert last_word_s(()) is None


def test_a_murmur_under_the_person_is_an_interruption_for_the_scripts_only():
    murmur = item(*words("mm", 1.5), *words("it comes on Thursday morning", 3.0))
    assert interrupts("paper", murmur).value == 1.0
    assert interrupts("strict", murmur).value == 0.0
    assert interrupts("strict", item(*words("let me look at that for you", 0.5))).value == 1.0


def test_who_says_nothing_takes_no_turn_and_interrupts_nobody():
    assert take_turn("strict", item()) == Value(0.0)
    assert interrupts("strict", item()) == NoValue("excluded", "the agent says nothing")
    assert filler("strict", item()) == NoValue("excluded", "the agent says nothing")


def test_times_count_from_the_person_s_end():
    one = item(*words("it comes on Thursday", 3.0), calls=(Called("track_order", {}, 2.5),))
    assert first_response("paper", one).value == 1.0  # the last word ends at 2.0
    assert first_response("strict", one).value == pytest.approx(0.9)  # the last sound ends at 2.1
    assert first_call("strict", one).value == pytest.approx(0.4)
    assert first_call("strict", item(*words("hello", 3.0))) == NoValue("excluded", "no tool was called")


def test_an_interruption_has_no_response_latency():
    early = item(*words("let me look at that for you", 0.5))
    assert first_response("strict", early) == NoValue(
        "excluded", "the agent began before the person had ended"
    )


def test_words_before_the_last_call_fill_the_wait():
    fills = item(
        *words("one moment please", 2.2),
        *words("it comes on Thursday", 5.0),
        calls=(Called("track_order", {}, 3.0),),
    )
    assert speaks_first("strict", fills) == Value(1.0, evidence={"words": "one moment please"})
    waits = item(*words("it comes on Thursday", 5.0), calls=(Called("track_order", {}, 3.0),))
    assert speaks_first("strict", waits).value == 0.0


def test_filler_is_what_the_judge_says():
    assert filler("paper", item(*words("one moment", 3.0), judged={"filler": 1.0})).value == 1.0
