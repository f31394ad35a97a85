from __future__ import annotations

import pytest

from antiphon.realtime import events as e
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.policy.semantic import CHOICES, BySemantics
from antiphon.realtime.turn_policy import Observation, TurnState, Utterance
from tests.realtime.conversing import MS, Talk

S = 1_000_000
SAID = Utterance("u", 8 * S, 9 * S, enrolled=True, text="What about Sunday?", final=True, overlapped=True)
SPEAKING = TurnState("paused", agent_text="A story about trains.", names=("Nova",))


def decide(choice: str | None, state: TurnState, after_s: float = 1.0, said: Utterance = SAID):
    scores = {} if choice is None else {f"semantic.{choice}": 1.0}
    seen = Observation(int((9 + after_s) * S), (said,), scores=scores)
    found = BySemantics().decide(seen, state)
    return found.floor, found.answer, found.reason, found.settled


@pytest.mark.parametrize(
    ("choice", "speaking", "silent"),
    [
        ("answer", ("STOP", "ANSWER"), ("SPEAK", "ANSWER")),
        ("acknowledge", ("RESUME", "NONE"), ("LISTEN", "NONE")),
        ("others", ("RESUME", "NONE"), ("LISTEN", "NONE")),
        ("stop", ("STOP", "NONE"), ("STOP", "NONE")),
        ("wait", ("STOP", "NONE"), ("LISTEN", "NONE")),
        ("continue", ("RESUME", "NONE"), ("SPEAK", "ANSWER")),  # nothing to go on with: it is answered
    ],
)
def test_the_models_choice_decides(choice: str, speaking: tuple[str, str], silent: tuple[str, str]):
    reason = f"the model chose {choice}"
    assert decide(choice, SPEAKING) == (*speaking, reason, True)
    assert decide(choice, TurnState()) == (*silent, reason, True)
    assert choice in CHOICES


def test_a_late_or_unintelligible_choice_leaves_it_to_the_rules_and_says_so():
    ruled = ByRules().decide(Observation(11 * S, (SAID,)), SPEAKING)
    assert decide(None, SPEAKING) == ("STOP", "NONE", "waiting for the model's choice", False)
    assert decide(None, SPEAKING, after_s=2) == (
        ruled.floor, ruled.answer, f"{ruled.reason} (rules: the model did not choose in time)", True,
    )  # fmt: skip
    assert decide("none", SPEAKING) == (
        ruled.floor, ruled.answer, f"{ruled.reason} (rules: the model's choice was unintelligible)", True,
    )  # fmt: skip


def test_whom_the_agent_does_not_serve_the_model_is_not_asked_about():
    stranger = Utterance("v", 8 * S, 9 * S, enrolled=False, text="What about Sunday?", final=True)
    assert decide("answer", TurnState(), said=stranger) == ("LISTEN", "NONE", "another speaker", True)


def _talk(latency_ms: int | None) -> Talk:
    """An answer is interrupted by a sentence that the rules answer; the model takes it for somebody else."""
    talk = Talk(policy=policy_named("semantic"))
    known = talk.says(100, "a", "Tell me a story.")
    talk.step(known + 10, e.Score((known + 10) * MS, "semantic.answer", 1.0, "a"))
    talk.waits(known + 600)
    item = talk.writes(talk.t + 100).item
    talk.plays(talk.t + 500, item, 500)
    known = talk.says(talk.t + 500, "b", "Which one was the oldest?")
    if latency_ms is not None:
        talk.waits(known + latency_ms - 1)
        at = known + latency_ms
        talk.step(at, e.Score(at * MS, "semantic.others", 1.0, "b"))
    talk.waits(known + 4000)
    return talk


def test_in_virtual_time_the_choice_comes_when_its_latency_says():
    in_time = _talk(600)
    assert in_time.decisions()[-1] == ("RESUME", "NONE", "the model chose others")
    assert len(in_time.of(e.StartAnswer)) == 1
    assert _talk(600).seen == in_time.seen
    late, never = _talk(3000), _talk(None)
    assert late.decisions()[-1][2].endswith("(rules: the model did not choose in time)")
    assert len(late.of(e.StartAnswer)) == len(never.of(e.StartAnswer)) == 2
