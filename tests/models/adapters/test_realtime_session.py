from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from antiphon.clock import RealClock
from antiphon.errors import ConfigError, ModelError
from antiphon.live import (
    AudioFrame,
    AudioOut,
    Cancel,
    EndTurn,
    LiveError,
    LiveUsage,
    Played,
    SendText,
    SendToolResult,
    TextOut,
    ToolAsked,
    TurnEdge,
)
from antiphon.messages import ToolCall, ToolResult
from antiphon.models.adapters.realtime import open_live
from antiphon.models.uri import parse
from tests.models.adapters.realtime_server import REPLY, SOUND, Endpoint, listening

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from antiphon.live import LiveSession, ServerEvent
    from antiphon.models.adapters.realtime_session import RealtimeSession


def live(endpoint: Endpoint, options: str = "") -> AbstractAsyncContextManager[RealtimeSession]:
    return open_live(parse(f"{endpoint.uri}{options}"), RealClock(), "Be brief.")


async def until_done(session: LiveSession) -> list[ServerEvent]:
    heard: list[ServerEvent] = []
    async with asyncio.timeout(5):
        async for event in session.events():
            heard.append(event)
            if isinstance(event, TurnEdge) and event.edge == "answer_done":
                break
    return heard


async def test_a_live_session_speaks_and_hears():
    with listening() as endpoint:
        async with live(endpoint) as session:
            await session.send(AudioFrame(0, "person", bytes(960), 24_000))
            await session.send(EndTurn())
            heard = await until_done(session)
    assert [type(event) for event in heard] == [
        TurnEdge, TextOut, AudioOut, TextOut, AudioOut, LiveUsage, TurnEdge,
    ]  # fmt: skip
    assert "".join(event.text for event in heard if isinstance(event, TextOut)) == REPLY
    assert b"".join(event.pcm for event in heard if isinstance(event, AudioOut)) == SOUND
    times = [event.t_us for event in heard]
    assert times == sorted(times)
    assert "turn_detection" not in endpoint.sent[0][0]["session"]["audio"]["input"]  # it takes its own turns


async def test_one_session_holds_several_turns_and_a_tool():
    with listening() as endpoint:
        endpoint.calls = (("a", "clock", "{}"),)
        async with live(endpoint) as session:
            await session.send(SendText("what time is it?"))
            first = await until_done(session)
            endpoint.calls = ()
            await session.send(SendToolResult(ToolResult("a", "noon")))
            second = await until_done(session)
    assert [event.call for event in first if isinstance(event, ToolAsked)] == [ToolCall("a", "clock", {})]
    assert [event.reason for event in (first[-1], second[-1]) if isinstance(event, TurnEdge)] == [
        "tool_calls",
        "stop",
    ]
    assert [event["item"] for event in endpoint.sent[0] if "item" in event][-1] == {
        "type": "function_call_output", "call_id": "a", "output": "noon",
    }  # fmt: skip


async def test_an_interruption_cancels_and_truncates_to_what_was_heard():
    with listening() as endpoint:
        endpoint.faults = ["hold"]
        async with live(endpoint) as session:
            await session.send(SendText("go on"))
            async for event in session.events():
                if isinstance(event, AudioOut):
                    break
            await session.send(Played(event.item, 30))
            await session.send(Cancel())
        assert endpoint.over.wait(5)
    cut = next(event for event in endpoint.sent[0] if event["type"] == "conversation.item.truncate")
    assert "response.cancel" in endpoint.names()
    assert cut == {
        "type": "conversation.item.truncate", "item_id": "item_a", "content_index": 0, "audio_end_ms": 30,
    }  # fmt: skip


async def test_frames_at_another_rate_are_refused():
    with listening() as endpoint:
        async with live(endpoint) as session:
            with pytest.raises(ConfigError, match="takes sound at 24000 Hz, not 16000"):
                await session.send(AudioFrame(0, "person", bytes(640), 16_000))


async def test_garbage_does_not_end_a_live_session():
    with listening() as endpoint:
        endpoint.faults = ["garbage"]
        async with live(endpoint) as session:
            await session.send(SendText("hi"))
            heard = await until_done(session)
    (error,) = (event for event in heard if isinstance(event, LiveError))
    assert error.text.startswith("sent what is no event: a frame: no JSON")
    assert not error.fatal
    assert isinstance(heard[-1], TurnEdge)


async def test_a_session_that_breaks_ends_with_its_reason():
    with listening() as endpoint:
        endpoint.faults = ["close"]
        async with live(endpoint) as session:
            await session.send(SendText("hi"))
            async with asyncio.timeout(5):
                heard = [event async for event in session.events()]
                assert [event async for event in session.events()] == []
            with pytest.raises(ModelError, match="1011: the worker died"):
                await session.send(SendText("still there?"))
    last = heard[-1]
    assert isinstance(last, LiveError)
    assert (last.text, last.fatal, last.transient) == (
        "the endpoint closed the session (1011: the worker died)", True, True,
    )  # fmt: skip


async def test_arrival_is_timed_and_not_the_moment_of_looking():
    with listening() as endpoint:
        async with live(endpoint) as session:
            await session.send(SendText("hi"))
            asked_us = session.now_us()
            await asyncio.sleep(0.3)
            heard = await until_done(session)
    assert all(event.t_us - asked_us < 250_000 for event in heard)


async def test_an_endpoint_that_says_nothing_is_given_up():
    with listening() as endpoint:
        endpoint.faults = ["silent"]
        with pytest.raises(ModelError, match=r"was silent for (1|0\.9\d*) s"):
            async with live(endpoint, "&timeout_s=1"):
                pass


async def test_a_key_that_an_endpoint_quotes_is_not_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_KEY", "Invalid voice.")  # what the endpoint's error says
    with listening() as endpoint:
        endpoint.faults = ["refuse settings"]
        with pytest.raises(ModelError) as caught:
            async with live(endpoint, "&key=MY_KEY"):
                pass
    assert caught.value.problem == "invalid_value: *** (at session.audio.output.voice)"


async def test_settings_that_are_refused_end_the_opening():
    with listening() as endpoint:
        endpoint.faults = ["refuse settings"]
        with pytest.raises(ModelError, match="Invalid voice"):
            async with live(endpoint):
                pass
