from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.turn_policy import (
    AlwaysAnswer,
    ByScores,
    NeverAnswer,
    Observation,
    TurnState,
    Utterance,
    listen,
)

U = Utterance(
    "u", 0, 1_000_000, enrolled=True, text="yeah", words_end_us=1_000_000, final=True, overlapped=True
)
SPEAKING = TurnState("speaking")


def _decide(
    scores: dict[str, float], utterance: Utterance = U, now_us: int = 1_200_000
) -> tuple[str, str, bool]:
    found = ByScores(ByRules()).decide(Observation(now_us, (utterance,), scores=scores), SPEAKING)
    return found.floor, found.answer, found.settled


@pytest.mark.parametrize(
    ("scores", "decision"),
    [
        ({"addressed": 0.1}, ("RESUME", "NONE", True)),
        ({"addressed": 0.9, "interruption": 0.1}, ("RESUME", "NONE", True)),
        ({"addressed": 0.9, "interruption": 0.9, "end_of_turn": 0.9}, ("STOP", "ANSWER", True)),
        ({"addressed": 0.9, "interruption": 0.9, "end_of_turn": 0.1}, ("LISTEN", "NONE", False)),
    ],
)
def test_scores_of_an_observer_decide(scores: dict[str, float], decision: tuple[str, str, bool]):
    assert _decide(scores) == decision


def test_rules_decide_where_a_score_is_missing():
    seen = Observation(1_200_000, (U,), scores={"interruption": 0.9})
    assert ByScores(ByRules()).decide(seen, SPEAKING) == ByRules().decide(seen, SPEAKING)


def test_an_unfinished_turn_is_waited_for_no_longer_than_that():
    assert _decide({"addressed": 0.9, "interruption": 0.9, "end_of_turn": 0.1}, now_us=2_500_000) == (
        "STOP", "ANSWER", True,
    )  # fmt: skip


def test_the_baselines_do_what_they_are_called():
    seen = Observation(1_500_000, (U,))
    assert AlwaysAnswer().decide(seen, SPEAKING).answer == "ANSWER"
    assert (
        AlwaysAnswer().decide(Observation(500_000, (replace(U, offset_us=None),)), SPEAKING).floor == "STOP"
    )
    assert NeverAnswer().decide(seen, SPEAKING).answer == "NONE"


def test_words_of_a_group_are_joined_as_their_language_writes_them():
    parts = [replace(U, text=text) for text in ("one", "two", "", "三", "四")]
    assert Observation(0, tuple(parts)).text == "one two 三四"


def test_listening_settles_nothing():
    assert not listen("why", 5).settled
