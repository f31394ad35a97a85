"""The real client openai-python completes text, audio, a tool call, an interruption and a cancel against our server."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.audio.clip import Clip
from antiphon.models.scripted import Asked, Line
from antiphon.models.scripted_sound import words_in
from antiphon.realtime.server.gate import Gate
from tests.realtime.serving import ANSWER, PATIENCE_S, RATE_HZ, noise, served, stack

if TYPE_CHECKING:
    from tests.realtime.serving import Served

openai = pytest.importorskip("openai")

TOOL = {
    "type": "function", "name": "hours", "description": "Opening hours of one day",
    "parameters": {"type": "object", "properties": {"day": {"type": "string"}}},
}  # fmt: skip


def connect(server: Served, key: str = "no key needed", **query: str) -> Any:
    client = openai.AsyncOpenAI(
        api_key=key, base_url=f"http://127.0.0.1:{server.port}/v1", websocket_base_url=server.url
    )
    return client.realtime.connect(
        model="antiphon", extra_query=query, websocket_connection_options={"close_timeout": 0.5}
    )


async def until(connection: Any, kind: str) -> tuple[Any, list[Any]]:
    """The next event of this kind, and all that came before."""
    events: list[Any] = []
    async with asyncio.timeout(PATIENCE_S):
        async for event in connection:
            events.append(event)
            if event.type == kind:
                return event, events
    raise AssertionError(f"the session ended without {kind}")


async def ask(connection: Any, text: str) -> None:
    part = {"type": "input_text", "text": text}
    await connection.conversation.item.create(item={"type": "message", "role": "user", "content": [part]})
    await connection.response.create()


async def test_text():
    async with served(stack([Line(text="At nine.")])) as server, connect(server) as connection:
        await connection.session.update(session={"type": "realtime", "output_modalities": ["text"]})
        await ask(connection, "When?")
        done, events = await until(connection, "response.done")
        assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == "At nine."
        assert done.response.status == "completed"
        assert done.response.output[0].content[0].text == "At nine."


async def test_audio():
    async with served(stack([Line(text="At nine.")])) as server, connect(server) as connection:
        await ask(connection, "When?")
        done, events = await until(connection, "response.done")
        pcm = b"".join(base64.b64decode(e.delta) for e in events if e.type == "response.output_audio.delta")
        assert words_in(Clip.from_pcm16(pcm, RATE_HZ)) == "At nine. "
        assert done.response.output[0].content[0].transcript == "At nine."


async def test_a_tool_call():
    lines = [
        Line(match="When", tool_calls=(Asked("hours", {"day": "Monday"}, id="call_1"),)),
        Line(text="At nine."),
    ]
    async with served(stack(lines)) as server, connect(server) as connection:
        await connection.session.update(session={"type": "realtime", "tools": [TOOL]})
        await ask(connection, "When?")
        done, _ = await until(connection, "response.done")
        call = done.response.output[0]
        assert (call.type, call.name, json.loads(call.arguments)) == (
            "function_call",
            "hours",
            {"day": "Monday"},
        )
        await connection.conversation.item.create(
            item={"type": "function_call_output", "call_id": call.call_id, "output": '{"opens": 9}'}
        )
        await connection.response.create()
        done, _ = await until(connection, "response.done")
        assert done.response.output[0].content[0].transcript == "At nine."


async def test_an_interruption():
    async with served(stack([Line(text=ANSWER * 3)])) as server, connect(server) as connection:
        await ask(connection, "Tell me everything.")
        first, _ = await until(connection, "response.output_audio.delta")
        pcm = noise(2500)
        sender = asyncio.create_task(stream(connection, pcm))
        await until(connection, "input_audio_buffer.speech_started")
        # What a stock client does now: it stops its player and says how much of the item was heard.
        await connection.conversation.item.truncate(item_id=first.item_id, content_index=0, audio_end_ms=100)
        done, events = await until(connection, "response.done")
        if not any(event.type == "conversation.item.truncated" for event in events):
            await until(connection, "conversation.item.truncated")
        sender.cancel()
        assert (done.response.status, done.response.status_details.reason) == ("cancelled", "turn_detected")


async def stream(connection: Any, pcm: bytes) -> None:
    for at in range(0, len(pcm), 960):
        await connection.input_audio_buffer.append(audio=base64.b64encode(pcm[at : at + 960]).decode())
        await asyncio.sleep(0.02)


async def test_a_cancel():
    async with served() as server, connect(server) as connection:
        await ask(connection, "Go on.")
        await until(connection, "response.output_audio.delta")
        await connection.response.cancel()
        done, _ = await until(connection, "response.done")
        assert (done.response.status, done.response.status_details.reason) == (
            "cancelled",
            "client_cancelled",
        )


async def test_its_key_opens_and_a_wrong_one_does_not():
    gate = Gate("a long enough key")
    async with served(gate=gate) as server:
        async with connect(server, key="a long enough key") as connection:
            await until(connection, "session.created")
        with pytest.raises(Exception, match="401"):
            async with connect(server, key="another key at all"):
                pass
