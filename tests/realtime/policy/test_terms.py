"""Phrases here are in no set: they show that the terms are of the languages, not of the generator."""

from __future__ import annotations

import pytest

from antiphon.realtime.policy import terms

NAMES = ("Nova", "小云")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Let me tell it to the end, then you may comment.", "signal"),
        ("Answer only once I've said amber.", "signal"),
        ("Your signal to talk is the word amber.", "signal"),
        ("等我念完你再发言。", "signal"),
        ("没听到我说琥珀你别接话。", "signal"),
        ("If you don't hear your name, I am not speaking to you.", "called"),
        ("没有你名字的话都不是对你说的。", "called"),
        ("Keep your opinions to yourself for now.", "silence"),
        ("I'd rather you stayed quiet.", "silence"),
        ("You aren't listening to me.", None),
        ("You didn't answer that.", None),
        ("I was talking about the river, not the lake.", None),
    ],
)
def test_whose_turn_it_will_be_is_understood(text: str, kind: str | None):
    found = terms.terms(text, NAMES)
    assert (found.kind if found else None) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Please wait until I say go before you answer.", "signal"),
        ("When I say pepper you can reply.", "signal"),
        ("在我说苹果之前不要插话。", "signal"),
        ("我说开始你再回答。", "signal"),
        ("Only respond if I say your name first.", "called"),
        ("只有叫你名字的时候才能说话。", "called"),
        ("Don't say a word, just listen.", "silence"),
        ("先不要回答我。", "silence"),
        ("没听到我说苹果，你什么都别讲，听到了再说话。", "signal"),
        ("That's not what I said.", None),
        ("How long should I wait before I answer?", None),
        ("What is the capital of France?", None),
        ("帮我订一张票。", None),
    ],
)
def test_agreements_are_understood(text: str, kind: str | None):
    found = terms.terms(text, NAMES)
    assert (found.kind if found else None) == kind


def test_a_signal_is_given_by_the_words_that_were_agreed_on():
    said = "Don't answer before I say blue monday."
    agreed = terms.terms(said, NAMES)
    assert agreed is not None
    assert terms.gives("Okay, blue monday.", agreed.signals, said)
    assert not terms.gives("It was a monday in May.", agreed.signals, said)
    assert not terms.gives("I am done with that.", agreed.signals, said)


def test_without_a_word_of_its_own_an_agreement_ends_when_the_person_is_done():
    said = "Please don't interrupt until I'm finished."
    agreed = terms.terms(said, NAMES)
    assert agreed is not None
    assert terms.gives("Okay, I'm done.", agreed.signals, said)
    assert not terms.gives("I have done that twice already this week.", agreed.signals, said)


def test_the_word_is_given_back():
    assert terms.allows("You can speak now.")
    assert not terms.allows("Don't speak now.")


@pytest.mark.parametrize(
    "text", ["Over to you.", "So what do you think?", "Any thoughts?", "该你了。", "说说你的看法。"]
)
def test_who_was_silent_is_asked_for_its_view(text: str):
    assert terms.invites(text)


def test_not_to_answer_is_no_invitation():
    assert not terms.invites("Don't tell me what you think.")
    assert not terms.invites("It was a long day.")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Quiet until I shout bingo.", "signal"),
        ("我没喊冲你就别说话。", "signal"),
        ("Ignore whatever doesn't come with your name.", "called"),
        ("I'm just rehearsing out loud.", "silence"),
        ("什么都别讲。", "silence"),
        ("I don't understand a word.", None),
        ("别再闹了。", None),
    ],
)
def test_agreements_are_understood_in_other_words(text: str, kind: str | None):
    found = terms.terms(text, NAMES)
    assert (found.kind if found else None) == kind
