"""The client of the Live protocol against our own server of it, whose types are compared with the openai package's."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.bench.folder import load
from antiphon.clock import RealClock
from antiphon.errors import ConfigError, ModelError
from antiphon.live import (
    AudioFrame,
    AudioOut,
    EndTurn,
    SendText,
    SendToolResult,
    TextOut,
    ToolAsked,
    TurnEdge,
    Update,
)
from antiphon.messages import Message, Speech, ToolCall, ToolResult, ToolSpec, says
from antiphon.models.adapters.realtime import open_live
from antiphon.models.catalog import open_chat
from antiphon.models.ports import Request, collect
from antiphon.models.scripted import Asked, Line
from antiphon.models.uri import parse
from tests.cli.commands import SCRIPTED, antiphon
from tests.realtime.serving import served, stack

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tests.realtime.serving import Served

NOISE = Clip(np.random.default_rng(7).normal(0, 0.1, 12_800).astype(np.float32), 16_000)  # 800 ms of "speech"
SPOKEN = Request((says("system", "Be brief."), Message("user", (Speech(NOISE, "what?"),))))
CLOCK = ToolSpec("clock", "the time", {"type": "object"})


def uri(server: Served, options: str = "") -> str:
    return f"realtime+ws://127.0.0.1:{server.port}/v1/live/sessions?attempts=1&settle_ms=600{options}#m"


async def ask(server: Served, request: Request = SPOKEN, options: str = "") -> Any:
    return await collect(open_chat(uri(server, options), RealClock()), request)


async def test_a_spoken_question_is_answered_in_words_and_sound():
    async with served(stack([Line(text="It is noon.")])) as server:
        reply = await ask(server)
        assert (reply.text, reply.finish, reply.heard) == (
            "It is noon.", "stop", "Please tell me about the library.",
        )  # fmt: skip
        assert reply.clip is not None
        assert 0.7 <= reply.clip.duration_s <= 0.75
        # The agent waits until the person has ended; the answer is over when its last sound came.
        assert 160_000 <= reply.first_audio_us <= reply.end_us < 3_000_000


async def test_an_answer_of_several_sentences_is_one_answer():
    text = "One is here. Another follows. The last."
    async with served(stack([Line(text=text)])) as server:
        assert (await ask(server)).text.split() == text.split()


async def test_words_alone_may_be_wanted():
    async with served(stack([Line(text="It is noon.")])) as server:
        reply = await ask(server, Request(SPOKEN.messages, want=frozenset({"text"})))
        assert (reply.text, reply.clip) == ("It is noon.", None)


async def test_a_written_question_goes_through_the_background_model():
    request = Request((says("user", "I am Ada."), says("assistant", "Hello."), says("user", "Who am I?")))
    async with served(stack([Line(match="Who am I", text="You are Ada.")])) as server:
        assert (await ask(server, request, "&backend=m")).text == "You are Ada."
        with pytest.raises(ModelError, match="backend=MODEL"):
            await ask(server, request)


async def test_tools_are_asked_for_and_their_results_go_on():
    lines = [
        Line(match="Please tell", tool_calls=(Asked("clock", {"zone": "CET"}, id="a"),)),
        Line(text="Noon."),
    ]
    async with served(stack(lines)) as server:
        reply = await ask(server, Request(SPOKEN.messages, tools=(CLOCK,)), "&backend=m")
        assert (reply.tool_calls, reply.finish) == ((ToolCall("a", "clock", {"zone": "CET"}),), "tool_calls")
        after = (
            *SPOKEN.messages,
            Message("assistant", reply.tool_calls),
            Message("tool", (ToolResult("a", "12"),)),
        )
        assert (await ask(server, Request(after, tools=(CLOCK,)), "&backend=m")).text == "Noon."
        with pytest.raises(ModelError, match="tools need the endpoint's background model"):
            await ask(server, Request(SPOKEN.messages, tools=(CLOCK,)))


async def test_work_that_the_agent_gives_to_a_client_without_helpers_comes_back_at_once():
    lines = [Line(match="Please tell", tool_calls=(Asked("delegate", {}, id="a"),)), Line(text="I think so.")]
    async with served(stack(lines)) as server:
        client = '&session.delegation={"type":"client","acknowledgement_delay_ms":2000}'
        assert (await ask(server, options=client)).text == "I think so."


async def test_a_refused_start_says_why():
    async with served() as server:
        with pytest.raises(ModelError, match=r"nothing is kept for forks here \(at session.store\)"):
            await ask(server, options="&session.store=true")


async def test_a_question_without_sound_and_speech_without_words_are_refused():
    silence = Request((Message("user", (Speech(Clip.silence(0, 16_000)),)),))
    wordless = Request((Message("assistant", (Speech(NOISE),)), *SPOKEN.messages[1:]))
    async with served() as server:
        with pytest.raises(ModelError, match="this spoken turn is empty"):
            await ask(server, silence)
        with pytest.raises(ModelError, match="this has no transcript"):
            await ask(server, wordless)


async def test_a_deadline_ends_the_wait():
    async with served() as server:
        with pytest.raises(ModelError, match="no complete answer before the deadline"):
            await ask(server, Request(SPOKEN.messages, deadline_us=1_500_000))


async def test_a_live_session_holds_several_turns_a_tool_and_new_instructions():
    lines = [
        Line(match="Please tell", tool_calls=(Asked("clock", {}, id="a"),), times=1),
        Line(match="on it", text="One moment."),
        Line(match="hello", text="Hello to you."),
        Line(text="It is noon."),
    ]
    async with served(stack(lines)) as server:
        opened = open_live(parse(uri(server, "&backend=m")), RealClock(), "Be brief.", [CLOCK])
        async with opened as session:
            seen: list[Any] = []

            async def until(kind: type, **fields: Any) -> Any:
                async with asyncio.timeout(10):
                    async for event in session.events():
                        seen.append(event)
                        if isinstance(event, kind) and all(getattr(event, k) == v for k, v in fields.items()):
                            return event
                raise AssertionError("the session ended")

            await session.send(AudioFrame(0, "person", resampled().pcm16(), 24_000))
            await session.send(EndTurn())
            assert (await until(ToolAsked)).call == ToolCall("a", "clock", {})
            await session.send(SendToolResult(ToolResult("a", "12")))
            await until(TurnEdge, edge="answer_done")
            words = "".join(e.text for e in seen if isinstance(e, TextOut) and e.whose == "agent")
            assert words.endswith("It is noon.")  # an acknowledgement may come before
            await session.send(Update(instructions="Be kind.", tools=()))
            await session.send(SendText("hello"))
            await until(TurnEdge, edge="answer_started")
            done = await until(TurnEdge, edge="answer_done")
            assert done.reason == "stop"
            assert {e.item for e in seen if isinstance(e, AudioOut)} == {"answer_1", "answer_2"}
            with pytest.raises(ConfigError, match="24000 Hz, not 8000"):
                await session.send(AudioFrame(0, "person", bytes(160), 8_000))


def resampled() -> Clip:
    return Clip(np.repeat(NOISE.samples, 3)[::2], 24_000)


@contextmanager
def listening(lines: list[Line]) -> Generator[Served]:
    """Our server in a thread of its own."""
    ready, over, found = threading.Event(), asyncio.Event(), list[Any]()

    async def serve() -> None:
        async with served(stack(lines)) as server:
            found.extend((server, asyncio.get_running_loop()))
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(10)
    try:
        yield found[0]
    finally:
        found[1].call_soon_threadsafe(over.set)
        thread.join()


@pytest.mark.usefixtures("own_cache")
def test_a_run_measures_a_live_endpoint(tmp_path: Path):
    with listening([Line(text="答案是北京。")]) as server:
        # The starter's own questions are speech; an energy detector hears them.
        command = ("run", "--suite", "starter", "--limit", "1", "--system", uri(server), *SCRIPTED)
        done = antiphon(*command, "--out", tmp_path / "run", "--json")
    assert done.code == 0, done.err
    results = load(tmp_path / "run")
    (take,) = results.takes.values()
    (said,) = take.replies
    assert (said.text, said.finish) == ("答案是北京。", "stop")
    assert 0 <= said.timing.first_audio_us <= said.timing.end_us
    assert (
        results.manifest.system == f"realtime+ws://127.0.0.1:{server.port}/v1/live/sessions?settle_ms=600#m"
    )
