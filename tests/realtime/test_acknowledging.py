"""Phrases here are in no set."""

from __future__ import annotations

import pytest

from antiphon.realtime.acknowledging import requests_beside_stopping, responds


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


def test_what_stands_beside_a_stop_may_want_something():
    assert requests_beside_stopping("Stop, what about tea?")
    assert not requests_beside_stopping("Could you stop there.")
