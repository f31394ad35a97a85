"""A session's client, there, away, and there again: one connection at a time, and what happens between two."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Protocol

from antiphon.realtime.live.outbox import Outbox

if TYPE_CHECKING:
    from antiphon.realtime.meter import Meter

TAKEN_OVER = 4001
_FAREWELLS = (1000, 1005)  # a client that closes so does not mean to come back


class Socket(Protocol):
    """A connection. `receive` gives a text, None for anything else than text; both raise EOFError at the end,
    a GoneError where the client may come back."""

    async def receive(self) -> str | None: ...
    async def send(self, text: str) -> None: ...
    async def close(self, code: int, reason: str) -> None: ...


class GoneError(EOFError):
    """The connection is over; `code` is what the client said, 1006 where it said nothing."""

    def __init__(self, code: int) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


class Host(Protocol):
    """The session, as far as its client's comings and goings concern it."""

    async def read(self, socket: Socket) -> None: ...
    def left(self) -> None: ...
    def came_back(self, number: int) -> None: ...


class Presence:
    """`resume_s` 0: a client that lost its connection cannot come back, and nothing is kept for it."""

    def __init__(
        self, host: Host, meter: Meter, resume_s: float, kept_bytes: int, token: str | None = None
    ) -> None:
        """`token`: the one that the client has from another server."""
        self._host, self._meter, self.resume_s = host, meter, resume_s
        self.token = (token or secrets.token_urlsafe(24)) if resume_s > 0 else None
        self.outbox = Outbox(kept_bytes if self.token else 0)
        self.ended: asyncio.Future[tuple[int, str]] = asyncio.get_running_loop().create_future()
        self._closed = asyncio.Event()
        self._socket: Socket | None = None
        self._talk: asyncio.Task[int] | None = None  # over that socket
        self._alone: asyncio.TimerHandle | None = None

    @property
    def alone(self) -> bool:
        """Whether the session waits for its client to come back."""
        return self._alone is not None

    @property
    def there(self) -> bool:
        """Whether a client is connected."""
        return self._socket is not None

    def end(self, code: int, reason: str) -> None:
        """Close soon, with this code and reason. The first reason counts."""
        if not self.ended.done():
            self.ended.set_result((code, reason[:120]))

    async def attach(self, socket: Socket, after: int | None = None) -> None:
        """Serve this connection until it is over. It takes the session from the one before. `after` is the number
        of the last event that a client which comes back has got; None: of the last that left."""
        before, self._socket = self._socket, socket
        if (talk := self._talk) is not None:
            talk.cancel()
            await asyncio.wait([talk])
        if before is not None:
            await before.close(TAKEN_OVER, "another connection has taken the session over")
        if self._socket is socket and not self.ended.done():
            if talk is not None:
                self._return(after)
            await self._serve(socket)
        if self.ended.done():
            await self._closed.wait()

    async def _serve(self, socket: Socket) -> None:
        self._talk = talk = asyncio.create_task(self._converse(socket))
        try:
            await asyncio.wait([talk])
        finally:
            talk.cancel()
        if self._socket is not socket or self.ended.done() or talk.cancelled():
            return
        self._socket = None
        if talk.exception() is not None:
            self.end(1011, "the session broke")
        else:
            self._leave(talk.result())
        await socket.close(*(self.ended.result() if self.ended.done() else (1000, "")))

    async def _converse(self, socket: Socket) -> int:
        """Read and write; the code with which the client has closed."""
        work = [
            asyncio.create_task(part) for part in (self._host.read(socket), self.outbox.write(socket.send))
        ]
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
        try:
            for task in done:
                task.result()
        except GoneError as gone:
            return gone.code
        except EOFError:
            pass
        return 1000

    def _leave(self, code: int) -> None:
        if code in _FAREWELLS or self.token is None:
            self.end(1000, "")
            return
        self._meter.count("lost")
        self._host.left()
        loop = asyncio.get_running_loop()
        self._alone = loop.call_later(self.resume_s, self.end, 1000, "nobody came back")

    def _return(self, after: int | None) -> None:
        self._meter.count("resumed")
        if self._alone is not None:
            self._alone.cancel()
            self._alone = None
        else:
            self._host.left()  # the old connection has not noticed that it is dead
        self._host.came_back(self.outbox.last_sent() if after is None else after)

    async def close(self, code: int, reason: str) -> None:
        """Let the client go, if it is there, and everybody who waits for that."""
        self.end(code, reason)
        if self._alone is not None:
            self._alone.cancel()
        if self._talk is not None:
            self._talk.cancel()
            await asyncio.wait([self._talk])
        if self._socket is not None:
            await self._socket.close(*self.ended.result())
        self._closed.set()
