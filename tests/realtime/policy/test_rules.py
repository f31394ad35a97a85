from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.realtime.agreements import Agreement
from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.turn_policy import Decision, Observation, Ruled, TurnState, Utterance

S = 1_000_000
IDLE = TurnState("idle", names=("Nova",))
SPEAKING = TurnState("paused", agent_text="A story about trains.", names=("Nova",))


def said(text: str, *, lasts_s: float = 1.0, **known: object) -> Utterance:
    made = Utterance("u", 10 * S, 10 * S + int(lasts_s * S), enrolled=True, text=text, final=True)
    return replace(made, **known)


def decide(utterance: Utterance, state: TurnState, *, after_s: float = 0.3, **seen: object) -> Decision:
    now_us = (utterance.offset_us or utterance.onset_us) + int(after_s * S)
    return ByRules().decide(Observation(now_us, (utterance,), **seen), state)  # type: ignore[arg-type]


def test_a_pause_after_an_unfinished_sentence_is_no_end():
    assert decide(said("I would like to go to"), IDLE, after_s=1.5).answer == "NONE"
    assert decide(said("I would like to go to"), IDLE, after_s=2.6).answer == "ANSWER"
    assert decide(said("I would like to go."), IDLE, after_s=0.6).answer == "ANSWER"


def test_words_are_waited_for_but_not_for_ever():
    unknown = said("", final=False)
    assert decide(unknown, IDLE, after_s=0.5) == Decision(
        "LISTEN", "NONE", "waiting for words", settled=False, ask_again_us=12 * S
    )
    assert decide(unknown, IDLE, after_s=1.1).reason == "no words"


@pytest.mark.parametrize("text", ["what about Sunday", "no, the other one", "别说了，换一个", "可以慢一点吗"])
def test_what_takes_the_floor_stops_the_agent_while_it_is_said(text: str):
    going = said(text, offset_us=None, final=False, overlapped=True)
    assert (decide(going, SPEAKING).floor, decide(going, SPEAKING).settled) == ("STOP", False)


def test_short_speech_that_wants_nothing_acknowledges_even_in_unknown_words():
    assert decide(said("zounds", lasts_s=0.6, overlapped=True), SPEAKING).floor == "RESUME"
    assert (
        decide(said("zounds gadzooks blimey crikey heavens", lasts_s=2.0, overlapped=True), SPEAKING).floor
        == "STOP"
    )


def test_speech_to_a_person_that_is_called_by_name_is_not_answered():
    found = decide(said("Tom, are you ready to leave?"), IDLE, after_s=3)
    assert (found.answer, found.aside, found.settled) == ("NONE", True, True)
    assert decide(said("Nova, are you ready to leave?"), IDLE, after_s=3).answer == "ANSWER"


def test_an_answer_to_a_visitor_is_not_for_the_agent():
    asked = Utterance(
        "v", 8 * S, int(9.4 * S), enrolled=False, speaker="q", text="Do you want tea?", final=True
    )
    recent = (Ruled(asked, addressed=False, aside=False),)
    assert decide(said("Yes, with milk."), IDLE, after_s=3, recent=recent).aside
    assert decide(said("Yes, with milk."), IDLE, after_s=3).answer == "ANSWER"


def test_what_follows_a_visitors_words_into_silence_is_for_the_visitor():
    told = Utterance("v", 7 * S, 9 * S, enrolled=False, speaker="q", text="Your soup is cold.", final=True)
    recent = (Ruled(told, addressed=False, aside=False),)
    assert decide(said("Never mind, I like it."), IDLE, after_s=1.0, recent=recent).answer == "NONE"
    assert decide(said("What, really?"), IDLE, after_s=1.0, recent=recent).answer == "NONE"
    assert decide(said("Give me the other recipe."), IDLE, after_s=1.0, recent=recent).answer == "ANSWER"
    assert decide(said("It tastes of nothing."), IDLE, after_s=1.0).answer == "ANSWER"


def test_what_follows_a_voice_over_the_agents_is_not_taken_for_a_reply_to_it():
    over = Utterance(
        "v", 7 * S, 9 * S, enrolled=False, speaker="q", text="Two nil to the home side.", final=True
    )
    recent = (Ruled(replace(over, overlapped=True), addressed=False, aside=False),)
    assert decide(said("I would rather go by boat."), IDLE, after_s=1.0, recent=recent).answer == "ANSWER"


def test_a_later_question_turns_back_to_the_agent():
    asked = Utterance("v", 2 * S, 3 * S, enrolled=False, speaker="q", text="Do you want tea?", final=True)
    recent = (Ruled(asked, addressed=False, aside=False),)
    assert decide(said("Which trains go to Rome?"), IDLE, after_s=3, recent=recent).answer == "ANSWER"


def test_an_embodied_agent_may_be_asked_for_the_salt():
    robot = replace(IDLE, capabilities={"body": True})
    assert decide(said("Pass me the salt."), IDLE, after_s=3).answer == "NONE"
    assert decide(said("Pass me the salt."), robot, after_s=3).answer == "ANSWER"


def test_another_speaker_is_answered_only_where_anyone_is_served():
    stranger = said("What is the time?", enrolled=False)
    assert decide(stranger, IDLE, after_s=3).answer == "NONE"
    assert decide(stranger, replace(IDLE, serves="anyone"), after_s=3).answer == "ANSWER"


def test_speech_far_below_the_persons_level_is_background():
    assert decide(said("What is the time?", enrolled=None, level_db=-20.0), IDLE, after_s=3).answer == "NONE"
    assert decide(said("What is the time?", enrolled=None, level_db=-3.0), IDLE, after_s=3).answer == "ANSWER"


def test_stop_while_speaking_is_a_stop_and_not_an_agreement():
    found = decide(said("Stop talking, please.", overlapped=True), SPEAKING, after_s=3)
    assert (found.floor, found.answer, found.agreement) == ("STOP", "NONE", None)


def test_go_on_resumes_what_was_stopped():
    stopped = replace(IDLE, rest=True)
    assert (decide(said("Please go on."), stopped, after_s=3).floor) == "RESUME"
    assert decide(said("Please go on."), IDLE, after_s=3).answer == "ANSWER"


def test_an_agreement_to_be_called_stays():
    agreed = replace(IDLE, agreement=Agreement("called", ("Nova",)))
    assert not decide(said("What is the time?"), agreed, after_s=5).settled
    found = decide(said("Nova, what is the time?"), agreed, after_s=5)
    assert (found.answer, found.release) == ("ANSWER", False)


def test_silence_ends_when_the_word_is_given_back_or_the_agent_is_asked():
    agreed = replace(IDLE, agreement=Agreement("silence"))
    assert not decide(said("It was a long day."), agreed, after_s=5).settled
    for text in ("You can talk again.", "What do you think?", "你可以说话了"):
        found = decide(said(text), agreed, after_s=5)
        assert (found.answer, found.release) == ("ANSWER", True)
