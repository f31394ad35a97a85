from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.live import (
    AudioFrame,
    AudioOut,
    Cancel,
    EndTurn,
    History,
    LiveError,
    LiveUsage,
    Played,
    SendText,
    SendToolResult,
    TextOut,
    ToolAsked,
    TurnEdge,
    Update,
)
from antiphon.messages import Message, Speech, ToolCall, ToolResult, ToolSpec, says
from antiphon.models.wire import live
from antiphon.models.wire.live_talk import LiveTalk, history

CLIP = Clip(np.zeros(10, dtype=np.float32), 16_000)
CLOCK = ToolSpec("clock", "the time", {"type": "object"})


def talk(*, behind: bool = True) -> LiveTalk:
    return LiveTalk(24_000, 24_000, behind)


def inner(kind: str, delegation: str = "d", **fields: Any) -> live.ResponseEvent:
    return live.ResponseEvent(delegation_id=delegation, event={"type": kind, **fields})


def call(name: str, call_id: str, arguments: str = "{}") -> live.ResponseEvent:
    item = {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
    return inner("response.output_item.done", item=item)


def given(target: str, name: str = "d") -> live.DelegationCreated:
    return live.DelegationCreated(delegation=live.Delegation(id=name, target=target), offset_ms=0)


def test_sound_begins_an_answer_and_whoever_holds_the_session_ends_it():
    it = talk()
    assert it.hear(live.AudioDelta(delta=b"\1\0\2"), 5) == [
        TurnEdge(5, "answer_started", "answer_1"), AudioOut("answer_1", 5, b"\1\0", 24_000),
    ]  # fmt: skip
    assert it.hear(live.AudioDelta(delta=b"\0"), 6) == [AudioOut("answer_1", 6, b"\2\0", 24_000)]
    words = live.OutputTranscriptDelta(delta="Noon.", start_ms=0, end_ms=9)
    assert it.hear(words, 7) == [TextOut("answer_1", 7, "Noon.", "agent")]
    assert (it.over(), it.answering) == ("stop", False)
    assert it.hear(words, 8)[0] == TurnEdge(8, "answer_started", "answer_2")


def test_fragments_of_the_person_add_up_until_the_agent_has_answered():
    it = talk()
    fragments = [
        live.InputTranscriptDelta(delta=delta, start_ms=0, end_ms=1)
        for delta in ("What", " time?", "Thanks.")
    ]
    assert it.hear(fragments[0], 1) == [TextOut("person_0", 1, "What", "person", final=True)]
    assert it.hear(fragments[1], 2) == [TextOut("person_0", 2, "What time?", "person", final=True)]
    it.hear(live.AudioDelta(delta=b"\0\0"), 3)
    it.over()
    assert it.hear(fragments[2], 4) == [TextOut("person_1", 4, "Thanks.", "person", final=True)]


def test_a_function_is_asked_once_and_the_background_model_goes_on_when_all_have_returned():
    it = talk()
    it.hear(given("responses"), 0)
    assert it.busy
    assert it.hear(call("clock", "a", '{"zone": "CET"}'), 1) == [
        ToolAsked(1, ToolCall("a", "clock", {"zone": "CET"}))
    ]
    assert it.hear(call("clock", "a"), 2) == []
    assert it.hear(call("clock", "b"), 3) == [ToolAsked(3, ToolCall("b", "clock", {}))]
    usage = {"input_tokens": 7, "output_tokens": 2}
    assert it.hear(inner("response.completed", response={"usage": usage}), 4) == [
        LiveUsage(4, (("input_tokens", 7.0), ("output_tokens", 2.0)))
    ]
    assert (it.busy, it.over()) == (False, "tool_calls")
    output = {"type": "function_call_output", "call_id": "a", "output": "12"}
    assert it.send(SendToolResult(ToolResult("a", "12"))) == [live.ResponseItemCreate(item=output)]
    assert it.send(SendToolResult(ToolResult("b", error="no")))[1:] == [live.ResponseCreate()]


def test_what_a_background_model_found_is_waited_for_until_it_is_spoken():
    it = talk()
    it.hear(given("responses"), 0)
    it.hear(inner("response.completed", response={}), 1)
    assert it.busy
    it.hear(live.AudioDelta(delta=b"\0\0"), 2)
    assert not it.busy


@pytest.mark.parametrize("arguments", ["[1", "7", "null"])
def test_arguments_that_are_no_object_are_told_as_an_error(arguments):
    (told,) = talk().hear(call("clock", "a", arguments), 1)
    assert isinstance(told, LiveError)
    assert "no JSON object" in told.text


def test_a_background_model_that_fails_is_told_and_not_waited_for():
    it = talk()
    it.hear(given("responses"), 0)
    assert it.hear(inner("response.failed"), 1) == [LiveError(1, "the background model failed", False, True)]
    assert not it.busy


def test_work_for_a_client_without_helpers_is_given_back():
    it = talk(behind=False)
    assert it.hear(given("client"), 0) == []
    (back,) = it.helpless(given("client"))
    assert isinstance(back, live.CommentaryAppend)
    assert (back.delegation_id, "Answer the person yourself" in back.content) == ("d", True)
    assert it.helpless(given("responses")) == []


def test_the_end_of_a_session_is_an_error_unless_it_was_asked_for():
    def closed(reason: str) -> live.SessionClosed:
        return live.SessionClosed(reason=reason, session=live.LiveSession(), usage=live.Seconds(seconds=9))

    assert talk().hear(closed("close_requested"), 1) == [LiveUsage(1, (("seconds", 9),))]
    assert talk().hear(closed("expired"), 1)[1] == LiveError(
        1, "the endpoint ended the session (expired)", True, True
    )
    assert talk().hear(closed("content"), 1)[1] == LiveError(
        1, "the endpoint ended the session (content)", True, False
    )
    failure = live.LiveFailure(
        type="invalid_request_error", code="invalid_value", message="No.", param="session.x"
    )
    assert talk().hear(live.Error(error=failure), 1) == [
        LiveError(1, "invalid_value: No. (at session.x)", False)
    ]


def test_what_the_client_does_is_sent_as_the_protocol_has_it():
    it = talk()
    text = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    assert it.send(SendText("hi")) == [live.ResponseItemCreate(item=text), live.ResponseCreate()]
    assert it.send(AudioFrame(0, "person", b"\0\0", 24_000)) == [live.AudioAppend(audio=b"\0\0")]
    assert it.send(EndTurn()) == [live.ResponseCreate()]
    assert it.send(Played("i", 3)) == it.send(Cancel()) == []
    tools = [
        {"type": "function", "name": "clock", "description": "the time", "parameters": {"type": "object"}}
    ]
    assert it.send(Update("Be kind.", (CLOCK,))) == [
        live.InstructionsAppend(content="Be kind."),
        live.SessionUpdate(session=live.LiveSession(delegation=live.DelegationSettings(type="responses", responses={"tools": tools}))),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "event", [SendText("hi"), EndTurn(), SendToolResult(ToolResult("a", 1)), Update(tools=(CLOCK,))]
)
def test_without_a_background_model_there_is_no_writing_and_no_tool(event):
    with pytest.raises(ValueError, match="backend=MODEL"):
        talk(behind=False).send(event)


def test_what_was_said_before_goes_into_the_start_as_words():
    said = (
        says("user", "hi"),
        Message(
            "assistant", (Speech(CLIP, "hello there", heard_chars=5), ToolCall("a", "clock", {"zone": "中"}))
        ),
        Message("tool", (ToolResult("a", {"h": 12}),)),
        says("user", ""),
    )
    assert [(item["role"], item["content"][0]) for item in history(said)] == [
        ("user", {"type": "input_text", "text": "hi"}),
        ("assistant", {"type": "output_text", "text": "hello"}),
        ("developer", {"type": "input_text", "text": 'You called clock({"zone": "中"}), call a.'}),
        ("developer", {"type": "input_text", "text": 'Call a returned {"h": 12}'}),
    ]
    with pytest.raises(ValueError, match="has no transcript"):
        history([Message("user", (Speech(CLIP),))])
    with pytest.raises(ValueError, match="into the start"):
        talk().send(History(said))
