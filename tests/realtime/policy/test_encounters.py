from __future__ import annotations

import pytest

from antiphon.realtime.policy.encounters import ENCOUNTERS
from antiphon.realtime.policy.forms import shown


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("We owe you for the tickets; how much do we owe you?", "settles a bill"),
        ("老板，埋单！", "settles a bill"),
        ("May I have another fork?", "is waited on"),
        ("这双有小号的吗？", "is waited on"),
        ("Swap my shift with Dana's?", "works with somebody"),
        ("Let us out by the bridge.", "travels together"),
        ("把我放下就行。", "travels together"),
        ("Ring me once you're in.", "is on the phone"),
        ("Where does it hurt, exactly?", "sees a doctor or a patient"),
    ],
)
def test_people_who_meet_for_a_purpose_speak_so(text: str, what: str):
    assert what in dict(shown(text, ENCOUNTERS))


@pytest.mark.parametrize(
    "text",
    [
        "Do they take credit cards?",
        "I'll take the second option.",
        "I'll take the later train.",
        "Book a table for four at seven?",
        "Which exit is it, the second left?",
        "门票多少钱？",
        "几点有车？",
    ],
)
def test_what_an_assistant_is_asked_of_shops_and_trains_is_no_encounter(text: str):
    assert shown(text, ENCOUNTERS) == ()
