"""Phrases here are in no set."""

from __future__ import annotations

import pytest

from antiphon.realtime.policy.acknowledging import requests_beside_stopping, responds


@pytest.mark.parametrize(
    "text",
    [
        "yeah",
        "okay great",
        "oh interesting",
        "that makes sense",
        "嗯哼",
        "真的吗",
        "how nice",
        "oh, what a pity",
        "挺好的",
        "懂了",
    ],
)
def test_acknowledgements_only_respond(text: str):
    assert responds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Which one is the cheapest?",
        "stop",
        "no, not that one",
        "why",
        "okay but why",
        "停",
        "那星期天呢？怎么走",
        "that's enough",
    ],
)
def test_what_wants_something_is_no_acknowledgement(text: str):
    assert not responds(text)


def test_a_mistake_is_no_acknowledgement_and_no_mistake_is_one():
    assert responds("没错没错")
    assert not responds("又错了")
    assert not responds("可以出去吗")


def test_what_stands_beside_a_stop_may_want_something():
    assert requests_beside_stopping("Stop, what about tea?")
    assert not requests_beside_stopping("Could you stop there.")


@pytest.mark.parametrize(
    "text",
    [
        "I see what you mean",
        "oh, that's hilarious",
        "太离谱了",
        "真够意思",
        "我还真不知道",
        "who would have thought",
    ],
)
def test_praise_and_surprise_acknowledge_by_their_form(text: str):
    assert responds(text) is (
        text != "who would have thought"
    )  # a question's word, and no more is known of it


@pytest.mark.parametrize(
    "text", ["that's too fast", "太长了", "that's wrong", "说慢一点", "that's not right"]
)
def test_what_finds_fault_is_no_praise(text: str):
    assert not responds(text)
