"""Phrases here are in no set: they show that the cues are of the languages, not of the generator."""

from __future__ import annotations

import pytest

from antiphon.realtime.policy import cues


@pytest.mark.parametrize(
    "text", ["I want to", "my flight is on", "because", "我想订一张从", "如果明天", "well,"]
)
def test_unfinished_sentences_trail_off(text: str):
    assert cues.trails(text)


@pytest.mark.parametrize("text", ["Book a flight.", "What is that?", "我要去北京。", "明天去"])
def test_finished_sentences_do_not(text: str):
    assert not cues.trails(text)


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes, please.", True),
        ("好的", True),
        ("no", False),
        ("yes but not now", False),
        ("先别", False),
        ("should I say yes?", False),
    ],
)
def test_a_plain_yes_affirms(text: str, yes: bool):
    assert cues.affirms(text) is yes


def test_stopping_holding_and_going_on_are_told_apart():
    assert cues.stops("That's enough.")
    assert not cues.stops("fair enough")
    assert cues.holds("Just a minute.")
    assert not cues.holds("Oh wait, I forgot to mention my allergy.")
    assert cues.continues("Please go on.")
    assert not cues.continues("Tell me how to keep a cactus.")


@pytest.mark.parametrize(
    "text",
    [
        "No more sweets.",
        "The tram stops in the square.",
        "Quit poking me.",
        "Shut the lid.",
        "他把车停那边了",
    ],
)
def test_what_stops_something_else_is_no_order_to_be_silent(text: str):
    assert not cues.stops(text)


def test_a_door_is_shut_and_a_mouth_is_shut_up():
    assert cues.stops("Shut up now.")
    assert cues.stops("No more talking.")
    assert cues.stops("Stop.")


def test_what_is_held_in_the_hand_asks_for_no_moment():
    assert not cues.holds("Hold my jacket.")
    assert cues.holds("Hold on.")


def test_only_talk_goes_on():
    assert cues.continues("Keep talking.")
    assert not cues.continues("Keep kneading.")


def test_questions_are_known_by_their_form_without_a_mark():
    assert cues.asks("where is it")
    assert cues.asks("okay can you help me")
    assert cues.asks("有没有早一点的")
    assert not cues.asks("I can help you")
    assert cues.asks("how much")
    assert cues.asks("什么时候")
    assert not cues.asks("我什么都不要")
