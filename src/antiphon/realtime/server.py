"""`/v1/realtime` and the page, over Starlette and uvicorn: who may come in, how many, and how it ends."""

from __future__ import annotations

import asyncio
import secrets
import signal
import socket
import threading
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

from antiphon.errors import ConfigError, UnavailableError
from antiphon.jsonl import dumps
from antiphon.models.wire.ga.dialect import BETA, GA
from antiphon.realtime.calls import Calls, Desk
from antiphon.realtime.client_secrets import Secrets
from antiphon.realtime.gate import Refusal, given
from antiphon.realtime.meter import Meter
from antiphon.realtime.responses import refused, response
from antiphon.realtime.session import GOING_AWAY, ClientSession, Limits, Socket, Stack
from antiphon.report.page import stylesheet

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    import uvicorn
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp
    from starlette.websockets import WebSocket

    from antiphon.models.wire.ga.dialect import Dialect
    from antiphon.realtime.gate import Gate

_PAGE = {
    "/": ("index.html", "text/html"),
    "/page.js": ("page.js", "text/javascript"),
    "/lanes.js": ("lanes.js", "text/javascript"),
    "/worklet.js": ("worklet.js", "text/javascript"),
    "/page.css": ("page.css", "text/css"),
}
_PROTOCOLS = ("realtime", "openai-beta.realtime-v1")


@dataclass
class Hall:
    """All sessions of one server."""

    stack: Stack
    gate: Gate
    limits: Limits = field(default_factory=Limits)
    meter: Meter = field(default_factory=Meter)
    sessions: set[ClientSession] = field(default_factory=set[ClientSession])
    entering: int = 0
    draining: bool = False
    ice_servers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.secrets = Secrets(self.stack.clock)
        self.calls = Calls(
            lambda call, name: hold(self, call, name, GA, duplex=True), self.stack.clock, self.ice_servers
        )

    def refusal(self, headers: Mapping[str, str], protocols: Sequence[str] = ()) -> Refusal | None:
        """Why no session may begin for these headers now; None where one may."""
        refusal = self.gate.refusal(headers, protocols)
        if refusal is not None and (
            refusal.status != 401 or self.secrets.find(given(headers, protocols)) is None
        ):
            return refusal
        if self.draining:
            return Refusal(503, "the server is shutting down")
        if len(self.sessions) + self.entering + self.calls.ringing >= self.limits.sessions:
            return Refusal(503, f"all {self.limits.sessions} sessions are taken")
        return None

    async def drain(self) -> None:
        """Let nobody in any more, and let those who are in finish."""
        self.draining = True
        await asyncio.gather(*(session.drain() for session in list(self.sessions)))
        while self.sessions or self.entering:
            await self.stack.clock.sleep_us(20_000)


class _Wire:
    """Starlette's socket as a session's."""

    def __init__(self, ws: WebSocket, protocol: str | None, first: Sequence[str]) -> None:
        self._ws, self._protocol = ws, protocol
        self._first = deque(first)  # events before the client's own
        self._gone = False

    async def accept(self) -> None:
        await self._ws.accept(subprotocol=self._protocol)

    async def receive(self) -> str | None:
        if self._first:
            return self._first.popleft()
        message = await self._ws.receive()
        if message["type"] == "websocket.disconnect":
            self._gone = True
            raise EOFError
        text: str | None = message.get("text")
        return text

    async def send(self, text: str) -> None:
        if self._gone:
            raise EOFError
        await self._ws.send_text(text)

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


def app(hall: Hall) -> ASGIApp:
    """The server's routes. Raises UnavailableError without antiphon[server]."""
    need_server()
    from starlette.applications import Starlette
    from starlette.routing import Route, WebSocketRoute

    def served(build: Callable[[], tuple[str, str]], *, sealed: bool) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            refusal = hall.gate.refusal(request.headers, sealed=sealed)
            if refusal is not None:
                return refused(refusal)
            body, kind = build()
            return response(body, kind)

        return answer

    async def realtime(ws: WebSocket) -> None:
        await _realtime(hall, ws)

    routes: list[Any] = [
        Route(path, served(lambda name=name, kind=kind: (_page_file(name), kind), sealed=False))
        for path, (name, kind) in _PAGE.items()
    ]
    routes += [
        Route("/theme.css", served(lambda: (stylesheet(), "text/css"), sealed=False)),
        Route("/health", served(lambda: (_health(hall), "application/json"), sealed=False)),
        Route("/metrics", served(lambda: (hall.meter.text(), "text/plain; version=0.0.4"), sealed=True)),
        Route("/v1/models", served(lambda: (_models(hall), "application/json"), sealed=True)),
        WebSocketRoute("/v1/realtime", realtime),
        *Desk(hall.calls, hall.secrets, hall.refusal, hall.gate.refusal).routes(),
    ]
    return Starlette(routes=routes)


async def _realtime(hall: Hall, ws: WebSocket) -> None:
    offered = ws.scope.get("subprotocols", [])
    refusal = hall.refusal(ws.headers, offered)
    if refusal is not None:
        hall.meter.count("refused", "status", str(refusal.status))
        await ws.send_denial_response(refused(refusal))
        return
    beta = ws.headers.get("openai-beta") == "realtime=v1" or "openai-beta.realtime-v1" in offered
    chosen = next((name for name in _PROTOCOLS if name in offered), None)
    secret = hall.secrets.find(given(ws.headers, offered))
    first = [] if secret is None else [dumps({"type": "session.update", "session": secret.session})]
    await hold(
        hall, _Wire(ws, chosen, first), f"sess_{secrets.token_hex(8)}", BETA if beta else GA,
        duplex=ws.query_params.get("duplex") == "1",
    )  # fmt: skip


class _Door(Socket, Protocol):
    """A connection that is not open yet."""

    async def accept(self) -> None: ...


async def hold(hall: Hall, wire: _Door, name: str, dialect: Dialect, *, duplex: bool) -> None:
    """One session on a socket, from admission to its end."""
    hall.entering += 1  # before the first await: whoever comes meanwhile is counted against the limit too
    try:
        # A detector's network takes 50 ms to load, in which no other session may stand still.
        detector = await asyncio.to_thread(hall.stack.parts.detector)
        stack = replace(hall.stack, parts=replace(hall.stack.parts, detector=lambda: detector))
        session = ClientSession(name, stack, wire, hall.limits, hall.meter, dialect, duplex=duplex)
        hall.sessions.add(session)
    finally:
        hall.entering -= 1
    hall.meter.sessions = len(hall.sessions)
    hall.meter.count("sessions")
    try:
        if hall.draining:
            session.end(GOING_AWAY, "the server is shutting down")
        await wire.accept()
        await session.run()
    finally:
        hall.sessions.discard(session)
        hall.meter.sessions = len(hall.sessions)


def _page_file(name: str) -> str:
    return files("antiphon.realtime").joinpath("page", name).read_text("utf-8")


def _health(hall: Hall) -> str:
    state = "draining" if hall.draining else "ok"
    return dumps(
        {
            "status": state,
            "sessions": len(hall.sessions),
            "model": hall.stack.name,
            "locked": hall.gate.key is not None,
        }
    )


def _models(hall: Hall) -> str:
    model = {"id": hall.stack.name, "object": "model", "created": 0, "owned_by": "antiphon"}
    return dumps({"object": "list", "data": [model]})


def need_server() -> None:
    """Raises UnavailableError where the extra is missing."""
    try:
        import starlette
        import uvicorn
    except ImportError:
        raise UnavailableError(
            "serving needs starlette and uvicorn", "pip install 'antiphon[server]'"
        ) from None
    del starlette, uvicorn


def serve(hall: Hall, *, host: str, port: int, announce: Callable[[str], object]) -> None:
    """Serve until Ctrl-C or SIGTERM, then drain; a second signal ends at once. `port` 0 takes a free one.

    Raises ConfigError for an address that cannot be had.
    """
    need_server()
    try:
        listener = socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        )
    except OSError as error:
        raise ConfigError(
            f"{host} port {port} cannot be had ({error.strerror}); choose another --port, 0 for any"
        ) from error
    with listener:
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listener.getsockname()[1]}/")
        asyncio.run(_serve(hall, listener))


async def _serve(hall: Hall, listener: socket.socket) -> None:
    await server_of(hall).serve([listener])


def server_of(hall: Hall) -> uvicorn.Server:
    """The server before it listens: it drains on the first signal, where uvicorn would close every socket."""
    import uvicorn

    class Server(uvicorn.Server):
        leaving: asyncio.Task[None] | None = None

        @contextmanager
        def capture_signals(self) -> Generator[None]:
            if threading.current_thread() is not threading.main_thread():  # no place for signals
                yield
                return
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.handle_exit, number, None)
            try:
                yield
            finally:
                for number in (signal.SIGINT, signal.SIGTERM):
                    loop.remove_signal_handler(number)

        def handle_exit(self, sig: int, frame: Any) -> None:
            del sig, frame
            if self.leaving is not None:
                self.should_exit = self.force_exit = True
                return
            self.leaving = asyncio.get_running_loop().create_task(self._leave())

        async def _leave(self) -> None:
            await hall.drain()
            self.should_exit = True

    return Server(
        uvicorn.Config(
            app(hall),
            log_level="warning",
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=hall.limits.frame_bytes,
            ws_ping_interval=20,
            ws_ping_timeout=20,
            timeout_graceful_shutdown=5,
        )
    )
