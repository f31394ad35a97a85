from __future__ import annotations

import pytest

from antiphon.realtime.policy.forms import shown
from antiphon.realtime.policy.household import HOUSEHOLD


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Merry Christmas, everyone!", "wishes well"),
        ("How was your interview?", "asks after somebody"),
        ("You're blocking my light.", "speaks of somebody's looks"),
        ("Would you like some soup?", "offers something"),
        ("来杯热茶？", "offers something"),
        ("Can I borrow your bike?", "lends or asks for leave"),
        ("Comb your hair.", "brings up a child"),
        ("该起床了！", "brings up a child"),
        ("Heel, boy!", "commands an animal"),
        ("No splashing!", "forbids a doing"),
        ("Pass it to him.", "has something given on"),
        ("Dice those, please.", "sees to the stove"),
        ("汤溢出来了，溢了！", "sees to the stove"),
        ("Those are ours.", "claims a thing"),
        ("Who ate the last one?", "asks who did it"),
    ],
)
def test_people_who_live_together_speak_so(text: str, what: str):
    assert what in dict(shown(text, HOUSEHOLD))


@pytest.mark.parametrize(
    "text",
    [
        "Finish your sentence.",
        "No talking until I say so.",
        "Who wrote the book?",
        "Did anyone survive?",
        "No more explaining, please.",
        "怎么做红烧肉？",
        "轮到你说了。",
    ],
)
def test_what_an_assistant_is_told_is_no_household_talk(text: str):
    assert shown(text, HOUSEHOLD) == ()
