from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import aclosing
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import RealClock, VirtualClock
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.messages import Message, Speech, Text, ToolCall, ToolResult, ToolSpec, says
from antiphon.models.adapters import llama_cpp
from antiphon.models.native import Engine
from antiphon.models.ports import Done, Request, Sampling, TextDelta, Usage, collect
from antiphon.models.uri import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

WEATHER = ToolSpec(
    "get_weather", "Weather in a city", {"type": "object", "properties": {"city": {"type": "string"}}}
)
ASK = Request((says("user", "hi"),))


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "finish_reason": None, "delta": fields}]}


STOP: dict[str, Any] = {"choices": [{"index": 0, "finish_reason": "stop", "delta": {}}]}
USAGE: dict[str, Any] = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}


class Server:
    """A llama.cpp that says given events and remembers what it was asked, and whether it was stopped."""

    def __init__(self, events: Iterable[dict[str, Any]]) -> None:
        self.events = events
        self.body: dict[str, Any] = {}
        self.ended = threading.Event()
        self.said = 0

    def handle_chat_completions(self, body: dict[str, Any], said: Callable[[dict[str, Any]], bool]) -> None:
        self.body = body
        for event in self.events:
            self.said += 1
            if said(event):
                break
        self.ended.set()


class Parameters:
    """Whatever llama.cpp can be told."""

    def __init__(self) -> None:
        self.model = SimpleNamespace()
        self.cpuparams = SimpleNamespace(poll=50)
        self.cpuparams_batch = SimpleNamespace(poll=50)


def chat(server: Server) -> llama_cpp.LlamaChat:
    return llama_cpp.LlamaChat("llama:fake", Engine(lambda: server), VirtualClock())


def written(*words: str) -> Server:
    return Server(
        [delta(role="assistant", content=None), *(delta(content=word) for word in words), STOP, USAGE]
    )


async def test_words_come_as_they_are_said_and_usage_at_the_end() -> None:
    async with aclosing(chat(written("Hel", "lo")).stream(ASK)) as stream:
        chunks = [chunk async for chunk in stream]
    assert chunks == [TextDelta("Hel", 0), TextDelta("lo", 0), Done("stop", 0, Usage(7, 2))]


async def test_the_request_reaches_llama_cpp_whole_and_repeatable() -> None:
    server = written("ok")
    call = ToolCall("c1", "get_weather", {"city": "巴黎"})
    messages = (
        says("system", "Be brief."),
        Message("user", (Text("Hi. "), Speech(Clip([0.0], 16_000), "天气怎么样", heard_chars=2))),
        Message("assistant", (call,)),
        Message("tool", (ToolResult("c1", {"sky": "晴"}), ToolResult("c2", error="no such city"))),
    )
    request = Request(messages, (WEATHER,), sampling=Sampling(seed=3, temperature=0.7, max_tokens=9))
    await collect(chat(server), request)
    arguments = '{"city": "巴黎"}'
    assert server.body == {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi. 天气"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": arguments},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": '{"sky": "晴"}'},
            {"role": "tool", "tool_call_id": "c2", "content": "no such city"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "seed": 3,
        "temperature": 0.7,
        "max_tokens": 9,
        "cache_prompt": False,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "get_weather",
                    "description": "Weather in a city",
                    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
                },
            }
        ],
    }


async def test_speech_without_a_transcript_is_an_error_and_not_an_empty_message() -> None:
    request = Request((Message("user", (Speech(Clip([0.0], 16_000)),)),))
    with pytest.raises(ModelError, match="this speech has no transcript; use cascade:"):
        await collect(chat(written("ok")), request)


@pytest.mark.parametrize(
    "words",
    [
        ('{"name": "get_weather", ', '"arguments": {"city": "Paris"}}'),
        ("```json\n", '{"name": "get_weather", "arguments": {"city": "Paris"}}', "\n```"),
        ("<tool", '_call>{"name": "get_weather", "arguments": {"city": "Paris"}}', "</tool_call>"),
    ],
)
async def test_a_call_written_as_json_text_is_a_call_and_is_not_spoken(words: tuple[str, ...]) -> None:
    reply = await collect(chat(written(*words)), Request(ASK.messages, (WEATHER,)))
    assert reply.tool_calls == (ToolCall("call_0", "get_weather", {"city": "Paris"}),)
    assert (reply.text, reply.finish) == ("", "tool_calls")


async def test_a_native_call_in_pieces_is_joined() -> None:
    server = Server([
        delta(tool_calls=[{"index": 0, "id": "x", "function": {"name": "get_weather", "arguments": '{"ci'}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": 'ty": "Rome"}'}}]),
        STOP,
    ])  # fmt: skip
    reply = await collect(chat(server), Request(ASK.messages, (WEATHER,)))
    assert reply.tool_calls == (ToolCall("x", "get_weather", {"city": "Rome"}),)


async def test_json_that_is_no_call_and_plain_words_are_text() -> None:
    for words in (("The set ", '{"a": 1}', " is small."), ("1 < 2 is", " true"), ("wait <", "tool")):
        reply = await collect(chat(written(*words)), Request(ASK.messages, (WEATHER,)))
        assert (reply.text, reply.tool_calls, reply.finish) == ("".join(words), (), "stop")


async def test_without_tools_json_is_just_text() -> None:
    text = '{"name": "get_weather", "arguments": {}}'
    reply = await collect(chat(written(text)), ASK)
    assert (reply.text, reply.tool_calls) == (text, ())


async def test_closing_the_stream_stops_the_model_at_its_next_token() -> None:
    go_on = threading.Event()

    def events() -> Iterable[dict[str, Any]]:
        yield delta(content="one")
        go_on.wait(5)
        yield delta(content="two")
        yield delta(content="three")

    server = Server(events())
    async with aclosing(chat(server).stream(ASK)) as stream:
        assert await anext(stream) == TextDelta("one", 0)
    go_on.set()
    await asyncio.to_thread(server.ended.wait, 5)
    assert server.said < 3  # one where the stop comes before the first event is handed over


async def test_an_error_of_llama_cpp_is_a_model_error() -> None:
    server = Server([{"error": {"code": 400, "message": "request exceeds the available context size"}}])
    with pytest.raises(ModelError, match="llama:fake: request exceeds the available context size"):
        await collect(chat(server), ASK)


async def test_half_a_reply_is_not_a_reply() -> None:
    with pytest.raises(ModelError, match="the stream ended before the reply did"):
        await collect(chat(Server([delta(content="Hel")])), ASK)


async def test_a_deadline_that_passes_is_a_transient_error() -> None:
    hold = threading.Event()

    def events() -> Iterable[dict[str, Any]]:
        hold.wait(5)
        yield STOP

    model = llama_cpp.LlamaChat("llama:fake", Engine(lambda: Server(events())), RealClock())
    with pytest.raises(ModelError, match=r"no reply within 0\.05 s") as caught:
        await collect(model, Request(ASK.messages, deadline_us=50_000))
    hold.set()
    assert caught.value.transient


def test_choices_become_a_grammar_with_quotes_escaped() -> None:
    assert llama_cpp.grammar(("yes", 'say "no"', "是")) == 'root ::= "yes" | "say \\"no\\"" | "是"'


def test_names_and_files_are_checked_before_anything_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTIPHON_CACHE", str(tmp_path))
    (tmp_path / "fake.gguf").write_bytes(b"MZ")
    for uri, problem in (
        (
            "llama:gpt-5",
            "no packaged chat model .* 'gpt-5'; there are: qwen2.5-coder-0.5b, qwen2.5-coder-1.5b",
        ),
        (f"llama:{tmp_path}/fake.gguf", "is not a GGUF file"),
        ("llama:qwen2.5-coder-0.5b?context=8", "context from 256"),
    ):
        with pytest.raises(ConfigError, match=problem):
            llama_cpp.open_chat(parse(uri), VirtualClock())
    with pytest.raises(UnavailableError) as caught:
        llama_cpp.open_chat(parse("llama:"), VirtualClock())
    assert caught.value.remedy == "antiphon weights fetch qwen2.5-coder-0.5b"


@pytest.mark.weights
@pytest.mark.timeout(180)
async def test_the_embedded_model_answers_repeats_itself_keeps_to_choices_and_calls(
    weights: Callable[..., Any],
) -> None:
    weights("qwen2.5-coder-0.5b")
    model = llama_cpp.open_chat(parse("llama:qwen2.5-coder-0.5b"), RealClock())
    sum_of_two = Request(
        (says("user", "What is 2+2? Answer with the number only."),), sampling=Sampling(max_tokens=8)
    )
    reply = await collect(model, sum_of_two)
    assert reply.text.strip(" .") == "4"
    assert reply.usage.prompt_tokens
    assert reply.first_token_us is not None
    capital = Request((says("user", "法国的首都是哪里？用一句话回答。"),), sampling=Sampling(max_tokens=30))
    first = await collect(model, capital)
    assert "巴黎" in first.text
    assert (await collect(model, capital)).text == first.text
    chosen = await collect(model, Request((says("user", "Is Paris in France?"),), choices=("yes", "no")))
    assert chosen.text == "yes"
    called = await collect(model, Request((says("user", "What is the weather in Paris?"),), (WEATHER,)))
    assert called.tool_calls == (ToolCall("call_0", "get_weather", {"city": "Paris"}),)
    long = Request((says("user", "word " * 6000),))
    with pytest.raises(ModelError, match="exceeds the available context size"):
        await collect(model, long)


@pytest.mark.parametrize(("threads", "writing"), [(1, 1), (2, 1), (8, 7)])
def test_writing_leaves_a_core_to_the_voice(
    monkeypatch: pytest.MonkeyPatch, threads: int, writing: int
) -> None:
    fake = ModuleType("xllamacpp")
    vars(fake).update(CommonParams=Parameters, Server=lambda params: params)
    monkeypatch.setitem(sys.modules, "xllamacpp", fake)
    params = llama_cpp._load(Path("model.gguf"), threads, 4096)
    assert (params.cpuparams_batch.n_threads, params.cpuparams.n_threads) == (threads, writing)
    assert (params.cpuparams.poll, params.cpuparams_batch.poll) == (0, 0)


async def test_warming_up_writes_one_token_and_remembers_nothing() -> None:
    server = written("1")
    await chat(server).warm()
    assert (server.body["max_tokens"], server.body["cache_prompt"]) == (1, False)


@pytest.mark.weights
@pytest.mark.timeout(120)
async def test_the_number_of_threads_does_not_change_a_reply(weights: Callable[..., Any]) -> None:
    weights("qwen2.5-coder-0.5b")
    ask = Request((says("user", "怎样泡一杯绿茶？"),), sampling=Sampling(max_tokens=24))
    replies = [
        await collect(
            llama_cpp.open_chat(parse(f"llama:qwen2.5-coder-0.5b?threads={threads}"), RealClock()), ask
        )
        for threads in (1, 2, 3)
    ]
    assert replies[0].text
    assert {reply.text for reply in replies} == {replies[0].text}
