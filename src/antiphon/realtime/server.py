"""`/v1/realtime` and the page, over Starlette and uvicorn: who may come in, how many, and how it ends."""

from __future__ import annotations

import asyncio
import secrets
import signal
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from antiphon.errors import ConfigError, UnavailableError
from antiphon.jsonl import dumps
from antiphon.models.wire.ga.dialect import BETA, GA
from antiphon.realtime.live_session import LiveSession
from antiphon.realtime.meter import Meter
from antiphon.realtime.session import GOING_AWAY, ClientSession, Limits, Stack
from antiphon.report.page import stylesheet

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    import uvicorn
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp
    from starlette.websockets import WebSocket

    from antiphon.realtime.gate import Gate, Refusal

# No page of ours loads anything from elsewhere, or may stand in another site's frame.
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; "
        "media-src 'self' blob:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "microphone=(self)",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
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

    async def drain(self) -> None:
        """Let nobody in any more, and let those who are in finish."""
        self.draining = True
        await asyncio.gather(*(session.drain() for session in list(self.sessions)))
        while self.sessions or self.entering:
            await self.stack.clock.sleep_us(20_000)


class _Wire:
    """Starlette's socket as a session's."""

    def __init__(self, ws: WebSocket) -> None:
        self._ws = ws
        self._gone = False

    async def receive(self) -> str | None:
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
                return _refused(refusal)
            body, kind = build()
            return _response(body, kind)

        return answer

    async def realtime(ws: WebSocket) -> None:
        await _admit(hall, ws, _realtime)

    async def live(ws: WebSocket) -> None:
        await _admit(hall, ws, _live)

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
        WebSocketRoute("/v1/live/sessions", live),
    ]
    return Starlette(routes=routes)


def _realtime(hall: Hall, ws: WebSocket, stack: Stack) -> ClientSession:
    offered = ws.scope.get("subprotocols", [])
    beta = ws.headers.get("openai-beta") == "realtime=v1" or "openai-beta.realtime-v1" in offered
    return ClientSession(
        f"sess_{secrets.token_hex(8)}", stack, _Wire(ws), hall.limits, hall.meter, BETA if beta else GA,
        duplex=ws.query_params.get("duplex") == "1",
    )  # fmt: skip


def _live(hall: Hall, ws: WebSocket, stack: Stack) -> ClientSession:
    name = f"live_{secrets.token_hex(8)}"
    return LiveSession(name, stack, _Wire(ws), hall.limits, hall.meter, GA, duplex=False)


async def _admit(hall: Hall, ws: WebSocket, made: Callable[[Hall, WebSocket, Stack], ClientSession]) -> None:
    """Let a client in, or not; then its session, to the end."""
    offered = ws.scope.get("subprotocols", [])
    refusal = hall.gate.refusal(ws.headers, offered)
    if refusal is None:
        refusal = _full(hall)
    if refusal is not None:
        hall.meter.count("refused", "status", str(refusal.status))
        await ws.send_denial_response(_refused(refusal))
        return
    chosen = next((name for name in _PROTOCOLS if name in offered), None)
    hall.entering += 1  # before the first await: whoever comes meanwhile is counted against the limit too
    try:
        # A detector's network takes 50 ms to load, in which no other session may stand still.
        detector = await asyncio.to_thread(hall.stack.parts.detector)
        stack = replace(hall.stack, parts=replace(hall.stack.parts, detector=lambda: detector))
        session = made(hall, ws, stack)
        hall.sessions.add(session)
    finally:
        hall.entering -= 1
    hall.meter.sessions = len(hall.sessions)
    hall.meter.count("sessions")
    try:
        if hall.draining:
            session.end(GOING_AWAY, "the server is shutting down")
        await ws.accept(subprotocol=chosen)
        await session.run()
    finally:
        hall.sessions.discard(session)
        hall.meter.sessions = len(hall.sessions)


def _full(hall: Hall) -> Refusal | None:
    from antiphon.realtime.gate import Refusal

    if hall.draining:
        return Refusal(503, "the server is shutting down")
    if len(hall.sessions) + hall.entering >= hall.limits.sessions:
        return Refusal(503, f"all {hall.limits.sessions} sessions are taken")
    return None


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


def _response(body: str, kind: str, status: int = 200, more: Mapping[str, str] | None = None) -> Response:
    from starlette.responses import Response

    return Response(body, status, media_type=kind, headers={**_HEADERS, **(more or {})})


def _refused(refusal: Refusal) -> Response:
    code = {401: "invalid_api_key", 403: "forbidden", 503: "overloaded"}.get(refusal.status, "refused")
    error = {"error": {"type": "invalid_request_error", "code": code, "message": refusal.why}}
    more = {"retry-after": "5"} if refusal.status == 503 else {}
    return _response(dumps(error), "application/json", refusal.status, more)


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
