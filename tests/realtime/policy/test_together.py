from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.realtime.agreements import Agreement
from antiphon.realtime.policy import terms
from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.policy.together import BREATH_US, amended, last_said, run
from antiphon.realtime.turn_policy import Decision, Observation, Ruled, TurnState, Utterance

S = 1_000_000


def said(text: str, begin_s: float, end_s: float, speaker: str | None = None) -> Utterance:
    return Utterance("u", int(begin_s * S), int(end_s * S), speaker=speaker, text=text, final=True)


def after(made: Agreement, first: Utterance, *then: Utterance) -> Decision:
    """What is decided of words under an agreement that was just made."""
    end_us = then[-1].offset_us
    assert end_us is not None
    seen = Observation(end_us + S, then, (Ruled(first, addressed=False, aside=False),))
    return ByRules().decide(seen, TurnState("idle", names=("Nova",), agreement=made))


def test_what_hardly_a_pause_divides_was_said_together():
    parts = (said("Long ago.", 0, 1), said("Now you", 4, 5), said("may talk.", 5.5, 6))
    assert run(parts) == parts[1:]
    assert last_said(parts) == "Now you may talk."
    assert last_said((said("现在你", 4, 5), said("可以说话了", 5.5, 6))) == "现在你可以说话了"
    assert run(()) == ()


def test_a_longer_pause_or_another_speaker_divides():
    first = said("One", 0, 1)
    assert len(run((first, said("two", 1 + BREATH_US / S, 2)))) == 2
    assert len(run((first, said("two", 1.001 + BREATH_US / S, 2)))) == 1
    assert len(run((first, said("two", 1.2, 2, speaker="other")))) == 1
    assert len(run((replace(first, offset_us=None), said("two", 1.2, 2)))) == 1


def test_the_second_half_of_a_sentence_amends_the_agreement_that_the_first_half_made():
    first = said("Don't jump in before I'm done.", 1, 3)
    made = Agreement("signal", terms.signals(first.text), first.text)
    whole = Agreement("signal", ("marmalade",), "Don't jump in before I'm done. The magic word is marmalade.")
    assert after(made, first, said("The magic word is marmalade.", 3.4, 5)) == Decision(
        "LISTEN", "NONE", "the agreement, said in full", agreement=whole
    )
    silence = Agreement("silence", said="Please don't say anything")
    found = after(silence, said(silence.said, 1, 3), said("until I say banana.", 3.4, 5))
    assert found.agreement == Agreement(
        "signal", ("banana",), "Please don't say anything until I say banana."
    )


def test_a_sentence_of_its_own_amends_nothing():
    first = said("Don't jump in before I'm done.", 1, 3)
    made = Agreement("signal", terms.signals(first.text), first.text)
    late = after(made, first, said("The magic word is marmalade.", 6, 8))
    assert (late.reason, late.agreement) == ("agreed to be silent (signal)", None)
    assert after(made, first, said("We are five people.", 3.4, 5)).agreement is None


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_second_part_changes_no_decision(text: str):
    first = said("Don't jump in before I'm done.", 1, 3)
    state = TurnState(agreement=Agreement("signal", terms.signals(first.text), first.text))
    seen = Observation(6 * S, (said(text, 3.4, 4),), (Ruled(first, addressed=False, aside=False),))
    assert amended(seen, state) is None
    assert not ByRules().decide(seen, state).settled


def test_the_name_and_the_question_after_it_are_heard_as_one_call():
    made = Agreement("called", ("Nova",), "Only answer when I call you by your name.")
    found = after(made, said(made.said, 1, 3), said("Nova.", 9, 9.4), said("How far is the lake?", 9.7, 11))
    assert (found.answer, found.reason) == ("ANSWER", "called, as agreed")
    apart = after(made, said(made.said, 1, 3), said("Nova.", 9, 9.4), said("How far is the lake?", 12, 13))
    assert apart.answer == "NONE"


def asked_by_a_visitor(*visitor: Utterance) -> Decision:
    recent = tuple(Ruled(replace(each, enrolled=False), addressed=False, aside=False) for each in visitor)
    mine = said("I think I'd like the second option.", 10, 11)
    return ByRules().decide(Observation(14 * S, (mine,), recent), TurnState("idle", names=("Nova",)))


def test_a_question_that_was_cut_before_the_name_is_still_a_question():
    parts = (said("What shall we have?", 7, 8.5, "v"), said("Tam!", 8.8, 9.2, "v"))
    assert asked_by_a_visitor(*parts).reason == "answers somebody else"


def test_what_a_visitor_says_afterwards_does_not_hide_the_question_before():
    question, later = said("What shall we have?", 7, 9.2, "v"), said("", 11.3, 13, "v")
    assert asked_by_a_visitor(question, later).reason == "answers somebody else"
    assert asked_by_a_visitor(later).answer == "ANSWER"
