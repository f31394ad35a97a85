"""A live session of this process, spoken to in the Realtime protocol without a network."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from websockets.exceptions import ConnectionClosedOK
from websockets.frames import Close

from antiphon.models.adapters.realtime_chat import Setup
from antiphon.models.adapters.realtime_session import RealtimeSession, session_over
from antiphon.models.adapters.realtime_socket import Address
from antiphon.models.wire.ga.client import SessionUpdate
from antiphon.models.wire.ga.dialect import GA
from antiphon.realtime.session import ClientSession, Wishes

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.messages import ToolSpec
    from antiphon.realtime.server import Hall

_WITHIN_S = 60.0


class Pipe:
    """One end is the server's socket (`receive`, `send`, `close`), `Client` the other."""

    def __init__(self) -> None:
        self.to_server: asyncio.Queue[str | None] = asyncio.Queue()
        self.to_client: asyncio.Queue[str | None] = asyncio.Queue()

    async def receive(self) -> str | None:
        text = await self.to_server.get()
        if text is None:
            raise EOFError
        return text

    async def send(self, text: str) -> None:
        self.to_client.put_nowait(text)

    async def close(self, code: int, reason: str) -> None:
        del code, reason
        self.to_client.put_nowait(None)


class Client:
    """The client's end, as the Realtime adapter knows sockets."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._over = False

    async def recv(self) -> str:
        text = None if self._over else await self._pipe.to_client.get()
        if text is None:
            self._over = True
            raise ConnectionClosedOK(Close(1000, ""), None)
        return text

    async def send(self, text: str) -> None:
        if self._over:
            raise ConnectionClosedOK(Close(1000, ""), None)
        self._pipe.to_server.put_nowait(text)

    async def close(self) -> None:
        self._over = True
        self._pipe.to_server.put_nowait(None)
        self._pipe.to_client.put_nowait(None)


@asynccontextmanager
async def talk_with(
    hall: Hall, name: str, instructions: str, specs: Sequence[ToolSpec]
) -> AsyncGenerator[RealtimeSession, None]:
    """A session with the engine of `hall`, which takes its own turns. Raises ModelError."""
    pipe = Pipe()
    server = ClientSession(f"sess_{secrets.token_hex(8)}", hall.stack, hall.limits, hall.meter, GA, Wishes())
    running = asyncio.create_task(server.run(pipe))
    address = Address(url="in-process:", name=name, clock=hall.stack.clock)
    session = session_over(address, GA, cast("Any", Client(pipe)))
    setup = Setup(address, GA, frozenset({"text", "speech"}))
    try:
        wanted = setup.session(instructions, specs, speech=True, by_hand=False)
        await session.begin(SessionUpdate(session=wanted), {}, _WITHIN_S)
        yield session
    finally:
        await session.aclose()
        await running
