"""Phrases here are in no set."""

from __future__ import annotations

import pytest

from antiphon.realtime.vocatives import addressee


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
