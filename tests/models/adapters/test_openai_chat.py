from __future__ import annotations

import asyncio
import base64
import json
import logging
import socket

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import decode, encode
from antiphon.clock import RealClock
from antiphon.errors import ConfigError, ModelError
from antiphon.messages import Message, Speech, Text, ToolCall, ToolResult, ToolSpec, says
from antiphon.models.adapters.openai_chat import open_chat
from antiphon.models.ports import Request, Sampling, Usage, collect
from antiphon.models.uri import parse

SECRET = "sk-test-0123456789abcdef"
HELLO = Request((says("user", "hello"),), sampling=Sampling(seed=7, max_tokens=60))
TONE = Clip([0.25, -0.25, 0.5, 0.0], 24_000)


def chat_at(server, options="", model="m", scheme="openai+http"):
    return open_chat(parse(f"{scheme}://{server.host}/v1{options}#{model}"), RealClock())


def event(**fields):
    return b"data: " + json.dumps(fields, ensure_ascii=False).encode() + b"\n\n"


def delta(finish=None, index=0, **fields):
    return event(choices=[{"index": index, "delta": fields, "finish_reason": finish}])


def sse(*events, done=True):
    return {"type": "text/event-stream", "pieces": [*events, *([b"data: [DONE]\n\n"] if done else [])]}


async def failure(chat, request=HELLO) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await collect(chat, request)
    return caught.value


async def test_streamed_text_arrives_with_usage_and_times(server):
    server.answer(
        sse(
            delta(role="assistant", content=""),
            delta(content="你好"),
            delta(content="，\u2028世界"),
            delta(finish="stop"),
            event(choices=[], usage={"prompt_tokens": 5, "completion_tokens": 4}),
        )
    )
    reply = await collect(chat_at(server), HELLO)
    assert (reply.text, reply.clip, reply.finish) == ("你好，\u2028世界", None, "stop")
    assert reply.usage == Usage(5, 4)
    assert reply.first_token_us is not None
    assert 0 <= reply.first_token_us <= reply.end_us
    assert server.bodies == [
        {
            "model": "m",
            "messages": [{"role": "user", "content": "hello"}],
            "stream": True,
            "temperature": 0.0,
            "seed": 7,
            "max_tokens": 60,
            "stream_options": {"include_usage": True},
        }
    ]


async def test_an_event_cut_anywhere_is_read_whole(server):
    whole = delta(content="早上好") + delta(finish="length") + b"data: [DONE]\r\n\r\n"
    server.answer({"type": "text/event-stream", "pieces": [whole[at : at + 1] for at in range(len(whole))]})
    reply = await collect(chat_at(server), HELLO)
    assert (reply.text, reply.finish) == ("早上好", "length")


async def test_speech_goes_out_as_wav_and_comes_back_as_pcm_with_its_transcript(server):
    pcm = TONE.pcm16()
    first, second = (base64.b64encode(part).decode() for part in (pcm[:3], pcm[3:]))
    server.answer(
        sse(
            delta(audio={"id": "a", "transcript": "Hi"}),
            delta(audio={"data": first}),
            delta(audio={"data": second, "transcript": " there."}),
            delta(finish="stop"),
        )
    )
    asked = Message("user", (Text("listen"), Speech(TONE)))
    reply = await collect(chat_at(server, "?voice=nova", "gpt-audio"), Request((asked,)))
    assert (reply.text, reply.clip) == ("Hi there.", TONE)
    (sent,) = server.bodies
    assert (sent["modalities"], sent["audio"]) == (["text", "audio"], {"voice": "nova", "format": "pcm16"})
    words, sound = sent["messages"][0]["content"]
    assert words == {"type": "text", "text": "listen"}
    assert sound["input_audio"]["format"] == "wav"
    assert decode(base64.b64decode(sound["input_audio"]["data"]), "sent") == TONE


async def test_vllm_omni_sends_sound_as_content_of_audio_chunks(server):
    wav = base64.b64encode(encode(TONE, "wav")).decode()
    server.answer(
        sse(
            event(modality="text", choices=[{"delta": {"content": "嗨"}, "finish_reason": "stop"}]),
            event(modality="audio", choices=[{"delta": {"content": wav}, "finish_reason": None}]),
            event(modality="audio", choices=[{"delta": {"content": wav}, "finish_reason": "stop"}]),
        )
    )
    reply = await collect(chat_at(server, model="omni"), HELLO)
    assert reply.text == "嗨"
    assert reply.clip is not None
    assert (len(reply.clip), reply.clip.rate_hz) == (2 * len(TONE), 24_000)


async def test_an_answer_that_is_not_streamed_may_hold_text_and_sound_in_separate_choices(server):
    flac = base64.b64encode(encode(TONE, "flac")).decode()
    server.answer(
        {
            "json": {
                "choices": [
                    {"message": {"content": "text"}, "finish_reason": "stop"},
                    {"message": {"audio": {"data": flac, "transcript": ""}}, "finish_reason": "stop"},
                ],
                "usage": {"prompt_tokens": 1, "completion_tokens": 2},
            }
        }
    )
    reply = await collect(chat_at(server, "?stream=0&format=flac", "omni"), HELLO)
    assert (reply.text, reply.clip, reply.usage) == ("text", TONE, Usage(1, 2))
    assert server.bodies[0]["stream"] is False
    assert "stream_options" not in server.bodies[0]


SPOKEN = Request((Message("user", (Speech(TONE, "hello"),)),))


async def test_sglang_gets_speech_as_an_audio_url_which_is_all_it_knows(server):
    server.answer(sse(delta(content="嗨"), delta(finish="stop")))
    await collect(chat_at(server, "?accepts=text,speech&gives=text&audio_part=audio_url"), SPOKEN)
    (part,) = server.bodies[0]["messages"][0]["content"]
    assert set(part) == {"type", "audio_url"}
    head, _, data = part["audio_url"]["url"].partition(",")
    assert head == "data:audio/wav;base64"
    assert decode(base64.b64decode(data), "sent") == TONE


async def test_vllm_omni_as_it_streams_words_then_sound_with_counts_of_its_own(server):
    """As vllm_omni/entrypoints/openai/serving_chat.py: each kind opens with an empty piece, pieces of sound
    carry a whole WAV in `content`, a count without words, and "stop"; the true count comes last."""
    wav = base64.b64encode(encode(TONE, "wav")).decode()

    def piece(modality, finish=None, **fields):
        return event(modality=modality, choices=[{"index": 0, "delta": fields, "finish_reason": finish}])

    def sound(content):
        choices = [{"index": 0, "delta": {"role": "assistant", "content": content}, "finish_reason": "stop"}]
        return event(modality="audio", choices=choices, usage={"prompt_tokens": 9, "completion_tokens": 0})

    server.answer(
        sse(
            piece("text", role="assistant", content=""),
            piece("text", content="你好"),
            event(modality="text", choices=[], usage={"prompt_tokens": 9, "completion_tokens": 1}),
            piece("text", "length", content="世"),
            piece("audio", role="assistant", content=""),
            sound(wav),
            sound(wav),
            event(choices=[], usage={"prompt_tokens": 9, "completion_tokens": 2}),
        )
    )
    reply = await collect(chat_at(server, model="Qwen3-Omni"), SPOKEN)
    assert (reply.text, reply.usage) == ("你好世", Usage(9, 2))
    assert reply.clip is not None
    assert (len(reply.clip), reply.clip.rate_hz) == (2 * len(TONE), 24_000)
    assert reply.finish == "length", "that the sound was complete does not make the words so"
    assert reply.first_token_us is not None
    assert reply.first_audio_us is not None
    assert server.bodies[0]["modalities"] == ["text", "audio"]


async def test_a_stream_that_ends_after_sound_keeps_the_count_of_its_words(server):
    wav = base64.b64encode(encode(TONE, "wav")).decode()
    server.answer(
        sse(
            event(choices=[{"delta": {"content": "嗨"}}], usage={"prompt_tokens": 3, "completion_tokens": 4}),
            event(
                modality="audio",
                choices=[{"delta": {"content": wav}, "finish_reason": "stop"}],
                usage={"prompt_tokens": 3, "completion_tokens": 0},
            ),
        )
    )
    assert (await collect(chat_at(server, model="omni"), HELLO)).usage == Usage(3, 4)


async def test_vllm_omni_in_one_piece_ends_the_words_in_one_choice_and_the_sound_in_another(server):
    wav = base64.b64encode(encode(TONE, "wav")).decode()
    audio = {"id": "audio-1", "data": wav, "expires_at": 1, "transcript": ""}
    server.answer(
        {
            "json": {
                "choices": [
                    {"index": 0, "message": {"role": "assistant", "content": "你"}, "finish_reason": "length"},
                    {"index": 0, "message": {"role": "assistant", "content": None, "audio": audio},
                     "finish_reason": "stop"},
                ],
                "usage": {"prompt_tokens": 5, "completion_tokens": 1},
            }
        }
    )  # fmt: skip
    reply = await collect(chat_at(server, "?stream=0", "omni"), SPOKEN)
    assert (reply.text, reply.clip, reply.finish) == ("你", TONE, "length")


async def test_sglang_omni_sends_words_and_sound_in_one_message_and_the_words_are_said_once(server):
    wav = base64.b64encode(encode(TONE, "wav")).decode()
    message = {
        "role": "assistant",
        "content": "嗨",
        "audio": {"id": "audio-1", "data": wav, "transcript": "嗨"},
    }
    usage = {"prompt_tokens": 5, "completion_tokens": 1}
    server.answer({"json": {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}})
    server.answer(
        sse(
            delta(role="assistant", content="嗨"),
            delta(audio={"id": "audio-1", "data": wav}),
            delta(audio={"id": "audio-1", "data": wav}),
            event(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}], usage=usage),
        )
    )
    whole = await collect(chat_at(server, "?stream=0", "omni"), SPOKEN)
    streamed = await collect(chat_at(server, "?format=wav", "omni"), SPOKEN)
    assert (whole.text, whole.clip, whole.usage) == ("嗨", TONE, Usage(5, 1))
    assert (streamed.text, streamed.usage) == ("嗨", Usage(5, 1))
    assert streamed.clip is not None
    assert len(streamed.clip) == 2 * len(TONE)
    assert [body["audio"]["format"] for body in server.bodies] == ["wav", "wav"]


async def test_a_server_that_ignores_streaming_is_understood(server):
    server.answer({"json": {"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}})
    assert (await collect(chat_at(server), HELLO)).text == "whole"


async def test_tool_calls_are_assembled_from_their_pieces(server):
    def piece(index, **fields):
        return delta(tool_calls=[{"index": index, **fields}])

    server.answer(
        sse(
            piece(0, id="a", function={"name": "weather", "arguments": ""}),
            piece(0, function={"arguments": '{"city": "上'}),
            piece(1, id="b", function={"name": "clock", "arguments": "{}"}),
            piece(0, function={"arguments": '海"}'}),
            delta(finish="tool_calls"),
        )
    )
    tool = ToolSpec("weather", "Weather of a city", {"type": "object"})
    past = (
        says("user", "q"),
        Message("assistant", (ToolCall("z", "clock", {"a": 1}),)),
        Message("tool", (ToolResult("z", {"now": "八点"}),)),
    )
    reply = await collect(chat_at(server), Request(past, tools=(tool,)))
    assert reply.tool_calls == (ToolCall("a", "weather", {"city": "上海"}), ToolCall("b", "clock", {}))
    assert reply.finish == "tool_calls"
    (sent,) = server.bodies
    call = {"id": "z", "type": "function", "function": {"name": "clock", "arguments": '{"a": 1}'}}
    assert sent["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "z", "content": '{"now": "八点"}'},
    ]
    function = {"name": "weather", "description": "Weather of a city", "parameters": {"type": "object"}}
    assert sent["tools"] == [{"type": "function", "function": function}]


async def test_a_model_that_must_call_is_told(server):
    server.answer(sse(delta(content="x", finish="stop")))
    clock = ToolSpec("clock", "", {"type": "object"})
    await collect(chat_at(server), Request((says("user", "q"),), tools=(clock,), must_call=True))
    assert server.bodies[0]["tool_choice"] == "required"


async def test_other_parameters_go_into_the_body_and_null_leaves_one_out(server):
    server.answer(sse(delta(content="x", finish="stop")))
    chat = chat_at(server, "?body.top_k=20&body.seed=null&body.mode=fast")
    await collect(chat, Request((says("user", "q"),), choices=("yes", "no")))
    (sent,) = server.bodies
    assert (sent["top_k"], sent["mode"], "seed" in sent) == (20, "fast", False)
    assert sent["messages"][-1]["content"] == "Answer with exactly one of these and nothing else: yes | no"
    assert "body.top_k=20" in chat.name


async def test_a_model_without_ears_gets_transcripts_and_refuses_bare_sound(server):
    server.answer(sse(delta(content="x", finish="stop")))
    spoken = Message("user", (Speech(TONE, "what I said"),))
    await collect(chat_at(server), Request((spoken,)))
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "what I said"}]
    error = await failure(chat_at(server), Request((Message("user", (Speech(TONE),)),)))
    assert "takes no speech, and this user turn has no transcript" in error.problem
    assert not error.transient


@pytest.mark.parametrize(
    ("answer", "says_", "transient", "after_us"),
    [
        ({"status": 429, "headers": {"Retry-After": "2.5"}, "json": {"error": {"message": "slow down"}}},
         "429: too many requests: slow down", True, 2_500_000),
        ({"status": 429, "json": {"error": {"code": "insufficient_quota", "message": "pay"}}},
         "429: too many requests: insufficient_quota pay", False, None),
        ({"status": 500, "body": b"boom"}, "500: boom", True, None),
        ({"status": 503, "headers": {"Retry-After": "soon"}, "type": "text/html", "body": b"<html>x</html>"},
         "503: no reason given", True, None),
        ({"status": 400, "json": {"detail": "no such parameter"}}, "400: no such parameter", False, None),
        ({"status": 401, "json": {"error": {"message": "who?"}}},
         "401: a key is needed; put it into an environment variable and name that with key=NAME: who?", False, None),
        ({"status": 307, "headers": {"Location": "http://elsewhere/"}},
         "307: moved to http://elsewhere/; write that address", False, None),
        ({"type": "text/html", "body": b"<html>hi</html>"},
         "answered with a web page; the address should end in /v1 or the like", False, None),
        ({"type": "application/json", "body": b"\x00garbage"},
         "answered with something that is no JSON object: '\\x00garbage'", False, None),
        ({"json": {"choices": 5}}, 'answered with JSON of an unknown shape: {"choices": 5}', False, None),
        ({"json": {"choices": []}}, "an empty reply: no text, sound or tool call", False, None),
        ({"json": {"choices": [{"message": {"content": "", "reasoning_content": "hm"}, "finish_reason": "length"}]}},
         "an empty reply: only hidden reasoning; raise max_tokens", False, None),
        ({"json": {"choices": [{"message": {"content": "x"}, "finish_reason": "content_filter"}]}},
         "the endpoint withheld the reply (content_filter)", False, None),
        (sse(delta(content="half a"), done=False),
         "the stream broke off before the reply ended", True, None),
        (sse(event(error={"message": "engine died", "code": 500})), "engine died", True, None),
        (sse(b"data: {oops\n\n"), "answered with something that is no JSON object: '{oops'", False, None),
        (sse(delta(tool_calls=[{"index": 0, "function": {"name": "f", "arguments": "{"}}]), delta(finish="stop")),
         "called tool 'f' with arguments that are no JSON object: {", False, None),
        (sse(delta(audio={"data": "%%%"})), "sent speech that cannot be read: ", False, None),
    ],
)  # fmt: skip
async def test_each_failure_has_its_own_words(server, answer, says_, transient, after_us):
    server.answer(answer)
    chat = chat_at(server)
    error = await failure(chat)
    assert (error.endpoint, error.problem[: len(says_)]) == (chat.name, says_)
    assert (error.transient, error.retry_after_us) == (transient, after_us)


async def test_a_missing_model_is_told_with_the_models_there_are(server):
    server.answer({"status": 404, "json": {"error": "no"}})
    server.answer({"json": {"data": [{"id": "qwen"}, {"id": "glm"}]}})
    assert (await failure(chat_at(server))).problem == "404: no such model or path; there are: glm, qwen: no"


async def test_a_connection_that_breaks_in_the_middle_is_transient(server):
    server.answer({**sse(delta(content="half"), done=False), "length": 10_000})
    error = await failure(chat_at(server))
    assert error.transient
    assert f"the connection to {server.host} broke" in error.problem


async def test_a_server_that_hangs_meets_the_deadline(server):
    server.answer({**sse(delta(content="and then"), done=False), "hang": True})
    error = await failure(chat_at(server), Request((says("user", "q"),), deadline_us=200_000))
    assert (error.problem, error.transient) == ("no complete answer before the deadline", True)


async def test_a_server_that_says_nothing_meets_the_time_limit(server):
    server.answer({"hang": True, "mute": True})
    error = await failure(chat_at(server, "?timeout_s=1"))
    assert (error.problem, error.transient) == (f"{server.host} was silent for 1 s (timeout_s)", True)


async def test_an_answer_beyond_all_measure_is_cut_off(server):
    server.answer({"type": "application/json", "body": b"x" * 3000})
    chat = chat_at(server)
    chat._endpoint.largest_reply = 2000
    assert "was cut off" in (await failure(chat)).problem


async def test_nothing_listening_is_said_in_plain_words():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        where = f"127.0.0.1:{held.getsockname()[1]}"
        error = await failure(open_chat(parse(f"openai+http://{where}/v1#m"), RealClock()))
    assert error.problem == f"nothing answers at {where}; start the server or correct the address"
    assert error.transient


async def test_the_key_is_sent_and_never_told(server, monkeypatch, caplog):
    monkeypatch.setenv("MY_KEY", SECRET)
    caplog.set_level(logging.DEBUG)
    server.answer({"status": 401, "json": {"error": {"message": f"Incorrect API key provided: {SECRET}"}}})
    server.answer(sse(event(error={"message": f"key {SECRET} expired"})))
    chat = chat_at(server, "?key=MY_KEY")
    refused, expired = await failure(chat), await failure(chat)
    assert server.headers[0]["authorization"] == f"Bearer {SECRET}"
    assert refused.problem == "401: the key in MY_KEY was refused: Incorrect API key provided: ***"
    assert expired.problem == "key *** expired"
    shown = [chat.name, repr(chat), repr(chat._endpoint.__dict__), str(refused), str(expired), caplog.text]
    assert not [text for text in shown if SECRET in text]
    assert refused.__cause__ is None


async def test_a_loopback_endpoint_gets_no_key_unless_asked(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    server.answer(sse(delta(content="x", finish="stop")))
    await collect(chat_at(server), HELLO)
    assert "authorization" not in server.headers[0]


def test_a_pasted_key_is_refused_without_repeating_it(monkeypatch):
    for pasted in (SECRET, SECRET.replace("-", "_"), "0123456789abcdef0123456789abcdef"):
        with pytest.raises(ConfigError, match="never the key itself") as caught:
            open_chat(parse(f"openai+https://host/v1?key={pasted}#m"), RealClock())
        assert pasted not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("openai:gpt-4o", "OPENAI_API_KEY is not set; export OPENAI_API_KEY=…"),
        ("openai+https://h/v1?key=OTHER#m", "OTHER is not set"),
        ("openai+http://u:p@h/v1#m", "a password in an address would end in every record"),
        ("openai+http://h/v1#m?voice=x", "options come before the model"),
        ("openai+http://h/v1", "write openai:MODEL, or openai+http://HOST:PORT/v1#MODEL"),
        ("openai+http://h/v1?vioce=x#m", "no option 'vioce'"),
        ("openai+http://h/v1?gives=smell#m", "no gives 'smell'; there are: speech, text"),
        ("openai+http://h/v1?format=mp3#m", "mp3 cannot be streamed; write format=pcm16, or stream=0"),
        ("openai+http://h/v1?timeout_s=0#m", "timeout_s counts from 1"),
    ],
)
def test_a_wrong_uri_says_what_to_write(text, problem, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError) as caught:
        open_chat(parse(text), RealClock())
    assert problem in str(caught.value)


def test_the_name_keeps_what_changes_answers_and_drops_what_does_not(monkeypatch):
    monkeypatch.setenv("K", SECRET)
    chat = open_chat(
        parse("openai+https://h/v1?voice=nova&key=K&timeout_s=9&rpm=60&gives=text,speech#m"), RealClock()
    )
    assert chat.name == "openai+https://h/v1?gives=text,speech&voice=nova#m"
    assert (chat.limits.endpoint, chat.limits.requests_per_minute) == ("https://h/v1", 60)


def test_hearing_and_speaking_follow_the_models_name_unless_said():
    both = frozenset({"text", "speech"})
    kinds = {
        text: open_chat(parse(text), RealClock())
        for text in (
            "openai+http://h/v1#qwen3-omni",
            "openai+http://h/v1#qwen3",
            "openai+http://h/v1?accepts=text,speech#q",
        )
    }
    assert [(chat.accepts, chat.gives) for chat in kinds.values()] == [
        (both, both),
        (frozenset({"text"}), frozenset({"text"})),
        (both, frozenset({"text"})),
    ]


async def test_closing_the_stream_hangs_up(server):
    server.answer({**sse(delta(content="one"), done=False), "hang": True})
    stream = chat_at(server).stream(HELLO)
    assert (await anext(stream)).text == "one"
    await stream.aclose()
    await asyncio.wait_for(server.hung_up.wait(), 5)
