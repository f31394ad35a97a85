from __future__ import annotations

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.messages import Message, Speech, Text, ToolCall, ToolResult, ToolSpec, says

CLIP = Clip(np.zeros(160), 16000)


def test_speech_is_heard_as_far_as_it_was_played():
    assert Speech(CLIP, "你好,世界", heard_chars=2).heard == "你好"
    assert Speech(CLIP, "你好,世界", heard_chars=0).heard == ""
    assert Speech(CLIP, "你好,世界").heard == "你好,世界"


def test_speech_of_unknown_words_stays_unknown():
    assert Speech(CLIP, None, heard_chars=3).heard is None


def test_a_message_reads_as_its_written_and_heard_words_in_order():
    message = Message(
        "assistant",
        (
            Text("one "),
            Speech(CLIP, "two three", heard_chars=4),
            ToolCall("c1", "look_up", {"q": "not words"}),
            ToolResult("c1", "not words either"),
            Speech(CLIP),
            Text("four"),
        ),
    )
    assert message.text == "one two four"


def test_a_message_without_words_reads_as_nothing():
    assert Message("user", (Speech(CLIP),)).text == ""


def test_says_is_a_message_of_plain_text():
    assert says("user", "hello") == Message("user", (Text("hello"),))


def test_a_tool_waits_and_is_kept_by_default():
    spec = ToolSpec("look_up", "Looks up.", {"type": "object"})
    assert (spec.cancel_on_interrupt, spec.blocks_answer, spec.slow) == (False, True, False)
