from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.errors import ConfigError
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
from antiphon.messages import ToolCall, ToolResult, ToolSpec, says
from antiphon.models.wire.ga import client, server
from antiphon.models.wire.ga.shapes import (
    Audio,
    Failure,
    Format,
    Item,
    Part,
    Response,
    Session,
    Speaking,
    StatusDetails,
    Tool,
    Usage,
)
from antiphon.models.wire.ga.talk import Talk, counts

FRAME = AudioFrame(0, "person", b"\0\1", 24_000)


def talk() -> Talk:
    return Talk(24_000, 24_000)


def hear(one: Talk, *events: Any, t_us: int = 9) -> list[Any]:
    return [heard for event in events for heard in one.hear(event, t_us)]


def done(status: str = "completed", **fields: Any) -> server.ResponseDone:
    return server.ResponseDone(response=Response(status=status, **fields))


def test_a_turn_is_committed_only_where_there_was_sound():
    one = talk()
    assert one.send(EndTurn()) == [client.ResponseCreate()]
    assert one.send(FRAME) == [client.AudioAppend(audio=b"\0\1")]
    assert one.send(EndTurn()) == [client.AudioCommit(), client.ResponseCreate()]
    assert one.send(EndTurn()) == [client.ResponseCreate()]


def test_sound_at_another_rate_is_refused():
    with pytest.raises(ConfigError, match="takes sound at 16000 Hz, not 24000; resample the track first"):
        Talk(16_000, 24_000).send(FRAME)


def test_history_is_told_and_not_answered_while_typed_words_are():
    said = Item(type="message", role="user", content=(Part(type="input_text", text="hi"),))
    assert talk().send(History((says("user", "hi"),))) == [client.ItemCreate(item=said)]
    assert talk().send(SendText("hi")) == [client.ItemCreate(item=said), client.ResponseCreate()]


def test_an_update_names_only_what_changes():
    assert talk().send(Update(instructions="be brief")) == [
        client.SessionUpdate(session=Session(type="realtime", instructions="be brief"))
    ]
    offered = (Tool(name="clock", description="the time", parameters={}),)
    assert talk().send(Update(tools=(ToolSpec("clock", "the time", {}),))) == [
        client.SessionUpdate(session=Session(type="realtime", tools=offered))
    ]


def test_the_model_goes_on_when_the_last_of_its_tools_has_ended():
    one = talk()
    asked = hear(
        one,
        server.ArgumentsDone(call_id="a", name="clock", arguments="{}"),
        server.ArgumentsDone(call_id="b", name="clock", arguments='{"zone": "CET"}'),
    )
    assert asked == [
        ToolAsked(9, ToolCall("a", "clock", {})),
        ToolAsked(9, ToolCall("b", "clock", {"zone": "CET"})),
    ]
    result = [one.send(SendToolResult(ToolResult(call, "noon"))) for call in ("a", "b")]
    outputs = [Item(type="function_call_output", call_id=call, output="noon") for call in ("a", "b")]
    assert result == [
        [client.ItemCreate(item=outputs[0])],
        [client.ItemCreate(item=outputs[1]), client.ResponseCreate()],
    ]


def test_a_call_is_asked_once_however_often_the_server_tells_it():
    item = Item(type="function_call", id="i", call_id="a", name="clock", arguments="{}")
    one = talk()
    heard = hear(
        one,
        server.ResponseCreated(response=Response()),
        server.OutputItemAdded(item=Item(type="function_call", id="i", call_id="a", name="clock")),
        server.ArgumentsDone(
            call_id="a", item_id="i", arguments="{}"
        ),  # without its name, as some servers do
        server.OutputItemDone(item=item),
        done(output=(item,)),
    )
    assert heard == [
        TurnEdge(9, "answer_started"),
        ToolAsked(9, ToolCall("a", "clock", {})),
        TurnEdge(9, "answer_done", reason="tool_calls"),
    ]


def test_a_call_that_stands_only_in_the_finished_response_is_asked():
    item = Item(type="function_call", id="i", call_id="a", name="clock", arguments="{}")
    assert hear(talk(), done(output=(item,)))[0] == ToolAsked(9, ToolCall("a", "clock", {}))


def test_arguments_that_are_no_object_are_an_error_and_no_call():
    (heard,) = hear(talk(), server.ArgumentsDone(call_id="a", name="clock", arguments="[1"))
    assert heard == LiveError(
        9, "called tool 'clock' with arguments that are no JSON object: [1", fatal=False
    )


def test_sound_cut_within_a_sample_is_put_together():
    heard = hear(
        talk(),
        server.AudioDelta(item_id="i", delta=b"\1\2\3"),
        server.AudioDelta(item_id="i", delta=b"\4\5"),
        server.AudioDelta(item_id="i", delta=b"\6"),
    )
    assert heard == [
        AudioOut("i", 9, b"\1\2", 24_000), AudioOut("i", 9, b"\3\4", 24_000), AudioOut("i", 9, b"\5\6", 24_000),
    ]  # fmt: skip


def test_half_a_sample_of_one_item_does_not_spoil_the_next():
    heard = hear(
        talk(), server.AudioDelta(item_id="i", delta=b"\1\2\3"), server.AudioDelta(item_id="j", delta=b"\4\5")
    )
    assert heard[-1] == AudioOut("j", 9, b"\4\5", 24_000)


def test_the_rate_of_the_speech_is_what_the_server_says():
    one = talk()
    speaking = Session(audio=Audio(output=Speaking(format=Format(rate=16_000))))
    heard = hear(one, server.SessionUpdated(session=speaking), server.AudioDelta(item_id="i", delta=b"\0\0"))
    assert heard == [AudioOut("i", 9, b"\0\0", 16_000)]


def test_words_come_from_pieces_or_where_there_were_none_from_the_whole():
    pieces = hear(
        talk(),
        server.TranscriptDelta(item_id="i", delta="你"),
        server.TranscriptDelta(item_id="i", delta="好"),
        server.TranscriptDone(item_id="i", transcript="你好"),
    )
    assert pieces == [TextOut("i", 9, "你", "agent"), TextOut("i", 9, "好", "agent")]
    assert hear(talk(), server.TextDone(item_id="i", text="hi")) == [TextOut("i", 9, "hi", "agent")]


def test_the_persons_words_are_told_apart():
    heard = hear(
        talk(),
        server.TranscriptionDelta(item_id="q", delta="wha"),
        server.TranscriptionCompleted(item_id="q", transcript="what?"),
    )
    assert heard == [TextOut("q", 9, "wha", "person"), TextOut("q", 9, "what?", "person", final=True)]


def test_edges_of_the_persons_speech_carry_their_item():
    heard = hear(
        talk(), server.SpeechStarted(audio_start_ms=20, item_id="q"), server.SpeechStopped(audio_end_ms=40)
    )
    assert heard == [TurnEdge(9, "speech_started", "q"), TurnEdge(9, "speech_stopped")]


def test_a_cancel_stops_the_answer_and_keeps_what_was_heard():
    one = talk()
    assert one.send(Cancel()) == []
    hear(
        one,
        server.ResponseCreated(response=Response()),
        server.AudioDelta(item_id="i", content_index=1, delta=b"\0\0"),
    )
    assert one.send(Played("i", 340)) == []
    assert one.send(Cancel()) == [
        client.ResponseCancel(),
        client.ItemTruncate(item_id="i", content_index=1, audio_end_ms=340),
    ]
    hear(one, done("cancelled"))
    assert one.send(Cancel())[0] == client.ItemTruncate(item_id="i", content_index=1, audio_end_ms=340)


def test_an_item_that_the_client_stopped_is_cut_where_it_was_heard():
    one = talk()
    hear(one, server.AudioDelta(item_id="i", content_index=1, delta=b"\0\0"))
    assert one.send(Played("i", 340, stopped=True)) == [
        client.ItemTruncate(item_id="i", content_index=1, audio_end_ms=340)
    ]


def test_an_answer_can_be_cancelled_before_it_shows():
    one = talk()
    one.send(SendText("hi"))
    assert one.send(Cancel()) == [client.ResponseCancel()]


def test_a_cancel_that_came_too_late_is_no_failure():
    assert hear(talk(), server.Error(error=Failure(code="response_cancel_not_active"))) == []


@pytest.mark.parametrize(
    ("status", "why", "reason"),
    [
        ("completed", None, "stop"),
        ("incomplete", "max_output_tokens", "length"),
        ("incomplete", "content_filter", "content_filter"),
        ("incomplete", None, "length"),
        ("cancelled", "turn_detected", "cancelled"),
    ],
)
def test_how_an_answer_ended(status, why, reason):
    details = StatusDetails(reason=why) if why else None
    assert hear(talk(), done(status, status_details=details)) == [TurnEdge(9, "answer_done", reason=reason)]


def test_a_failed_answer_says_why():
    details = StatusDetails(type="failed", error=Failure(type="server_error", code="x", message="boom"))
    assert hear(talk(), done("failed", status_details=details)) == [
        LiveError(9, "x: boom", fatal=True, transient=True), TurnEdge(9, "answer_done", reason="failed"),
    ]  # fmt: skip
    assert hear(talk(), done("failed"))[0] == LiveError(9, "failed: no reason given", fatal=False)


def test_usage_is_counted_by_name():
    usage = Usage(
        total_tokens=9,
        input_tokens=4,
        output_tokens=5,
        input_token_details={"audio_tokens": 3, "cached_tokens_details": {"audio_tokens": 0}},
    )
    expected = (("input_tokens", 4), ("input_audio_tokens", 3), ("output_tokens", 5))
    assert counts(usage) == expected
    assert hear(talk(), done(usage=usage))[0] == LiveUsage(9, expected)


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.binary(max_size=9), max_size=20))
def test_no_byte_of_an_item_is_lost_or_doubled_wherever_it_is_cut(pieces):
    heard = hear(talk(), *(server.AudioDelta(item_id="i", delta=piece) for piece in pieces))
    whole = b"".join(pieces)
    assert b"".join(event.pcm for event in heard) == whole[: len(whole) - len(whole) % 2]
    assert all(event.pcm and len(event.pcm) % 2 == 0 for event in heard)
