from __future__ import annotations

import json

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, DataError, ModelError
from antiphon.messages import Message, Speech, ToolCall, says
from antiphon.models.ports import Done, Request, SpeechDelta, TextDelta, Usage, collect
from antiphon.models.scripted import open_chat
from antiphon.models.scripted_sound import tone, words_in
from antiphon.models.uri import parse

CLIP = Clip([0.25, -0.25, 0.5], 16_000)


def ask(text):
    return Request((says("user", text),))


@pytest.fixture
def script(tmp_path):
    def write_script(*rows, tail="\n"):
        path = tmp_path / "script.jsonl"
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + tail, "utf-8")
        return path

    return write_script


def opened(path, options="", clock=None):
    return open_chat(parse(f"scripted:{path}{options}"), clock or VirtualClock())


async def test_the_first_line_that_fits_answers_at_its_declared_times(script, tmp_path):
    write(tmp_path / "hi.flac", CLIP)
    path = script(
        {"match": "天气", "text": "晴天", "audio": "hi.flac", "first_token_us": 5, "first_audio_us": 9,
         "end_us": 20, "heard": "天气怎么样", "completion_tokens": 2},
        {"match": "*", "text": "什么？", "audio": {"tone_s": 0.5, "rate_hz": 8000}},
        tail="",
    )  # fmt: skip
    chat = opened(path)
    stream = [chunk async for chunk in chat.stream(ask("今天天气怎么样"))]
    usage = Usage(None, 2)
    assert stream == [
        TextDelta("晴天", 5), SpeechDelta(CLIP, 9), Done("stop", 20, usage, heard="天气怎么样"),
    ]  # fmt: skip
    other = await collect(chat, ask("hello"))
    assert (other.text, other.clip) == ("什么？", tone("什么？", 0.5, 8000))
    assert chat.name.startswith("scripted:script.jsonl@")


async def test_a_clip_is_matched_by_its_digest_and_a_tone_by_its_words(script):
    path = script(
        {"match": f"clip:{CLIP.digest[:16]}", "text": "that clip"}, {"match": "tone", "text": "that tone"}
    )
    chat = opened(path)
    replies = [
        (await collect(chat, Request((Message("user", (Speech(clip),)),)))).text
        for clip in (CLIP, tone("a tone", 1, 8000))
    ]
    assert replies == ["that clip", "that tone"]


async def test_lines_are_used_up_and_may_fail_or_call_tools(script):
    path = script(
        {"error": {"problem": "429", "transient": True, "retry_after_us": 7}, "times": 1},
        {"text": "half", "error": {"problem": "broke", "after_text": True}, "times": 1},
        {"tool_calls": [{"name": "f", "arguments": {"x": 1}}], "times": 1},
    )
    chat = opened(path)
    with pytest.raises(ModelError, match="429") as busy:
        await collect(chat, ask("q"))
    assert (busy.value.transient, busy.value.retry_after_us) == (True, 7)
    stream = chat.stream(ask("q"))
    assert (await anext(stream)).text == "half"
    with pytest.raises(ModelError, match="broke"):
        await anext(stream)
    reply = await collect(chat, ask("q"))
    assert (reply.tool_calls, reply.finish) == ((ToolCall("call_0", "f", {"x": 1}),), "tool_calls")
    with pytest.raises(ModelError, match="no line of the script fits 'q'"):
        await collect(chat, ask("q"))


async def test_words_come_in_pieces_and_a_paced_script_takes_its_time(script):
    path = script({"text": "abcd", "first_token_us": 100, "end_us": 500})
    clock = VirtualClock()
    chunks = [chunk async for chunk in opened(path, "?piece_chars=2&pace=1", clock).stream(ask("q"))]
    assert chunks == [TextDelta("ab", 100), TextDelta("cd", 300), Done("stop", 500)]
    assert clock.mono_us() == 500


async def test_an_echo_repeats_words_in_a_tone_that_says_them():
    reply = await collect(opened("echo", "?seconds=2&rate_hz=16000"), ask("你好"))
    assert reply.text == "你好"
    assert reply.clip is not None
    assert (reply.clip.duration_s, reply.clip.rate_hz, words_in(reply.clip)) == (2.0, 16_000, "你好")
    spoken = await collect(opened("echo"), Request((Message("user", (Speech(CLIP),)),)))
    assert spoken.text == f"clip {CLIP.digest[:8]}"


async def test_speech_comes_only_when_wanted():
    request = Request((says("user", "q"),), want=frozenset({"text"}))
    assert (await collect(opened("echo"), request)).clip is None


@pytest.mark.parametrize(
    ("kind", "transient"), [("429", True), ("500", True), ("400", False), ("half", True)]
)
async def test_the_first_calls_fail_on_request(kind, transient):
    chat = opened("echo", f"?fail={kind}:2")
    for _ in range(2):
        with pytest.raises(ModelError, match="scripted") as caught:
            await collect(chat, ask("q"))
        assert caught.value.transient is transient
    assert (await collect(chat, ask("q"))).text == "q"
    assert chat.name == opened("echo").name


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"txt": "x"}], "script.jsonl:1: Object contains unknown field `txt`"),
        ([{"text": "x"}, {"end_us": "soon"}], "script.jsonl:2: Expected `int`, got `str` - at `$.end_us`"),
        ([], "an empty script answers nothing"),
    ],
)
def test_a_bad_script_names_file_and_line(script, rows, problem):
    with pytest.raises(DataError) as caught:
        opened(script(*rows))
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("scripted:nowhere.jsonl", "no script 'nowhere.jsonl'; write scripted:PATH.jsonl or scripted:echo"),
        ("scripted:echo?fail=418:1", "write fail=KIND:COUNT, KIND one of 429, 500, 400, half"),
        ("scripted:echo?seconds=x", "seconds must be a number from 0 to 3600"),
        ("scripted:echo?sekonds=1", "no option 'sekonds'"),
    ],
)
def test_a_wrong_uri_says_what_to_write(uri, problem):
    with pytest.raises(ConfigError) as caught:
        open_chat(parse(uri), VirtualClock())
    assert problem in str(caught.value)
