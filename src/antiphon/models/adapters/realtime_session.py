"""A `LiveSession` with any Realtime endpoint: a socket, a codec, and arrival times."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from websockets.exceptions import ConnectionClosed

from antiphon.errors import ModelError, WireError
from antiphon.live import Cancel, LiveError
from antiphon.models.wire import live
from antiphon.models.wire.ga import server
from antiphon.models.wire.ga.client import SessionUpdate
from antiphon.models.wire.ga.codec import dump, parse, read_server, write
from antiphon.models.wire.ga.failures import meaning
from antiphon.models.wire.ga.talk import Talk
from antiphon.models.wire.openai_chat import one_line

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence

    from websockets.asyncio.client import ClientConnection

    from antiphon.live import ClientEvent, ServerEvent
    from antiphon.models.adapters.realtime_socket import Address
    from antiphon.models.wire.ga.dialect import Dialect
    from antiphon.models.wire.ga.shapes import Event, Session, Unknown


class Dialogue(Protocol):
    """A session's memory: live events become the protocol's, and back (`ga.talk`, `live_talk`)."""

    in_hz: int
    answering: bool

    def send(self, event: ClientEvent) -> Sequence[Event | Unknown]: ...
    def hear(self, event: Any, t_us: int) -> Sequence[ServerEvent]: ...


@dataclass(frozen=True, slots=True)
class Tongue:
    """How events are read and written, and which of the server's says that the settings hold."""

    read: Callable[[str | bytes], Event | Unknown]
    write: Callable[[Event | Unknown], str | None]
    settled: type[Event]


class RealtimeSession:
    """One open session. Times count from its opening, and are those of arrival: a task of its own reads
    the socket, so that nobody's slowness is taken for the endpoint's. Get one from `open_session`."""

    def __init__(self, address: Address, tongue: Tongue, talk: Dialogue, socket: ClientConnection) -> None:
        self.rate_hz = talk.in_hz
        self._address = address
        self._tongue = tongue
        self._socket = socket
        self._started_us = address.clock.mono_us()
        self._talk = talk
        self._came: asyncio.Queue[ServerEvent | None] = asyncio.Queue()
        self._reader: asyncio.Task[None] | None = None
        self._closing = False

    def now_us(self) -> int:
        """Time since the session was opened."""
        return self._address.clock.mono_us() - self._started_us

    async def send(self, event: ClientEvent) -> None:
        """Raises ModelError when the session is over, ConfigError for sound at another rate."""
        try:
            events = self._talk.send(event)
        except ValueError as error:
            raise ModelError(self._address.name, str(error)) from None
        for sent in events:
            if (text := self._tongue.write(sent)) is not None:
                await self._write(text)

    async def _write(self, text: str) -> None:
        try:
            await self._socket.send(text)
        except ConnectionClosed as error:
            raise self._address.lost(error) from None

    async def events(self) -> AsyncIterator[ServerEvent]:
        """What comes, in order; it ends with the session, after a fatal `LiveError` if that broke."""
        while (event := await self._came.get()) is not None:
            yield event
        self._came.put_nowait(None)

    async def begin(self, opening: Event, extra: Mapping[str, Any], within_s: float) -> None:
        """Set the session up and wait until that holds. Raises ModelError."""
        text = self._tongue.write(opening) or ""
        if extra:
            body = parse(text)
            merged = {**body["session"], **extra}
            body["session"] = {
                name: value for name, value in merged.items() if name not in extra or value is not None
            }
            text = dump(body)
        await self._write(text)
        try:
            async with asyncio.timeout(within_s):
                await self._settled()
        except TimeoutError:
            raise self._address.silent(within_s) from None
        self._reader = asyncio.create_task(self._read())

    async def _settled(self) -> None:
        name = self._address.name
        while True:
            try:
                event = self._tongue.read(await self._socket.recv())
            except WireError as error:
                raise ModelError(name, f"speaks no Realtime: {one_line(str(error), 160)}") from None
            except ConnectionClosed as error:
                raise self._address.lost(error) from None
            if isinstance(event, server.Error | live.Error):
                failure = meaning(event.error, 0)
                raise ModelError(
                    name,
                    self._address.hide(failure.text),
                    transient=failure.transient,
                    retry_after_us=failure.retry_after_us,
                )
            self._hear(event)
            if isinstance(event, self._tongue.settled):
                return

    def _hear(self, event: Event | Unknown) -> None:
        for heard in self._talk.hear(event, self.now_us()):
            if isinstance(heard, LiveError):
                heard = replace(heard, text=self._address.hide(heard.text))
            self._came.put_nowait(heard)

    async def _read(self) -> None:
        closed: ConnectionClosed | None = None
        try:
            while True:
                data = await self._socket.recv()
                try:
                    self._hear(self._tongue.read(data))
                except WireError as error:
                    shown = f"sent what is no event: {one_line(str(error), 160)}"
                    self._came.put_nowait(LiveError(self.now_us(), shown, fatal=False))
        except ConnectionClosed as error:
            closed = error
        finally:
            if not self._closing:
                lost = self._address.lost(closed)
                self._came.put_nowait(LiveError(self.now_us(), lost.problem, True, lost.transient))
            self._came.put_nowait(None)

    async def aclose(self) -> None:
        """Cancel an answer under way, and close."""
        self._closing = True
        with suppress(ModelError, TimeoutError):
            if self._talk.answering:
                async with asyncio.timeout(1.0):
                    await self.send(Cancel())
        await self._socket.close()
        if self._reader is not None:
            await self._reader


def session_over(address: Address, dialect: Dialect, socket: ClientConnection) -> RealtimeSession:
    """A session on a connection that is open; `begin` it."""
    tongue = Tongue(
        partial(read_server, dialect=dialect), partial(write, dialect=dialect), server.SessionUpdated
    )
    return RealtimeSession(address, tongue, Talk(dialect.in_hz, dialect.out_hz), socket)


@asynccontextmanager
async def open_session(
    address: Address,
    dialect: Dialect,
    settings: Session,
    *,
    extra: Mapping[str, Any] | None = None,
    within_s: float | None = None,
) -> AsyncGenerator[RealtimeSession, None]:
    """A session whose settings hold. `extra` is merged into the settings last; a None there removes.
    Raises ModelError."""
    waits_s = address.timeout_s if within_s is None else min(within_s, address.timeout_s)
    called_us = address.clock.mono_us()
    socket = await address.connect(waits_s)
    session = session_over(address, dialect, socket)
    try:
        left_s = waits_s - (address.clock.mono_us() - called_us) / 1e6
        await session.begin(SessionUpdate(session=settings), extra or {}, max(0.0, left_s))
        yield session
    finally:
        await session.aclose()
