"""The live server of this process on the loopback, for as long as somebody here talks with it."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from antiphon.models.adapters.realtime import open_live
from antiphon.models.uri import parse
from antiphon.realtime.server.gate import KEY_VARIABLE
from antiphon.realtime.server.server import server_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.messages import ToolSpec
    from antiphon.models.adapters.realtime_session import RealtimeSession
    from antiphon.realtime.server.server import Hall


@asynccontextmanager
async def on_loopback(hall: Hall) -> AsyncGenerator[str, None]:
    """The server's URI while it listens on a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = server_of(hall)
    # Ctrl-C belongs to whoever runs this process: the server must not take it for its own.
    setattr(server, "capture_signals", nullcontext)  # noqa: B010 - a method to the type checker
    running = asyncio.create_task(server.serve([listener]))
    try:
        while not server.started and not running.done():  # uvicorn has no event to wait for
            await hall.stack.clock.sleep_us(5_000)
        key = f"&key={KEY_VARIABLE}" if os.environ.get(KEY_VARIABLE) else ""
        yield f"realtime+ws://127.0.0.1:{listener.getsockname()[1]}/v1/realtime?model=engine{key}"
    finally:
        server.should_exit = True
        await running
        listener.close()


@asynccontextmanager
async def talk_with(
    hall: Hall, instructions: str, specs: Sequence[ToolSpec]
) -> AsyncGenerator[RealtimeSession, None]:
    """A session with the engine of `hall`, which takes its own turns. Raises ModelError."""
    async with (
        on_loopback(hall) as uri,
        open_live(parse(uri), hall.stack.clock, instructions, specs) as session,
    ):
        yield session
