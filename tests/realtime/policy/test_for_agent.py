from __future__ import annotations

import pytest

from antiphon.realtime.policy.among_people import AMONG_PEOPLE
from antiphon.realtime.policy.for_agent import FOR_AGENT
from antiphon.realtime.policy.forms import shown


def test_every_form_has_its_own_name_and_speaks_for_the_agent():
    names = [what for what, _, _ in FOR_AGENT]
    assert len(set(names)) == len(names)
    assert set(names).isdisjoint(what for what, _, _ in AMONG_PEOPLE)
    assert [what for what, weight, _ in FOR_AGENT if not -3 <= weight < 0] == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Remind me to water the plants.", "asks it of an assistant"),
        ("Could you text Milan that I'm late?", "asks it of an assistant"),
        ("帮我查一下明天的车。", "asks it of an assistant"),
        ("How do I clean the kettle?", "asks for advice"),
        ("水壶有水垢怎么办？", "asks for advice"),
        ("Is the bar open late?", "asks for facts"),
        ("Where did you get that from?", "asks for its source"),
        ("这话谁告诉你的？", "asks for its source"),
        ("Thursday, not Friday.", "corrects what it said"),
        ("是三点，不是两点。", "corrects what it said"),
    ],
)
def test_an_assistant_is_asked_so(text: str, what: str):
    assert what in dict(shown(text, FOR_AGENT))


@pytest.mark.parametrize(
    "text", ["Call me when you land.", "Play nicely, you two.", "Give me a hug!", "你怎么还没睡？", "落地给我打电话。"]
)  # fmt: skip
def test_people_are_not_asked_like_assistants(text: str):
    assert shown(text, FOR_AGENT) == ()
