"""The dialect of Model Studio, against events as its documentation shows them, typed in by hand."""

from __future__ import annotations

import json

from antiphon.models.wire import dashscope
from antiphon.models.wire.ga import client, server
from antiphon.models.wire.ga.shapes import (
    Audio,
    Failure,
    Format,
    Listening,
    Response,
    Session,
    Speaking,
    Tool,
    Transcription,
    TurnDetection,
    Unknown,
    Usage,
)


def test_a_session_as_documented_is_read():
    text = """{"event_id": "event_KiKZC2", "type": "session.created", "session": {
        "object": "realtime.session", "model": "qwen-audio-3.0-realtime-plus", "modalities": ["text", "audio"],
        "voice": "longanqian", "input_audio_format": "pcm", "output_audio_format": "pcm",
        "input_audio_transcription": {"model": "fun-asr"},
        "turn_detection": {"type": "server_vad", "threshold": 0.5, "silence_duration_ms": 800},
        "id": "sess_A1LbG2"}}"""
    assert dashscope.read_server(text) == server.SessionCreated(
        event_id="event_KiKZC2",
        session=Session(
            id="sess_A1LbG2",
            object="realtime.session",
            model="qwen-audio-3.0-realtime-plus",
            output_modalities=("audio",),
            audio=Audio(
                input=Listening(
                    format=Format(rate=16_000),
                    turn_detection=TurnDetection(type="server_vad", threshold=0.5, silence_duration_ms=800),
                    transcription=Transcription(model="fun-asr"),
                ),
                output=Speaking(format=Format(rate=24_000), voice="longanqian"),
            ),
        ),
    )


def test_the_older_names_of_the_formats_are_read():
    text = '{"type": "session.updated", "session": {"input_audio_format": "pcm16", "output_audio_format": "pcm24"}}'
    event = dashscope.read_server(text)
    assert isinstance(event, server.SessionUpdated)
    assert event.session.audio == Audio(
        input=Listening(format=Format(rate=16_000)), output=Speaking(format=Format(rate=24_000))
    )


def test_a_session_is_set_up_as_documented():
    settings = Session(
        type="realtime",
        instructions="简短回答",
        output_modalities=("audio",),
        audio=Audio(
            input=Listening(format=Format(rate=16_000), turn_detection=None),
            output=Speaking(format=Format(rate=24_000), voice="longanqian"),
        ),
        tools=(Tool(name="get_weather", description="weather", parameters={"type": "object"}),),
        max_output_tokens=300,
    )
    text = dashscope.write(client.SessionUpdate(session=settings))
    assert json.loads(text or "") == {
        "type": "session.update",
        "session": {
            "instructions": "简短回答",
            "modalities": ["text", "audio"],
            "voice": "longanqian",
            "input_audio_format": "pcm",
            "output_audio_format": "pcm",
            "turn_detection": None,
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "get_weather",
                        "description": "weather",
                        "parameters": {"type": "object"},
                    },
                }
            ],
            "max_tokens": 300,
        },
    }


def test_an_error_as_documented_is_read():
    text = """{"event_id": "event_RoUu4T8", "type": "error", "error": {"type": "invalid_request_error",
        "code": "invalid_value", "param": "session.modalities",
        "message": "Invalid modalities: ['audio']. Supported combinations are: ['text'] and ['audio', 'text']."}}"""
    event = dashscope.read_server(text)
    assert isinstance(event, server.Error)
    assert event.error == Failure(
        type="invalid_request_error",
        code="invalid_value",
        param="session.modalities",
        message="Invalid modalities: ['audio']. Supported combinations are: ['text'] and ['audio', 'text'].",
    )


def test_usage_has_its_own_plural_both_ways():
    text = """{"type": "response.done", "response": {"id": "resp_1", "object": "realtime.response",
        "status": "completed", "modalities": ["text", "audio"], "usage": {"total_tokens": 377, "input_tokens": 336,
        "output_tokens": 41, "input_tokens_details": {"text_tokens": 228, "audio_tokens": 108},
        "output_tokens_details": {"text_tokens": 9, "audio_tokens": 32}}}}"""
    usage = Usage(
        total_tokens=377,
        input_tokens=336,
        output_tokens=41,
        input_token_details={"text_tokens": 228, "audio_tokens": 108},
        output_token_details={"text_tokens": 9, "audio_tokens": 32},
    )
    response = Response(
        id="resp_1", object="realtime.response", status="completed", output_modalities=("audio",), usage=usage
    )
    event = dashscope.read_server(text)
    assert event == server.ResponseDone(response=response)
    assert json.loads(dashscope.write(event) or "") == json.loads(text)


def test_its_own_events_are_read_and_written():
    for event, read in (
        (dashscope.SessionFinish(event_id="e"), dashscope.read_client),
        (dashscope.ImageAppend(image=b"\xff\xd8"), dashscope.read_client),
        (dashscope.SessionFinished(), dashscope.read_server),
    ):
        assert read(dashscope.write(event) or "") == event
    assert dashscope.write(dashscope.ImageAppend(image=b"\xff\xd8")) == (
        '{"type":"input_image_buffer.append","image":"/9g="}'
    )


def test_what_the_service_cannot_do_is_not_sent():
    assert dashscope.write(client.ItemTruncate(item_id="i", content_index=0, audio_end_ms=1)) is None
    assert (
        dashscope.write(client.ItemDelete(item_id="i")) == '{"type":"conversation.item.delete","item_id":"i"}'
    )


def test_ambient_transcripts_are_kept_as_they_are():
    text = '{"type": "conversation.item.ambient_audio_transcription.completed", "transcript": "别人的话"}'
    assert dashscope.read_server(text) == Unknown(
        "conversation.item.ambient_audio_transcription.completed", json.loads(text)
    )
