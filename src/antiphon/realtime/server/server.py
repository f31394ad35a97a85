"""`/v1/realtime` and the page, over Starlette and uvicorn: who may come in, how many, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import secrets
import signal
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

from antiphon.errors import ConfigError, UnavailableError
from antiphon.jsonl import dumps
from antiphon.models.wire.ga.dialect import BETA, GA
from antiphon.realtime.meter import Meter
from antiphon.realtime.server.calls import Calls, Desk
from antiphon.realtime.server.client_secrets import Secrets
from antiphon.realtime.server.gate import Refusal, given
from antiphon.realtime.server.live_session import LiveSession
from antiphon.realtime.server.presence import Socket
from antiphon.realtime.server.responses import refused, response
from antiphon.realtime.server.returning import Return, Returns
from antiphon.realtime.server.session import ClientSession
from antiphon.realtime.server.stack import Back, Limits, Stack, Wishes
from antiphon.realtime.server.wire import Wire
from antiphon.report.page import stylesheet

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    import uvicorn
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp
    from starlette.websockets import WebSocket

    from antiphon.clock import Clock
    from antiphon.models.wire.ga.dialect import Dialect
    from antiphon.realtime.recording.archive import Archive
    from antiphon.realtime.server.gate import Gate
    from antiphon.realtime.server.kept_sessions import KeptSessions
    from antiphon.realtime.server.webrtc import Call

_PAGE = {
    "/": ("index.html", "text/html"),
    "/page.js": ("page.js", "text/javascript"),
    "/lanes.js": ("lanes.js", "text/javascript"),
    "/panels.js": ("panels.js", "text/javascript"),
    "/sound.js": ("sound.js", "text/javascript"),
    "/reconnect.js": ("reconnect.js", "text/javascript"),
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
        self.returns = Returns(self)
        self.calls = Calls(
            self._hold_call, self.stack.clock, self.ice_servers, records=self.stack.record is not None
        )

    async def _hold_call(self, call: Call, name: str) -> None:
        coming = await self.returns.of(call.back) if call.back else None
        if isinstance(coming, Refusal):  # since the offer was answered
            return
        if coming is not None:
            call.goes_on(coming.session.response if isinstance(coming, Return) else None)
            await _let_back(self, call, coming, GA)
            return
        wishes = Wishes(duplex=True, resume=call.duplex, record=call.record)
        await hold(self, call, lambda stack: ClientSession(name, stack, self.limits, self.meter, GA, wishes))

    def stranger(self, headers: Mapping[str, str], protocols: Sequence[str] = ()) -> Refusal | None:
        """Why who sends these headers may not come in; None where they show a key that opens."""
        refusal = self.gate.refusal(headers, protocols)
        if refusal is None or (
            refusal.status == 401 and self.secrets.find(given(headers, protocols)) is not None
        ):
            return None
        return refusal

    def full(self) -> Refusal | None:
        """Why nobody may come in just now."""
        if self.draining:
            return Refusal(503, "the server is shutting down")
        if len(self.sessions) + self.entering + self.calls.ringing >= self.limits.sessions:
            return Refusal(503, f"all {self.limits.sessions} sessions are taken")
        return None

    def refusal(self, headers: Mapping[str, str], protocols: Sequence[str] = ()) -> Refusal | None:
        """Why no session may begin for these headers now; None where one may."""
        return self.stranger(headers, protocols) or self.full()

    async def drain(self) -> None:
        """Let nobody in any more, and let those who are in finish."""
        self.draining = True
        await asyncio.gather(*(session.drain() for session in list(self.sessions)))
        while self.sessions or self.entering:
            await self.stack.clock.sleep_us(20_000)


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
        *Desk(hall.calls, hall.secrets, hall, hall.gate.refusal).routes(),
        WebSocketRoute("/v1/live/sessions", live),
    ]
    return Starlette(routes=routes)


def _realtime(hall: Hall, ws: WebSocket, stack: Stack) -> ClientSession:
    duplex = ws.query_params.get("duplex") == "1"
    wishes = Wishes(duplex=duplex, resume=duplex, record=ws.query_params.get("record") != "0")
    name = f"sess_{secrets.token_hex(8)}"
    return ClientSession(name, stack, hall.limits, hall.meter, _dialect(ws), wishes)


def _dialect(ws: WebSocket) -> Dialect:
    offered = ws.scope.get("subprotocols", [])
    beta = ws.headers.get("openai-beta") == "realtime=v1" or "openai-beta.realtime-v1" in offered
    return BETA if beta else GA


def _live(hall: Hall, ws: WebSocket, stack: Stack) -> ClientSession:
    wishes = Wishes(record=ws.query_params.get("record") != "0")
    return LiveSession(f"live_{secrets.token_hex(8)}", stack, hall.limits, hall.meter, GA, wishes)


async def _admit(hall: Hall, ws: WebSocket, made: Callable[[Hall, WebSocket, Stack], ClientSession]) -> None:
    """Let a client in, or not; then its session, to the end."""
    offered = ws.scope.get("subprotocols", [])
    asked = ws.query_params
    refusal = hall.stranger(ws.headers, offered)
    coming = await hall.returns.of(asked) if refusal is None and "session" in asked else None
    if refusal is None:
        refusal = coming if isinstance(coming, Refusal) else hall.full() if coming is None else None
    if refusal is not None:
        hall.meter.count("refused", "status", str(refusal.status))
        await ws.send_denial_response(refused(refusal))
        return
    chosen = next((name for name in _PROTOCOLS if name in offered), None)
    if isinstance(coming, Return | Back):
        await _let_back(hall, Wire(ws, chosen, ()), coming, _dialect(ws))
        return
    secret = hall.secrets.find(given(ws.headers, offered)) if made is _realtime else None
    first = [] if secret is None else [dumps({"type": "session.update", "session": secret.session})]
    await hold(hall, Wire(ws, chosen, first), lambda stack: made(hall, ws, stack))


async def _let_back(hall: Hall, wire: _Door, coming: Return | Back, dialect: Dialect) -> None:
    """A client goes on with its session."""
    if isinstance(coming, Return):
        await wire.accept(recorded=coming.session.recorded)
        await coming.session.presence.attach(wire, coming.after)
        return
    name, wishes = coming.kept.session, Wishes(duplex=True, resume=True, back=coming)
    with hall.returns.taking(coming):
        await hold(
            hall, wire, lambda stack: ClientSession(name, stack, hall.limits, hall.meter, dialect, wishes)
        )


class _Door(Socket, Protocol):
    """A connection that is not open yet."""

    async def accept(self, *, recorded: bool) -> None: ...


async def hold(hall: Hall, wire: _Door, made: Callable[[Stack], ClientSession]) -> None:
    """One session on a socket, from admission to its end."""
    hall.entering += 1  # before the first await: whoever comes meanwhile is counted against the limit too
    try:
        # A detector's network takes 50 ms to load, in which no other session may stand still.
        detector = await asyncio.to_thread(hall.stack.parts.detector)
        stack = replace(hall.stack, parts=replace(hall.stack.parts, detector=lambda: detector))
        session = made(stack)
        hall.sessions.add(session)
    finally:
        hall.entering -= 1
    hall.meter.sessions = len(hall.sessions)
    hall.meter.count("sessions")
    try:
        if hall.draining:
            session.give_up()
        await wire.accept(recorded=session.recorded)
        await session.run(wire)
    finally:
        session.dismiss()
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
            "places": hall.limits.sessions,
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
    # What was loaded stays: without it, a collection is over before a frame is due.
    gc.collect()
    gc.freeze()
    kept = [each for each in (hall.stack.record, hall.stack.keep) if each is not None]
    sweeping = [asyncio.create_task(_sweep(hall.stack.clock, each)) for each in kept]
    try:
        await server_of(hall).serve([listener])
    finally:
        for task in sweeping:
            task.cancel()


async def _sweep(clock: Clock, kept: Archive | KeptSessions) -> None:
    """Delete what is old, now and again and again."""
    while True:
        await asyncio.to_thread(kept.sweep)
        await clock.sleep_us(round(kept.every_s * 1e6))


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
