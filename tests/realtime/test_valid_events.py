"""Every event that the server writes is valid by the types of the installed `openai` package, in both protocols."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from websockets.asyncio.client import connect

from antiphon.models.scripted import Asked, Failure, Line
from tests.realtime.serving import Client, append, noise, quiet, served, stack

realtime = pytest.importorskip("openai.types.realtime", reason="pip install openai")
live = pytest.importorskip("openai.types.live", reason="pip install openai")
pydantic = pytest.importorskip("pydantic")

SPEECH = quiet(300) + noise(800) + quiet(600)
HOURS = {"type": "function", "name": "hours", "description": "", "parameters": {"type": "object"}}
LINES = [
    Line(match="hours", tool_calls=(Asked("hours", {"day": "Monday"}, id="call_1"),)),
    Line(match="fail", error=Failure("out of order")),
    Line(text="This is the answer. It has another sentence."),
]


def wrong(union: Any, events: list[dict[str, Any]]) -> list[str]:
    """What is not valid, by the event's name."""
    valid, found = pydantic.TypeAdapter(union), list[str]()
    for event in events:
        try:
            valid.validate_python(event)
        except pydantic.ValidationError as error:
            found.append(f"{event['type']}: {error.errors()[0]['loc']} {error.errors()[0]['msg']}")
    return found


async def test_a_realtime_session_says_what_the_package_calls_valid():
    async with served(stack(LINES)) as server, server.client() as socket:
        client = Client(socket)
        await client.send({"type": "session.update", "session": {"type": "realtime", "tools": [HOURS]}})
        await client.type("hours?")
        await client.until("response.done")
        result = {"type": "function_call_output", "call_id": "call_1", "output": "nine"}
        await client.send({"type": "conversation.item.create", "item": result})
        await client.send({"type": "response.create"})
        await client.until("response.output_audio.delta")
        await client.send({"type": "response.cancel"})
        await client.until("response.done")
        await client.type("fail")
        await client.until("response.done")
        await client.send(append(SPEECH))
        await client.until("response.done")
        said = next(item for item in reversed(client.events) if item["type"] == "response.output_item.done")[
            "item"
        ]
        await client.send({"type": "conversation.item.retrieve", "item_id": said["id"]})
        place = {"item_id": said["id"], "content_index": 0, "audio_end_ms": 100}
        await client.send({"type": "conversation.item.truncate", **place})
        await client.until("conversation.item.truncated")
        await client.send({"type": "session.update", "session": {"output_modalities": ["text"], "audio": {"input": {"turn_detection": None}}}})  # fmt: skip
        await client.send(append(noise(200)))
        await client.send({"type": "input_audio_buffer.commit"})
        await client.send({"type": "response.create"})
        await client.until("response.done")
        await client.send({"type": "input_audio_buffer.clear"})
        await client.until("input_audio_buffer.cleared")
    assert wrong(realtime.RealtimeServerEvent, client.events) == []
    assert len({event["type"] for event in client.events}) >= 25


async def test_a_live_session_says_what_the_package_calls_valid():
    async with served(stack(LINES)) as server:
        url = f"{server.url}/live/sessions"
        async with connect(url, compression=None, close_timeout=0.5) as socket:
            client = Client(socket)
            delegation = {"type": "responses", "responses": {"model": "m", "tools": [HOURS], "text": {}}}
            await client.send({"type": "session.start", "session": {"model": "m", "delegation": delegation}})
            await client.send({"type": "response.item.create", "item": {"role": "user", "content": "hours?"}})
            await client.send({"type": "response.create"})
            await client.until("session.delegation.created")
            await client.send({"type": "session.input_audio.append", "audio": append(SPEECH)["audio"]})
            await client.until("session.output_transcript.delta")
            for kind in ("instructions", "thinking", "commentary"):
                await client.send({"type": f"session.{kind}.append", "content": "x", "delegation_id": None, "event_id": kind})  # fmt: skip
            await client.send({"type": "session.input_audio.mute"})
            await client.send({"type": "session.input_audio.unmute"})
            await client.send({"type": "session.update", "session": {"delegation": {"type": "responses", "acknowledgement_delay_ms": 1}}})  # fmt: skip
            await client.send({"type": "dance"})
            await asyncio.sleep(0.1)
            await client.send({"type": "session.close"})
            await client.until("session.closed")
    assert wrong(live.ServerEvent, client.events) == []
    assert {event["type"] for event in client.events} == {
        "session.started", "session.updated", "session.delegation.created", "response.event", "error",
        "session.input_transcript.delta", "session.output_transcript.delta", "session.output_audio.delta",
        "session.instructions.appended", "session.thinking.appended", "session.commentary.appended",
        "session.input_audio.muted", "session.input_audio.unmuted", "session.closed",
    }  # fmt: skip
