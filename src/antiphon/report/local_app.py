"""A page that takes answers: served on this machine only, closed to other sites, each answer kept on disk first.

The address holds a token, so only who was told it can read or write; requests that name another host or
come from another site's page are refused as well.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlsplit

import msgspec

from antiphon.errors import AntiphonError, ConfigError, DataError, UnavailableError
from antiphon.jsonl import Appender, Record, dumps, read_records, to_row
from antiphon.stage.folder import lock

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Sequence
    from pathlib import Path

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Receive, Scope, Send

R = TypeVar("R", bound=Record)
T = TypeVar("T")

HOST = "127.0.0.1"
_HOSTS = frozenset({HOST, "localhost"})
_MAX_BODY = 1 << 20
_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)


class Log(Generic[R]):
    """Records of one kind, appended one at a time and on the disk before `append` returns.

    `rows` holds all of them, those of earlier sessions first. Open it with `open_log`.
    """

    def __init__(self, path: Path, kind: type[R], appender: Appender) -> None:
        self.path = path
        self.rows: list[R] = read_records(path, kind)
        self._appender = appender

    def append(self, record: R) -> None:
        """Keep a record. Raises DataError when the disk refuses; it is not among `rows` then."""
        self._appender.append(to_row(record))
        try:
            self._appender.sync()
        except OSError as error:
            raise DataError(self.path, f"not kept by the disk ({error.strerror or error})") from error
        self.rows.append(record)


@contextmanager
def open_log(path: Path, kind: type[R]) -> Generator[Log[R]]:
    """The log at `path`, written by nobody else meanwhile: it has its folder for itself.

    Raises ConfigError where another process writes it, DataError for a broken file.
    """
    with lock(path.parent), Appender(path) as appender:
        yield Log(path, kind, appender)


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(16)


def get(path: str, handler: Callable[[Request], Awaitable[Response]]) -> BaseRoute:
    """A route that only reads."""
    return _route(path, handler, "GET")


def post(path: str, handler: Callable[[Request], Awaitable[Response]]) -> BaseRoute:
    """A route that takes an answer."""
    return _route(path, handler, "POST")


def _route(path: str, handler: Callable[[Request], Awaitable[Response]], method: str) -> BaseRoute:
    _need_server()
    from starlette.routing import Route

    return Route(path, handler, methods=[method])


def local_app(routes: Sequence[BaseRoute], token: str) -> ASGIApp:
    """The routes below `/TOKEN/`, for this machine's browser alone.

    An AntiphonError in a route becomes one line of JSON, `{"error": …}`, with status 400 (ConfigError,
    a body that does not fit) or 500. Raises UnavailableError without antiphon[server].
    """
    return _Guard(_app(routes, token))


def _app(routes: Sequence[BaseRoute], token: str) -> Starlette:
    _need_server()
    from starlette.applications import Starlette
    from starlette.routing import Mount

    return Starlette(
        routes=[Mount(f"/{token}", routes=list(routes))], exception_handlers={AntiphonError: _refused}
    )


def _need_server() -> None:
    try:
        import starlette
        import uvicorn
    except ImportError:
        raise UnavailableError(
            "a local page needs starlette and uvicorn", "pip install 'antiphon[server]'"
        ) from None
    del starlette, uvicorn


async def _refused(_: Request, error: Exception) -> Response:
    return json_response({"error": str(error)}, 400 if isinstance(error, ConfigError) else 500)


class _Guard:
    """Refuses requests for another host (a rebound name) or from another site's page, whatever they know."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        if (why := _stranger(dict(scope["headers"]))) is not None:
            await json_response({"error": why}, 403)(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)


def _stranger(headers: dict[bytes, bytes]) -> str | None:
    host = headers.get(b"host", b"").decode("latin-1")
    if urlsplit(f"//{host}").hostname not in _HOSTS:
        return f"this page is served to {HOST} only, not to {host!r}"
    origin = headers.get(b"origin")
    if origin is not None and origin.decode("latin-1") != f"http://{host}":
        return f"a page of {origin.decode('latin-1')!r} may not ask here"
    if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
        return "a page of another site may not ask here"
    return None


def html_response(html: str) -> Response:
    """A page."""
    from starlette.responses import HTMLResponse

    return HTMLResponse(html)


def json_response(value: object, status: int = 200) -> Response:
    """A JSON answer."""
    from starlette.responses import Response

    return Response(dumps(value).encode(), status, media_type="application/json")


def sound_response(path: Path) -> Response:
    """A sound file, in the parts that a player asks for. `path` must be the app's own choice."""
    from starlette.responses import FileResponse

    if not path.is_file():
        return json_response({"error": f"no sound {path.name}"}, 404)
    return FileResponse(path)


async def body_of(request: Request, kind: type[T]) -> T:
    """The request's JSON body as a record. Raises ConfigError for one that does not fit."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MAX_BODY:
            raise ConfigError(f"an answer holds at most {_MAX_BODY} bytes")
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise ConfigError(f"the answer does not fit: {error}") from None


def serve(
    app_of: Callable[[Callable[[], None]], ASGIApp], *, port: int, announce: Callable[[str], object]
) -> None:
    """Serve until Ctrl-C, or until the app calls what it was given. `announce` gets `http://127.0.0.1:PORT`.

    `port` 0 takes a free one. Raises ConfigError for a port that is taken.
    """
    _need_server()
    import uvicorn

    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise ConfigError(
            f"port {port} cannot be had ({error.strerror}); choose another --port, 0 for any"
        ) from error

    def stop() -> None:
        server.should_exit = True

    config = uvicorn.Config(app_of(stop), log_level="warning", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    with listener, suppress(KeyboardInterrupt):
        announce(f"http://{HOST}:{listener.getsockname()[1]}")
        asyncio.run(server.serve(sockets=[listener]))
