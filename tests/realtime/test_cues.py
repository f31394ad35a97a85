"""Phrases here are in no set: they show that the cues are of the languages, not of the generator."""

from __future__ import annotations

import pytest

from antiphon.realtime import cues


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
    assert cues.responds(text)


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
    assert not cues.responds(text)


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("Hey Tom, do you want some coffee?", "Tom"),
        ("Where did you put it, Alice?", "Alice"),
        ("Sweetheart, dinner is ready.", "Sweetheart"),
        ("老赵，你过来一下。", "老赵"),
        ("你几点下班啊，小吴？", "小吴"),
        ("李叔叔你要不要喝水？", "李叔叔"),
        ("Actually, what about Sunday?", None),
        ("Okay, tell me more.", None),
        ("Stop, that is wrong.", None),
        ("其实，我想去北京。", None),
        ("今天，天气怎么样？", None),
    ],
)
def test_a_vocative_names_whom_speech_is_for(text: str, called: str | None):
    assert cues.addressee(text) == called


@pytest.mark.parametrize(
    "text", ["I want to", "my flight is on", "because", "我想订一张从", "如果明天", "well,"]
)
def test_unfinished_sentences_trail_off(text: str):
    assert cues.trails(text)


@pytest.mark.parametrize("text", ["Book a flight.", "What is that?", "我要去北京。", "明天去"])
def test_finished_sentences_do_not(text: str):
    assert not cues.trails(text)


@pytest.mark.parametrize(
    "text", ["Could you grab the door?", "Come over here.", "把窗户关上。", "帮我递一下盐。"]
)
def test_an_agent_without_a_body_is_not_asked_for_hands(text: str):
    assert cues.bodily(text)


@pytest.mark.parametrize(
    "text", ["Could we go back to the start?", "Please carry on.", "坐高铁去杭州要多久？", "Pass me."]
)
def test_other_wishes_need_no_hands(text: str):
    assert cues.bodily(text) is (text == "Pass me.")


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
    assert cues.requests_beside_stopping("Stop, what about tea?")
    assert not cues.requests_beside_stopping("Could you stop there.")


def test_questions_are_known_by_their_form_without_a_mark():
    assert cues.asks("where is it")
    assert cues.asks("okay can you help me")
    assert cues.asks("有没有早一点的")
    assert not cues.asks("I can help you")
    assert cues.asks("how much")
    assert cues.asks("什么时候")
    assert not cues.asks("我什么都不要")
