"""One bad client harms no other: whatever it sends, another session's sound comes in time."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosed

from antiphon.models.scripted import Line
from antiphon.realtime.server.stack import Limits
from tests.realtime.serving import Client, Served, append, noise, quiet, served, stack

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ANSWER = "This is what the good client hears meanwhile."
LATE_S = 1.0  # that a loaded machine may be late anyway; a client that hogs the server makes it many seconds


async def floods(server: Served) -> None:
    """As many small events as go through."""
    async with server.client() as socket:
        await until_closed(socket.send, json.dumps({"type": "conversation.item.retrieve", "item_id": "no"}))


async def sends_garbage(server: Served) -> None:
    async with server.client() as socket:
        await until_closed(socket.send, b"\xff" * 1000)


async def shouts(server: Served) -> None:
    """Sound a hundred times faster than time goes, in the largest pieces that are let in."""
    async with server.client() as socket:
        piece = json.dumps(append((noise(400) + quiet(400)) * 16))
        await until_closed(socket.send, piece)


async def fills_the_history(server: Served) -> None:
    async with server.client() as socket:
        output = "x" * 900_000
        item = {"type": "function_call_output", "call_id": "none", "output": output}
        await until_closed(socket.send, json.dumps({"type": "conversation.item.create", "item": item}))


async def never_reads(server: Served) -> None:
    async with server.client(max_queue=1) as socket:
        part = {"type": "input_text", "text": "x" * 300_000}
        item = {"type": "message", "role": "user", "id": "long", "content": [part]}
        await socket.send(json.dumps({"type": "conversation.item.create", "item": item}))
        await until_closed(socket.send, '{"type": "conversation.item.retrieve", "item_id": "long"}')
        socket.transport.abort()


async def sends_half_a_frame(server: Served) -> None:
    """A frame that says it is long, of which only the beginning comes, very slowly."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    key = base64.b64encode(os.urandom(16)).decode()
    writer.write(
        f"GET /v1/realtime?model=m HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    writer.write(bytes([0x81, 0x80 | 126, 0x80, 0x00, 1, 2, 3, 4]))
    try:
        while True:
            writer.write(b"x")
            await asyncio.sleep(0.05)
    finally:
        writer.close()


async def until_closed(send: Callable[[Any], Awaitable[None]], what: Any) -> None:
    with suppress(ConnectionClosed):
        while True:
            await send(what)
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    "misbehave",
    [
        floods,
        sends_garbage,
        shouts,
        fills_the_history,
        sends_half_a_frame,
        pytest.param(never_reads, marks=pytest.mark.slow),  # its last connection lives until a ping is missed
    ],
)
async def test_a_bad_client_does_not_hold_up_a_good_one(misbehave):
    loop = asyncio.get_running_loop()
    limits = Limits(unsent_bytes=1 << 20, history_bytes=4 << 20, resume_s=0)
    async with served(stack([Line(text=ANSWER)]), limits) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        await client.until("duplex.session")
        bad = asyncio.create_task(again(server, misbehave))
        await asyncio.sleep(0.2)
        await client.type("Tell me.")
        await client.until("response.output_audio.delta")
        began = loop.time()
        late_s, frames = 0.0, 1
        while (await client.until_any())["type"] != "response.done":
            if client.events[-1]["type"] == "response.output_audio.delta":
                # The first ten came at once: the lead of a fifth of a second.
                late_s = max(late_s, loop.time() - began - 0.02 * max(0, frames - 10))
                frames += 1
        bad.cancel()
        with suppress(asyncio.CancelledError):
            await bad
        assert frames * 20 >= len(ANSWER) * 40
        assert late_s < LATE_S
        assert client.events[-1]["response"]["status"] == "completed"


async def again(server: Served, misbehave: Callable[[Served], Awaitable[None]]) -> None:
    """It comes back as soon as it is thrown out."""
    while True:
        with suppress(ConnectionClosed, OSError):
            await misbehave(server)
        await asyncio.sleep(0.01)


async def test_what_a_client_may_put_into_a_session_has_an_end():
    async with served(limits=Limits(history_bytes=100_000)) as server, server.client() as socket:
        client = Client(socket)
        part = {"type": "input_text", "text": "x" * 40_000}
        for _ in range(3):
            item = {"type": "message", "role": "user", "content": [part]}
            await client.send({"type": "conversation.item.create", "item": item})
        error = (await client.until("error"))["error"]
        assert error["message"].endswith("a session takes 100000 bytes of items at most")
        assert client.kinds().count("conversation.item.added") == 2
