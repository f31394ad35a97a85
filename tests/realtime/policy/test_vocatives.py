"""Phrases here are in no set."""

from __future__ import annotations

import pytest

from antiphon.realtime.policy.vocatives import addressee


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
    assert addressee(text) == called


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("Thanks for coming, Nadia, sit anywhere.", "Nadia"),
        ("Hello Aunt Clara how was the trip", "Aunt Clara"),
        ("Nadia stop pulling that.", "Nadia"),
        ("Nurse, is it my turn?", "Nurse"),
        ("谢谢思雯。", "思雯"),
        ("孙警官早，", "孙警官"),
        ("乐乐，吃苹果吗？", "乐乐"),
        ("Nah, the other one.", None),
        ("We saw Bern, Basel, and Zurich.", None),
        ("Tickets come in pairs.", None),
        ("大声一点，听不见。", None),
        ("谢谢，我知道了。", None),
    ],
)
def test_names_are_heard_without_a_comma_and_other_words_are_no_names(text: str, called: str | None):
    assert addressee(text) == called


def test_a_choice_between_two_things_calls_nobody():
    assert addressee("No. Rye, not spelt.") is None
    assert addressee("No. Ray, come here.") == "Ray"
