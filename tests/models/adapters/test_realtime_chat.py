"""A Realtime endpoint as a chat model: what it is sent, what comes back, and how it fails."""

from __future__ import annotations

import asyncio
import base64
import json
from contextlib import aclosing
from typing import Any

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import RealClock
from antiphon.errors import ModelError
from antiphon.messages import Message, Speech, Text, ToolCall, ToolResult, ToolSpec, says
from antiphon.models.catalog import open_chat
from antiphon.models.ports import Request, Sampling, SpeechDelta, TextDelta, Usage, collect
from antiphon.models.wire.dashscope import DASHSCOPE
from antiphon.models.wire.ga.dialect import BETA, GA
from tests.models.adapters.realtime_server import REPLY, SOUND, Endpoint, listening

CLIP = Clip(np.sin(np.arange(8_000) / 9).astype(np.float32) * 0.5, 16_000)  # half a second
SPOKEN = Request((says("system", "Be brief."), Message("user", (Speech(CLIP, "what?"),))))
WRITTEN = Request((says("user", "what?"),))


async def ask(endpoint: Endpoint, request: Request = SPOKEN, options: str = "") -> Any:
    return await collect(open_chat(f"{endpoint.uri}{options}", RealClock()), request)


async def failure(endpoint: Endpoint, request: Request = SPOKEN, options: str = "") -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(endpoint, request, options)
    return caught.value


@pytest.mark.parametrize("dialect", [GA, BETA, DASHSCOPE], ids=lambda dialect: dialect.name)
async def test_a_spoken_question_is_answered_in_words_and_sound(dialect):
    with listening(dialect) as endpoint:
        reply = await ask(endpoint)
    assert (reply.text, reply.finish, reply.usage) == (REPLY, "stop", Usage(42, 18))
    assert reply.clip == Clip.from_pcm16(SOUND, 24_000)
    assert 0 <= reply.first_token_us <= reply.first_audio_us <= reply.end_us < 5_000_000
    assert endpoint.names() == [
        "session.update", "input_audio_buffer.append", "input_audio_buffer.commit", "response.create",
    ]  # fmt: skip
    sound = b"".join(base64.b64decode(event["audio"]) for event in endpoint.sent[0] if "audio" in event)
    assert len(sound) == dialect.in_hz  # half a second of two bytes
    if dialect is DASHSCOPE:
        assert sound == CLIP.pcm16()


async def test_the_settings_of_the_session_are_these_and_no_others():
    tool = ToolSpec("clock", "the time", {"type": "object"})
    request = Request(SPOKEN.messages, tools=(tool,), sampling=Sampling(max_tokens=99))
    with listening() as endpoint:
        await ask(endpoint, request, '&voice=marin&transcribe=whisper-1&session.reasoning={"effort":"low"}')
    assert endpoint.sent[0][0] == {
        "type": "session.update",
        "session": {
            "type": "realtime",
            "instructions": "Be brief.",
            "output_modalities": ["audio"],
            "audio": {
                "input": {
                    "format": {"type": "audio/pcm", "rate": 24000},
                    "turn_detection": None,
                    "transcription": {"model": "whisper-1"},
                },
                "output": {"format": {"type": "audio/pcm", "rate": 24000}, "voice": "marin"},
            },
            "tools": [{"type": "function", "name": "clock", "description": "the time", "parameters": {"type": "object"}}],
            "reasoning": {"effort": "low"},
        },
    }  # fmt: skip


async def test_a_limit_of_tokens_holds_for_words_and_does_not_cut_speech():
    limited = Request(WRITTEN.messages, want=frozenset({"text"}), sampling=Sampling(max_tokens=99))
    with listening() as endpoint:
        await ask(endpoint, limited)
        await ask(endpoint, Request(WRITTEN.messages, sampling=Sampling(max_tokens=99)))
        await ask(endpoint, options="&session.max_output_tokens=400")
    told = [events[0]["session"].get("max_output_tokens") for events in endpoint.sent]
    assert told == [99, None, 400]


async def test_a_setting_can_be_left_out():
    with listening() as endpoint:
        await ask(endpoint, options="&session.output_modalities=null")
    assert "output_modalities" not in endpoint.sent[0][0]["session"]


async def test_a_written_question_and_history_go_as_items():
    request = Request(
        (
            says("user", "one"),
            says("assistant", "two"),
            Message("assistant", (ToolCall("c", "clock", {}),)),
            Message("tool", (ToolResult("c", "noon"),)),
            says("user", "three"),
        ),
        want=frozenset({"text"}),
    )
    with listening() as endpoint:
        reply = await ask(endpoint, request)
    assert (reply.text, reply.clip) == (REPLY, None)
    assert endpoint.sent[0][0]["session"]["output_modalities"] == ["text"]
    assert [event["item"] for event in endpoint.sent[0] if event["type"] == "conversation.item.create"] == [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "one"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "two"}]},
        {"type": "function_call", "call_id": "c", "name": "clock", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "noon"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "three"}]},
    ]
    assert endpoint.names()[-2:] == ["conversation.item.create", "response.create"]


async def test_words_beside_the_sound_of_a_question_come_before_it():
    request = Request((Message("user", (Text("translate:"), Speech(CLIP))),))
    with listening() as endpoint:
        await ask(endpoint, request)
    assert endpoint.names() == [
        "session.update", "conversation.item.create", "input_audio_buffer.append", "input_audio_buffer.commit",
        "response.create",
    ]  # fmt: skip


async def test_choices_are_told():
    with listening() as endpoint:
        await ask(endpoint, Request(WRITTEN.messages, choices=("yes", "no")))
    told = "Answer with exactly one of these and nothing else: yes | no"
    assert endpoint.sent[0][0]["session"]["instructions"] == told


async def test_the_endpoints_own_recognition_is_kept():
    with listening() as endpoint:
        endpoint.heard = "什么？"
        assert (await ask(endpoint, options="&transcribe=whisper-1")).heard == "什么？"


@pytest.mark.parametrize("dialect", [GA, BETA, DASHSCOPE], ids=lambda dialect: dialect.name)
async def test_tool_calls_come_back_whole(dialect):
    with listening(dialect) as endpoint:
        endpoint.calls = (("a", "clock", '{"zone": "CET"}'), ("b", "clock", "{}"))
        reply = await ask(endpoint)
    assert reply.tool_calls == (ToolCall("a", "clock", {"zone": "CET"}), ToolCall("b", "clock", {}))
    assert reply.finish == "tool_calls"


async def test_arguments_that_are_no_object_fail_the_reply():
    with listening() as endpoint:
        endpoint.calls = (("a", "clock", "[1"),)
        error = await failure(endpoint)
    assert error.problem == "called tool 'clock' with arguments that are no JSON object: [1"


async def test_times_count_from_the_end_of_the_question():
    with listening() as endpoint:
        endpoint.pause_s = 0.15
        reply = await ask(endpoint, options="&pace=1")
    assert 150_000 <= reply.first_token_us < 480_000  # and not the half second that the question took


async def test_a_paced_question_takes_as_long_as_it_was_spoken():
    clock = RealClock()
    with listening() as endpoint:
        started_us = clock.mono_us()
        await ask(endpoint, options="&pace=1")
    assert clock.mono_us() - started_us >= 500_000
    sizes = [len(base64.b64decode(event["audio"])) for event in endpoint.sent[0] if "audio" in event]
    assert sizes == [960] * 25


async def test_closing_the_stream_cancels_the_answer():
    with listening() as endpoint:
        endpoint.faults = ["hold"]
        chat = open_chat(endpoint.uri, RealClock())
        async with aclosing(chat.stream(SPOKEN)) as chunks:
            first = [await anext(chunks), await anext(chunks)]
            assert await asyncio.to_thread(endpoint.holding.wait, 5)  # who still speaks may not hear a cancel
        assert endpoint.over.wait(5)
    assert [type(chunk) for chunk in first] == [TextDelta, SpeechDelta]
    assert endpoint.names()[-1] == "response.cancel"


async def test_a_deadline_ends_the_wait_and_cancels():
    request = Request(SPOKEN.messages, deadline_us=300_000)
    with listening() as endpoint:
        endpoint.faults = ["hold"]
        error = await failure(endpoint, request)
        assert endpoint.over.wait(5)
    assert (error.problem, error.transient) == ("no complete answer before the deadline", True)
    assert endpoint.names()[-1] == "response.cancel"


async def test_silence_ends_the_wait():
    with listening() as endpoint:
        endpoint.faults = ["hold"]
        error = await failure(endpoint, options="&timeout_s=1")
    assert error.problem.endswith("was silent for 1 s (timeout_s)")


FAILURES = {
    "error": ("invalid_value: No. (at response)", False),
    "limit": ("rate_limit_exceeded: Rate limit reached. Please try again in 20ms. (1 attempt)", True),
    "expired": ("session_expired: Your session hit the maximum duration of 60 minutes. (1 attempt)", True),
    "close": ("the endpoint closed the session (1011: the worker died)", True),
    "lost": ("the connection was lost", True),
    "garbage": ("sent what is no event: a frame: no JSON (JSON is malformed: invalid character (byte 0)): '\\x00 no JSON'", False),
    "failed": ("internal_error: boom (1 attempt)", True),
    "filtered": ("the endpoint withheld the reply (content_filter)", False),
    "cancelled": ("the endpoint ended its reply early (cancelled) (1 attempt)", True),
    "empty": ("an empty reply: no text, sound or tool call", False),
    "refuse settings": ("invalid_value: Invalid voice. (at session.audio.output.voice)", False),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAILURES)
async def test_a_failure_says_what_happened_and_whether_it_may_heal(fault):
    with listening() as endpoint:
        endpoint.faults = [fault]
        error = await failure(endpoint)
    assert (error.problem, error.transient) == FAILURES[fault]
    assert error.endpoint.startswith("realtime+ws://127.0.0.1:")


async def test_a_reply_that_was_cut_by_the_limit_is_kept_and_says_so():
    with listening() as endpoint:
        endpoint.faults = ["incomplete"]
        reply = await ask(endpoint)
    assert (reply.text, reply.finish) == (REPLY, "length")


@pytest.mark.parametrize("fault", ["limit", "expired", "429", "500"])
async def test_what_may_heal_is_asked_again(fault):
    with listening(options="attempts=2") as endpoint:
        endpoint.faults = [fault]
        assert (await ask(endpoint)).text == REPLY
    assert len(endpoint.paths) == 2


async def test_what_broke_after_it_had_begun_is_not_asked_again():
    with listening(options="attempts=2") as endpoint:
        endpoint.faults = ["close"]
        assert "(1011: the worker died)" in (await failure(endpoint)).problem
    assert len(endpoint.paths) == 1


async def test_an_empty_turn_is_refused_before_it_is_sent():
    silence = Request((Message("user", (Speech(Clip.silence(0, 16_000)),)),))
    with listening() as endpoint:
        error = await failure(endpoint, silence)
    assert error.problem == "this spoken turn is empty: there is no sound to send"
    assert endpoint.names() == ["session.update"]


async def test_earlier_speech_without_words_is_refused():
    request = Request((Message("assistant", (Speech(CLIP),)), says("user", "and?")))
    with listening() as endpoint:
        error = await failure(endpoint, request)
    assert error.problem == "earlier speech of the assistant goes in as words, and this has no transcript"


async def test_sessions_do_not_mix():
    with listening() as endpoint:
        chat = open_chat(endpoint.uri, RealClock())
        replies = await asyncio.gather(*(collect(chat, SPOKEN) for _ in range(8)))
    assert {(reply.text, reply.clip) for reply in replies} == {(REPLY, Clip.from_pcm16(SOUND, 24_000))}


PCM = base64.b64encode(SOUND).decode()
# What servers are documented to say, typed in by hand.
RECITALS = {
    "ga": (
        '{"type":"response.created","event_id":"event_1","response":{"object":"realtime.response","id":"resp_1","status":"in_progress","status_details":null,"output":[],"conversation_id":"conv_1","output_modalities":["audio"],"max_output_tokens":"inf","audio":{"output":{"format":{"type":"audio/pcm","rate":24000},"voice":"marin"}},"usage":null,"metadata":null}}',
        '{"type":"response.output_item.added","event_id":"event_2","response_id":"resp_1","output_index":0,"item":{"id":"item_1","type":"message","status":"in_progress","role":"assistant","content":[]}}',
        '{"type":"conversation.item.added","event_id":"event_3","previous_item_id":"item_0","item":{"id":"item_1","type":"message","status":"in_progress","role":"assistant","content":[]}}',
        '{"type":"response.content_part.added","event_id":"event_4","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"part":{"type":"audio","transcript":""}}',
        '{"type":"response.output_audio_transcript.delta","event_id":"event_5","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"delta":"It is","obfuscation":"x1"}',
        f'{{"type":"response.output_audio.delta","event_id":"event_6","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"delta":"{PCM}"}}',
        '{"type":"response.output_audio_transcript.delta","event_id":"event_7","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"delta":" noon."}',
        '{"type":"response.output_audio.done","event_id":"event_8","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0}',
        '{"type":"response.output_audio_transcript.done","event_id":"event_9","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"transcript":"It is noon."}',
        '{"type":"response.output_item.done","event_id":"event_10","response_id":"resp_1","output_index":0,"item":{"id":"item_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_audio","transcript":"It is noon."}]}}',
        '{"type":"response.done","event_id":"event_11","response":{"object":"realtime.response","id":"resp_1","status":"completed","status_details":null,"output":[{"id":"item_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_audio","transcript":"It is noon."}]}],"conversation_id":"conv_1","output_modalities":["audio"],"usage":{"total_tokens":60,"input_tokens":42,"output_tokens":18,"input_token_details":{"text_tokens":20,"audio_tokens":22,"image_tokens":0,"cached_tokens":0,"cached_tokens_details":{"text_tokens":0,"audio_tokens":0,"image_tokens":0}},"output_token_details":{"text_tokens":6,"audio_tokens":12}},"metadata":null}}',
        '{"type":"rate_limits.updated","event_id":"event_12","rate_limits":[{"name":"tokens","limit":40000,"remaining":39000,"reset_seconds":1.5}]}',
    ),
    "beta": (
        '{"type":"response.created","event_id":"event_1","response":{"object":"realtime.response","id":"resp_1","status":"in_progress","status_details":null,"output":[],"modalities":["text","audio"],"voice":"alloy","output_audio_format":"pcm16","temperature":0.8,"max_output_tokens":"inf","usage":null}}',
        '{"type":"response.output_item.added","event_id":"event_2","response_id":"resp_1","output_index":0,"item":{"id":"item_1","object":"realtime.item","type":"message","status":"in_progress","role":"assistant","content":[]}}',
        '{"type":"conversation.item.created","event_id":"event_3","previous_item_id":"item_0","item":{"id":"item_1","object":"realtime.item","type":"message","status":"in_progress","role":"assistant","content":[]}}',
        '{"type":"response.audio_transcript.delta","event_id":"event_5","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"delta":"It is noon."}',
        f'{{"type":"response.audio.delta","event_id":"event_6","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"delta":"{PCM}"}}',
        '{"type":"response.done","event_id":"event_11","response":{"object":"realtime.response","id":"resp_1","status":"completed","status_details":null,"output":[{"id":"item_1","object":"realtime.item","type":"message","status":"completed","role":"assistant","content":[{"type":"audio","transcript":"It is noon."}]}],"usage":{"total_tokens":60,"input_tokens":42,"output_tokens":18,"input_token_details":{"cached_tokens":0,"text_tokens":20,"audio_tokens":22},"output_token_details":{"text_tokens":6,"audio_tokens":12}}}}',
    ),
    "dashscope": (
        '{"event_id":"event_1","type":"response.created","response":{"id":"resp_1","object":"realtime.response","conversation_id":"","status":"in_progress","modalities":["text","audio"],"voice":"longanqian","output_audio_format":"pcm","output":[]}}',
        '{"event_id":"event_2","type":"response.output_item.added","response_id":"resp_1","output_index":0,"item":{"id":"item_1","object":"realtime.item","type":"message","status":"in_progress","role":"assistant","content":[]}}',
        '{"event_id":"event_4","type":"response.content_part.added","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"part":{"type":"audio","text":""}}',
        '{"event_id":"event_5","type":"response.audio_transcript.delta","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"delta":"It is noon."}',
        f'{{"event_id":"event_6","type":"response.audio.delta","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0,"delta":"{PCM}"}}',
        '{"event_id":"event_8","type":"response.audio.done","response_id":"resp_1","item_id":"item_1","output_index":0,"content_index":0}',
        '{"event_id":"event_11","type":"response.done","response":{"id":"resp_1","object":"realtime.response","conversation_id":"","status":"completed","modalities":["text","audio"],"voice":"longanqian","output_audio_format":"pcm","output":[{"id":"item_1","object":"realtime.item","type":"message","status":"completed","role":"assistant","content":[{"type":"audio","transcript":"It is noon."}]}],"usage":{"total_tokens":60,"input_tokens":42,"output_tokens":18,"input_tokens_details":{"text_tokens":20,"audio_tokens":22},"output_tokens_details":{"text_tokens":6,"audio_tokens":12}}}}',
    ),
}  # fmt: skip


@pytest.mark.parametrize("dialect", [GA, BETA, DASHSCOPE], ids=lambda dialect: dialect.name)
async def test_a_session_as_documented_gives_the_reply(dialect):
    with listening(dialect) as endpoint:
        endpoint.raw = RECITALS[dialect.name]
        reply = await ask(endpoint)
    assert (reply.text, reply.clip) == ("It is noon.", Clip.from_pcm16(SOUND, 24_000))
    assert (reply.finish, reply.usage) == ("stop", Usage(42, 18))


async def test_a_tool_call_as_documented_is_asked_once():
    item = '"item":{"id":"item_2","type":"function_call","call_id":"call_1","name":"get_weather"'
    with listening() as endpoint:
        endpoint.raw = (
            RECITALS["ga"][0],
            f'{{"type":"response.output_item.added","response_id":"resp_1","output_index":0,{item},"status":"in_progress","arguments":""}}}}',
            '{"type":"response.function_call_arguments.delta","response_id":"resp_1","item_id":"item_2","output_index":0,"call_id":"call_1","delta":"{\\"city\\":"}',
            '{"type":"response.function_call_arguments.done","response_id":"resp_1","item_id":"item_2","output_index":0,"call_id":"call_1","name":"get_weather","arguments":"{\\"city\\":\\"上海\\"}"}',
            f'{{"type":"response.output_item.done","response_id":"resp_1","output_index":0,{item},"status":"completed","arguments":"{{\\"city\\":\\"上海\\"}}"}}}}',
            '{"type":"response.done","response":{"id":"resp_1","status":"completed","output":[]}}',
        )
        reply = await ask(endpoint)
    assert reply.tool_calls == (ToolCall("call_1", "get_weather", {"city": "上海"}),)
    assert (reply.finish, reply.usage) == ("tool_calls", Usage())


async def test_both_sides_speak_what_the_openai_package_calls_valid():
    realtime = pytest.importorskip("openai.types.realtime", reason="pip install openai")
    pydantic = pytest.importorskip("pydantic")
    valid = {
        side: pydantic.TypeAdapter(kind)
        for side, kind in (("client", realtime.RealtimeClientEvent), ("server", realtime.RealtimeServerEvent))
    }
    tool = ToolSpec("clock", "the time", {"type": "object"})
    with listening() as endpoint:
        endpoint.calls = (("a", "clock", "{}"),)
        await ask(endpoint, Request(SPOKEN.messages, tools=(tool,)), "&transcribe=whisper-1")
    for event in endpoint.sent[0]:
        valid["client"].validate_python(event)
    for text in endpoint.said:
        event = {"event_id": "e", **json.loads(text)}
        valid["server"].validate_python(event)
    assert len(endpoint.said) > 10


async def test_the_openai_client_understands_what_our_server_side_writes():
    openai = pytest.importorskip("openai", reason="pip install openai")
    with listening() as endpoint:
        endpoint.calls = (("a", "clock", "{}"),)
        base = endpoint.uri.removeprefix("realtime+").partition("/realtime?")[0]
        theirs = openai.AsyncOpenAI(api_key="x", websocket_base_url=base)
        async with theirs, theirs.realtime.connect(model="m") as connection:
            await connection.session.update(session={"type": "realtime", "output_modalities": ["audio"]})
            await connection.conversation.item.create(
                item={
                    "type": "message",
                    "role": "user",
                    "content": [{"type": "input_text", "text": "hi"}],
                }
            )
            await connection.response.create()
            heard = []
            async for event in connection:
                heard.append(event)
                if event.type == "response.done":
                    break
    words = "".join(event.delta for event in heard if event.type == "response.output_audio_transcript.delta")
    sound = b"".join(
        base64.b64decode(event.delta) for event in heard if event.type == "response.output_audio.delta"
    )
    assert (words, sound) == (REPLY, SOUND)
    (call,) = (event for event in heard if event.type == "response.function_call_arguments.done")
    assert (call.call_id, call.name, call.arguments) == ("a", "clock", "{}")
    assert heard[-1].response.usage.output_token_details.audio_tokens == 12
