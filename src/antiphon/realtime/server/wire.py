"""A WebSocket of Starlette's as a session's socket."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from antiphon.realtime.server.presence import GoneError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.websockets import WebSocket


class Wire:
    """One connection, which may not be open yet."""

    def __init__(self, ws: WebSocket, protocol: str | None, first: Sequence[str]) -> None:
        self._ws, self._protocol = ws, protocol
        self._first = deque(first)  # events before the client's own
        self._gone = False

    async def accept(self, *, recorded: bool) -> None:
        told = [(b"antiphon-recording", b"on")] if recorded else []
        await self._ws.accept(subprotocol=self._protocol, headers=told)

    async def receive(self) -> str | None:
        if self._first:
            return self._first.popleft()
        message = await self._ws.receive()
        if message["type"] == "websocket.disconnect":
            self._gone = True
            # uvicorn calls a connection that was lost 1005, too; only a farewell comes with a reason.
            raise GoneError(message.get("code", 1005) if "reason" in message else 1006)
        text: str | None = message.get("text")
        return text

    async def send(self, text: str) -> None:
        from starlette.websockets import WebSocketDisconnect

        if self._gone:
            raise GoneError(1006)
        try:
            await self._ws.send_text(text)
        except (RuntimeError, OSError, WebSocketDisconnect):
            raise GoneError(1006) from None  # what it said at the end, if anything, is still to be received

    async def close(self, code: int, reason: str) -> None:
        from starlette.websockets import WebSocketDisconnect

        if self._gone:
            return
        self._gone = True
        try:
            async with asyncio.timeout(2):  # a client that reads nothing takes no farewell either
                await self._ws.close(code, reason)
        except (RuntimeError, OSError, TimeoutError, WebSocketDisconnect):
            pass  # it went first
