from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antiphon.errors import WireError
from antiphon.models.wire.dashscope import DASHSCOPE
from antiphon.models.wire.ga import client, server
from antiphon.models.wire.ga.codec import CLIENT, SERVER, parse, read_client, read_server, write
from antiphon.models.wire.ga.dialect import BETA, GA
from antiphon.models.wire.ga.shapes import (
    Audio,
    Format,
    Item,
    Listening,
    Part,
    Response,
    Session,
    Speaking,
    Tool,
    TurnDetection,
    Unknown,
    Usage,
)

FUZZ = settings(max_examples=300, deadline=None, database=None)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = sorted(
    {name for kind in (*CLIENT.values(), *SERVER.values(), Session, Item, Response) for name in kind.__struct_fields__}
    | {"modalities", "input_audio_format", "output_audio_format", "turn_detection", "voice", "input", "output"}
)  # fmt: skip


def said(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False)


def test_sound_is_base64_on_the_wire_and_bytes_in_hand():
    text = said(type="input_audio_buffer.append", audio="AAECAw==")
    assert read_client(text) == client.AudioAppend(audio=b"\x00\x01\x02\x03")
    assert json.loads(write(client.AudioAppend(audio=b"\x00\x01\x02\x03")) or "") == json.loads(text)


def test_no_turn_detection_is_said_and_an_absent_one_is_not():
    off = client.SessionUpdate(session=Session(audio=Audio(input=Listening(turn_detection=None))))
    assert write(off) == '{"type":"session.update","session":{"audio":{"input":{"turn_detection":null}}}}'
    left = client.SessionUpdate(session=Session(audio=Audio(input=Listening(format=Format(rate=24_000)))))
    assert "turn_detection" not in (write(left) or "")
    assert [read_client(write(update) or "") for update in (off, left)] == [off, left]


def test_a_session_of_the_beta_dialect_is_the_same_session():
    beta = said(
        type="session.update",
        session={
            "modalities": ["text", "audio"],
            "voice": "alloy",
            "input_audio_format": "g711_ulaw",
            "output_audio_format": "pcm16",
            "input_audio_transcription": {"model": "whisper-1"},
            "turn_detection": {"type": "server_vad", "threshold": 0.5},
            "max_response_output_tokens": "inf",
            "temperature": 0.8,
        },
    )
    ours = client.SessionUpdate(
        session=Session(
            output_modalities=("audio",),
            audio=Audio(
                input=Listening(
                    format=Format(type="audio/pcmu"),
                    turn_detection=TurnDetection(type="server_vad", threshold=0.5),
                    transcription={"model": "whisper-1"},  # type: ignore[arg-type]
                ),
                output=Speaking(format=Format(rate=24_000), voice="alloy"),
            ),
            max_output_tokens="inf",
        )
    )
    read = read_client(beta)
    assert write(read) == write(ours)
    assert read_client(write(read, BETA) or "", BETA) == read
    assert json.loads(write(read, BETA) or "")["session"] == {
        key: value for key, value in json.loads(beta)["session"].items() if key != "temperature"
    }


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (said(type="response.text.delta", item_id="i", delta="hi"), server.TextDelta(item_id="i", delta="hi")),
        (said(type="response.output_text.delta", item_id="i", delta="hi"), server.TextDelta(item_id="i", delta="hi")),
        (said(type="response.audio.delta", item_id="i", delta="AAA="), server.AudioDelta(item_id="i", delta=b"\0\0")),
        (
            said(type="response.audio_transcript.done", item_id="i", transcript="hi"),
            server.TranscriptDone(item_id="i", transcript="hi"),
        ),
        (
            said(type="conversation.item.created", item={"type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}]}),
            server.ItemCreated(item=Item(type="message", role="assistant", content=(Part(type="output_text", text="hi"),))),
        ),
    ],
)  # fmt: skip
def test_both_spellings_of_a_server_event_are_read(theirs, ours):
    assert read_server(theirs, GA) == read_server(theirs, BETA) == ours


def test_an_event_is_written_in_the_words_of_its_dialect():
    event = server.AudioDelta(response_id="r", item_id="i", delta=b"\1\0")
    names = [json.loads(write(event, dialect) or "")["type"] for dialect in (GA, BETA, DASHSCOPE)]
    assert names == ["response.output_audio.delta", "response.audio.delta", "response.audio.delta"]
    done = server.ItemDone(item=Item(type="message", role="user", content=()))
    assert [write(done, dialect) is None for dialect in (GA, BETA, DASHSCOPE)] == [False, True, True]


def test_tools_are_flat_or_nested_and_their_schemas_stay_untouched():
    schema = {"type": "object", "properties": {"city": {"type": "string", "default": None}}}
    update = client.SessionUpdate(session=Session(tools=(Tool(name="weather", parameters=schema),)))
    flat, nested = (
        json.loads(write(update, dialect) or "")["session"]["tools"] for dialect in (GA, DASHSCOPE)
    )
    assert flat == [{"type": "function", "name": "weather", "parameters": schema}]
    assert nested == [{"type": "function", "function": {"name": "weather", "parameters": schema}}]
    assert [read_client(write(update, dialect) or "") for dialect in (GA, BETA, DASHSCOPE)] == [update] * 3


def test_an_unknown_event_is_kept_and_written_as_it_came():
    text = '{"type":"mcp_list_tools.completed","item_id":"i","new":{"a":[1,null]}}'
    event = read_server(text)
    assert event == Unknown(
        "mcp_list_tools.completed",
        {"type": "mcp_list_tools.completed", "item_id": "i", "new": {"a": [1, None]}},
    )
    assert write(event) == text


def test_fields_that_nobody_knows_do_no_harm():
    event = read_server(said(type="input_audio_buffer.cleared", event_id="e", from_the_future=1))
    assert event == server.AudioCleared(event_id="e")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a frame: no JSON (Input data was truncated): ''"),
        ("[1]", "a frame: no JSON object but list"),
        (b'{"type": "\xff"}', "a frame: no JSON (Invalid UTF-8 encoded string)"),
        ("{}", "an event type: every event has one"),
        ('{"type": 7}', "an event type: no name: '7'"),
        (
            '{"type": "input_audio_buffer.append"}',
            "input_audio_buffer.append: Object missing required field `audio`",
        ),
        (
            '{"type": "input_audio_buffer.append", "audio": "a"}',
            "input_audio_buffer.append audio: Invalid base64 encoded string",
        ),
        (
            '{"type": "conversation.item.truncate", "item_id": "i", "content_index": 0, "audio_end_ms": "1"}',
            "conversation.item.truncate audio_end_ms: Expected `int`, got `str`",
        ),
        (
            '{"type": "session.update", "session": {"audio": {"output": {"speed": "fast"}}}}',
            "session.update session.audio.output.speed: Expected `float | null`, got `str`",
        ),
        (
            '{"type": "session.update", "session": {"voice": 3}}',
            "session.update session.voice: Expected `str | object | null`, got `int`",
        ),
        (
            '{"type": "session.update", "session": {"input_audio_format": "mp3"}}',
            "session.update session.input_audio_format: Expected `object | null`, got `str`",
        ),
    ],
)
def test_what_is_wrong_is_named_in_the_words_of_its_sender(text, message):
    with pytest.raises(WireError) as caught:
        read_client(text)
    assert str(caught.value).startswith(message)


def test_json_too_deep_is_an_error_of_the_wire():
    for text in ("[" * 100_000, '{"type":' + '{"a":' * 100_000, '{"a":' * 5_000 + "1" + "}" * 5_000):
        with pytest.raises(WireError):
            parse(text)


def test_usage_of_a_response_is_read_in_both_plurals():
    told = {
        "total_tokens": 3,
        "input_tokens": 1,
        "output_tokens": 2,
        "input_tokens_details": {"audio_tokens": 1},
    }
    event = read_server(
        said(type="response.done", response={"status": "completed", "usage": told}), DASHSCOPE
    )
    usage = Usage(total_tokens=3, input_tokens=1, output_tokens=2, input_token_details={"audio_tokens": 1})
    assert event == server.ResponseDone(response=Response(status="completed", usage=usage))


@FUZZ
@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_are_an_event_or_an_error_of_the_wire(data):
    _survives(data)


@FUZZ
@given(JSON)
def test_any_json_is_an_event_or_an_error_of_the_wire(value):
    _survives(json.dumps(value))


@FUZZ
@given(
    st.sampled_from([*CLIENT, *SERVER, "response.audio.delta", "conversation.item.created"]),
    st.dictionaries(st.sampled_from(FIELDS), JSON | st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5), max_size=6),
)  # fmt: skip
def test_any_content_of_a_known_event_is_an_event_or_an_error_of_the_wire(name, fields):
    _survives(json.dumps({**fields, "type": name}))


@FUZZ
@given(st.binary(max_size=64), st.text(max_size=20), st.integers(0, 2**31))
def test_what_was_written_is_read_as_the_same(sound, words, ms):
    events = [
        client.AudioAppend(audio=sound, event_id=words),
        client.ItemTruncate(item_id=words, content_index=0, audio_end_ms=ms),
        client.ItemCreate(
            item=Item(type="message", role="assistant", content=(Part(type="output_text", text=words),))
        ),
        server.AudioDelta(item_id="i", delta=sound),
        server.TranscriptDelta(item_id="i", delta=words),
    ]
    for dialect in (GA, BETA, DASHSCOPE):
        for event in events:
            text = write(event, dialect)
            read = read_client if type(event) in CLIENT.values() else read_server
            assert text is None or read(text, dialect) == event


def _survives(data: str | bytes) -> None:
    for dialect in (GA, BETA, DASHSCOPE):
        for read in (read_client, read_server):
            try:
                event = read(data, dialect)
            except WireError:
                continue
            written = write(event, dialect)
            assert written is None or read(written, dialect) == event
