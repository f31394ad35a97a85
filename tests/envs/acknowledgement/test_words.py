from __future__ import annotations

import pytest

from antiphon.envs.acknowledgement.words import Landmark, acknowledges, first, sentences, sort_of, units
from antiphon.trace import Step, Trace


@pytest.mark.parametrize(
    "sentence",
    [
        "Let me check that for you.", "I'll look that up.", "One moment, please.", "Sure, let me pull that up.",
        "I'm checking the fares now.", "Just a second.", "I’ll place the hold now.", "Hold on.",
        "我查一下。", "请稍等。", "好的，我帮您看一下航班。", "正在为您查询。", "我这就为您办理。", "马上为您查。",
    ],
)  # fmt: skip
def test_sentences_that_tell_that_work_is_starting(sentence: str):
    assert sort_of(sentence) == "acknowledgement"


@pytest.mark.parametrize(
    ("sentence", "sort"),
    [
        ("SK2859 leaves at nine.", "answer"),
        ("I'll need your phone number.", "answer"),
        ("Please let me know.", "answer"),
        ("Looking forward to your call.", "answer"),
        ("Please confirm, and I'll proceed with the update.", "answer"),
        ("Once you agree, I'll place the hold.", "answer"),
        ("If you agree, let me do that.", "answer"),
        ("Shall I check that?", "question"),
        ("Of course!", "courtesy"),
        ("Okay, got it.", "courtesy"),
        ("这个票价是九百九。", "answer"),
        ("保留不能延长。", "answer"),
        ("需要我帮您查一下吗？", "question"),
        ("我帮您保留这个吗", "question"),
        ("好的，没问题。", "courtesy"),
    ],
)
def test_sentences_that_do_not(sentence: str, sort: str):
    assert sort_of(sentence) == sort


def test_a_text_acknowledges_when_one_of_its_sentences_does():
    assert acknowledges("Sure. Let me check.")
    assert acknowledges("好的。我查一下。")
    assert not acknowledges("Sure. Narita or Haneda?")
    assert not acknowledges("")


def test_sentences_keep_their_places_and_decimals_stay_whole():
    assert list(sentences("It is 990.5 dollars. Fine?  好的。")) == [
        (0, "It is 990.5 dollars."), (21, "Fine?"), (28, "好的。"),
    ]  # fmt: skip


def test_length_counts_words_and_han_characters():
    assert units("Let me check SK2859.") == ["let", "me", "check", "sk2859"]
    assert units("我查SK2859。") == ["我", "查", "sk2859"]


def trace(*steps: Step) -> Trace:
    return Trace("t", 0, 0, "s", "p", steps, "partner_hung_up", {})


def test_the_first_acknowledgement_and_the_first_answer_are_found_each_by_itself():
    found = trace(
        Step(0, "user", "SK2859?"), Step(1, "assistant", "Hello! Which day?"), Step(2, "user", "Friday."),
        Step(3, "assistant", "Sure. Let me check. "), Step(9, "assistant", "Okay. It leaves at nine. Let me look again."),
    )  # fmt: skip
    assert first(found, "acknowledgement") == Landmark(3, 6, "Let me check.", 3)
    assert first(found, "answer") == Landmark(4, 6, "It leaves at nine.", 9)


def test_the_same_in_mandarin_and_in_one_turn():
    found = trace(Step(0, "user", "几点？"), Step(5, "assistant", "好的。我查一下。九点起飞。"))
    assert first(found, "acknowledgement") == Landmark(1, 3, "我查一下。", 5)
    assert first(found, "answer") == Landmark(1, 8, "九点起飞。", 5)


def test_what_is_not_there_is_not_found():
    found = trace(Step(0, "user", "Let me check."), Step(1, "assistant", "Which day?"))
    assert first(found, "acknowledgement") is None
    assert first(found, "answer") is None
