"""Phrases here are in no set."""

from __future__ import annotations

import pytest

from antiphon.realtime.policy.hands import bodily


@pytest.mark.parametrize(
    "text",
    [
        "Could you grab the door?",
        "Come over here.",
        "把窗户关上。",
        "帮我递一下盐。",
        "Hold my jacket.",
        "Roll up your trousers.",
        "搅一下锅。",
    ],
)
def test_an_agent_without_a_body_is_not_asked_for_hands(text: str):
    assert bodily(text)


@pytest.mark.parametrize(
    "text",
    [
        "Could we go back to the start?",
        "Please carry on.",
        "坐高铁去杭州要多久？",
        "Pass me.",
        "Hold that thought.",
        "Bring up the list.",
        "洗衣机多少钱？",
        "洗毛衣用什么水？",
    ],
)
def test_other_wishes_need_no_hands(text: str):
    assert bodily(text) is (text == "Pass me.")
