from __future__ import annotations

import numpy as np
import pytest

from antiphon.realtime.policy.end_of_turn import Turns, heard_end
from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.turn_policy import Observation, TurnState, Utterance

SECOND = 32_000


@pytest.mark.parametrize(
    ("pause_us", "score", "expected_us"),
    [
        (500_000, None, 500_000),
        (500_000, 1.0, 250_000),
        (500_000, 0.5, 500_000),
        (500_000, 0.25, 1_000_000),
        (500_000, 0.0, 1_500_000),
        (2_500_000, 1.0, 2_500_000),  # its words say that it goes on
    ],
)
def test_a_turn_that_sounds_finished_ends_sooner_and_one_that_does_not_later(pause_us, score, expected_us):
    scores = {} if score is None else {"end_of_turn": score}
    assert heard_end(pause_us, "a finished turn", scores)[0] == expected_us


def test_the_reason_says_what_was_heard():
    assert heard_end(500_000, "a finished turn", {"end_of_turn": 0.9})[1] == "a finished turn, and sounds so"
    assert (
        heard_end(500_000, "a finished turn", {"end_of_turn": 0.1})[1]
        == "a finished turn, but sounds unfinished"
    )
    assert heard_end(500_000, "a finished turn", {"addressed": 0.1})[1] == "a finished turn"


def test_a_turn_is_its_utterances_with_the_pauses_between_and_at_most_8_s():
    turns = Turns()
    ones = np.ones(16_000, "<i2").tobytes()
    assert turns.add(ones, 1_000_000).duration_s == 1
    joined = turns.add(ones, 3_000_000)
    assert joined.duration_s == 3
    assert np.array_equal(joined.samples != 0, np.repeat([True, False, True], 16_000))
    assert turns.add(ones, 6_100_000).duration_s == 1  # another turn
    assert turns.add(9 * ones, 15_200_000).duration_s == 8


@pytest.mark.parametrize(("score", "answered_ms"), [(None, 500), (1.0, 250), (0.1, 1300)])
def test_the_default_policy_waits_by_what_it_heard(score, answered_ms):
    said = Utterance("u1", 0, 2_000_000, text="I would like a table for four", final=True)
    scores = {} if score is None else {"end_of_turn": score}

    def decided(ms: int) -> str:
        seen = Observation(2_000_000 + ms * 1000, (said,), scores=scores)
        return ByRules().decide(seen, TurnState()).answer

    assert (decided(answered_ms - 1), decided(answered_ms)) == ("NONE", "ANSWER")
