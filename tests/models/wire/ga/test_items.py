from __future__ import annotations

import base64

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.messages import Message, Speech, Text, ToolCall, ToolResult, ToolSpec, says
from antiphon.models.wire.ga.items import items, tools
from antiphon.models.wire.ga.shapes import Item, Part, Tool

CLIP = Clip(np.array([0.5, -0.5] * 8, dtype=np.float32), 16_000)


def test_words_are_input_of_the_person_and_output_of_the_agent():
    assert items(says("user", "hi"), 24_000) == [
        Item(type="message", role="user", content=(Part(type="input_text", text="hi"),))
    ]
    assert items(says("assistant", "yes"), 24_000) == [
        Item(type="message", role="assistant", content=(Part(type="output_text", text="yes"),))
    ]


def test_speech_goes_by_what_was_heard_of_it():
    cut = Message("assistant", (Speech(CLIP, "one two three", heard_chars=7),))
    (item,) = items(cut, 24_000)
    assert item.content == (Part(type="output_text", text="one two"),)


def test_speech_without_words_goes_as_sound_at_the_sessions_rate():
    (item,) = items(Message("user", (Text("listen"), Speech(CLIP))), 16_000)
    assert item.content == (
        Part(type="input_text", text="listen"),
        Part(type="input_audio", audio=base64.b64encode(CLIP.pcm16()).decode()),
    )
    (resampled,) = items(Message("user", (Speech(CLIP),)), 24_000)
    assert len(base64.b64decode(resampled.content[0].audio)) == 2 * 24


def test_the_agents_own_speech_without_words_cannot_be_told():
    with pytest.raises(ValueError, match="earlier speech of the assistant goes in as words"):
        items(Message("assistant", (Speech(CLIP),)), 24_000)


def test_a_call_and_its_result_are_items_of_their_own():
    call = Message("assistant", (Text("wait"), ToolCall("c1", "weather", {"city": "上海"})))
    result = Message("tool", (ToolResult("c1", {"sky": "晴"}), ToolResult("c2", error="no such city")))
    assert items(call, 24_000) == [
        Item(type="message", role="assistant", content=(Part(type="output_text", text="wait"),)),
        Item(type="function_call", call_id="c1", name="weather", arguments='{"city": "上海"}'),
    ]
    assert items(result, 24_000) == [
        Item(type="function_call_output", call_id="c1", output='{"sky": "晴"}'),
        Item(type="function_call_output", call_id="c2", output='{"error": "no such city"}'),
    ]


def test_a_tool_is_offered_with_its_schema():
    schema = {"type": "object", "properties": {}}
    assert tools([ToolSpec("clock", "the time", schema)]) == (
        Tool(type="function", name="clock", description="the time", parameters=schema),
    )
