from __future__ import annotations

import pytest

from antiphon.audio.clip import Clip
from antiphon.errors import ModelError
from antiphon.messages import Message, Speech, Text, ToolCall, ToolResult, says
from antiphon.models.ports import Done, Request, TextDelta, ToolAsk, Usage
from antiphon.models.wire.openai_chat import Dialect, ReplyReader, body, one_line

TEXT, BOTH = frozenset({"text"}), frozenset({"text", "speech"})
CLIP = Clip([0.5, -0.5], 8000)


def dialect(accepts=TEXT, gives=TEXT, stream=True, **extra):
    return Dialect("n", "m", accepts, gives, "alloy", "pcm16", 24_000, stream, "max_tokens", extra)


def sent(*messages, **options):
    return body(Request(messages), dialect(**options))["messages"]


def test_what_was_not_heard_is_not_sent():
    cut = Message("assistant", (Speech(CLIP, "one two three", 7),))
    assert sent(cut) == [{"role": "assistant", "content": "one two"}]


def test_words_beside_sound_stay_in_order():
    (message,) = sent(Message("user", (Text("a"), Speech(CLIP), Text("b"))), accepts=BOTH)
    assert [part["type"] for part in message["content"]] == ["text", "input_audio", "text"]


def test_results_come_before_words_and_errors_are_told():
    message = Message("tool", (ToolResult("1", "plain"), ToolResult("2", error="broke")))
    assert sent(message) == [
        {"role": "tool", "tool_call_id": "1", "content": "plain"},
        {"role": "tool", "tool_call_id": "2", "content": '{"error": "broke"}'},
    ]


def test_speech_is_asked_for_only_when_it_is_wanted():
    asked = (says("user", "q"),)
    wanted = body(Request(asked), dialect(gives=BOTH))
    assert (wanted["modalities"], wanted["audio"]) == (
        ["text", "audio"],
        {"voice": "alloy", "format": "pcm16"},
    )
    assert body(Request(asked, want=TEXT), dialect(gives=BOTH))["modalities"] == ["text"]
    assert "modalities" not in body(Request(asked), dialect())


@pytest.mark.parametrize(
    ("part", "role", "problem"),
    [
        (Speech(Clip([], 8000)), "user", "this spoken turn is empty"),
        (Speech(CLIP), "assistant", "takes earlier speech of its own as words only"),
    ],
)
def test_sound_that_cannot_be_sent_is_refused(part, role, problem):
    with pytest.raises(ModelError, match=problem):
        sent(Message(role, (part,)), accepts=BOTH)


def test_calls_without_id_or_index_are_told_apart():
    reader = ReplyReader("n", "pcm16", 24_000)
    calls = [{"function": {"name": name, "arguments": ""}} for name in ("f", "f")]
    assert reader.whole({"choices": [{"message": {"tool_calls": calls}}]}, 1) == []
    assert reader.end(2) == [
        ToolAsk(ToolCall("call_0", "f", {}), 2), ToolAsk(ToolCall("call_1", "f", {}), 2), Done("tool_calls", 2)
    ]  # fmt: skip


def test_content_may_be_a_list_of_parts_and_done_alone_ends_a_stream():
    reader = ReplyReader("n", "pcm16", 24_000)
    event = '{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"x"}]}}],"usage":{"prompt_tokens":3}}'
    assert reader.event(event, 5) == [TextDelta("a", 5)]
    assert reader.event(" [DONE]", 6) == []
    assert reader.end(7) == [Done("stop", 7, Usage(3, None))]


def test_the_old_name_for_tool_calls_is_understood():
    reader = ReplyReader("n", "pcm16", 24_000)
    reader.whole({"choices": [{"message": {"content": "x"}, "finish_reason": "function_call"}]}, 1)
    assert reader.end(1) == [Done("tool_calls", 1)]


def test_an_error_text_is_one_short_line():
    assert one_line("a\n  b", 10) == "a b"
    assert one_line("abcdef", 4) == "abc…"
