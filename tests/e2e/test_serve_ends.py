"""A server process that is told to end while it hears many people at once."""

from __future__ import annotations

import asyncio
import json
import signal
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from antiphon.audio.vad_crowd import ALONE
from tests.realtime.processes import process
from tests.realtime.serving import append, noise

SHOUT = json.dumps(append(noise(8000)))  # more in one piece than the network answers before the end


async def shout(socket) -> None:
    with suppress(ConnectionClosed):
        while True:
            await socket.send(SHOUT)


async def read(socket) -> None:
    with suppress(ConnectionClosed):
        while True:
            await socket.recv()


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_server_that_many_shout_at_ends_well(number: int):
    """Their windows are in Silero's thread when the process ends: without a join it aborted three times in four."""
    pytest.importorskip("onnxruntime", reason="pip install 'antiphon[local]'")
    async with process() as server:
        sockets = [await server.client() for _ in range(ALONE + 4)]
        people = [asyncio.create_task(act(socket)) for socket in sockets for act in (shout, read)]
        await asyncio.sleep(2)
        assert await server.end(number) == (0, "loading the models\n")
        await asyncio.gather(*people)
