"""Sessions over WebRTC, as OpenAI's Realtime API begins them: `POST /v1/realtime/calls` with an SDP offer.

`POST /v1/realtime/client_secrets` gives a browser a key of its own for a while, with the settings of its session.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any, Protocol

from antiphon.errors import ConfigError, UnavailableError, WireError
from antiphon.jsonl import dumps
from antiphon.models.wire.ga.codec import parse
from antiphon.models.wire.ga.shapes import Format
from antiphon.realtime.server.gate import Refusal, given
from antiphon.realtime.server.responses import refused, response
from antiphon.realtime.server.stack import Back
from antiphon.realtime.server.webrtc import Call, new_peer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from antiphon.clock import Clock
    from antiphon.realtime.server.client_secrets import Secrets
    from antiphon.realtime.server.returning import Return, Returns

_MOST_BYTES = 64_000


class Calls:
    """All calls of a server. `hold` runs one session on a call, from admission to its end."""

    def __init__(
        self,
        hold: Callable[[Call, str], Awaitable[None]],
        clock: Clock,
        ice_servers: tuple[str, ...],
        *,
        records: bool,
    ) -> None:
        self._hold, self._clock, self._ice_servers = hold, clock, ice_servers
        self.records = records  # whether the server does, unless a caller minds
        self._calls: dict[str, Call] = {}
        self._running: set[asyncio.Task[None]] = set()
        self.ringing = 0  # calls that are not sessions yet, and take their places

    async def begin(
        self, offer: str, settings: Sequence[Mapping[str, Any]], asked: Mapping[str, str]
    ) -> tuple[str, str]:
        """Name and SDP answer of a new call, whose session takes these settings one after the other. `asked` are the
        address's: `duplex`, `record`, and those of a client that comes back to its session.

        Raises ConfigError for an offer that is none, UnavailableError without antiphon[webrtc].
        """
        call = Call(new_peer(self._ice_servers), self._clock, asked)
        for session in settings:
            call.wish({"type": "session.update", "session": {"type": "realtime", **session}})
        name = f"rtc_{secrets.token_hex(12)}"
        self.ringing += 1
        try:
            answer = await call.answer(offer)
        except BaseException:
            self.ringing -= 1
            raise
        self._calls[name] = call
        task = asyncio.create_task(self._run(name, call))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return name, answer

    async def _run(self, name: str, call: Call) -> None:
        try:
            try:
                connected = await call.connected()
            finally:
                self.ringing -= 1
            if connected:
                await self._hold(call, f"sess_{name.removeprefix('rtc_')}")
        finally:
            del self._calls[name]
            await call.close(1000, "")

    async def hang_up(self, name: str) -> bool:
        """End a call; False where there is none."""
        call = self._calls.get(name)
        if call is not None:
            await call.close(1000, "")
        return call is not None


class Door(Protocol):
    """The server, as far as it says who may come in."""

    @property
    def returns(self) -> Returns: ...
    def stranger(self, headers: Mapping[str, str]) -> Refusal | None: ...
    def full(self) -> Refusal | None: ...


class Desk:
    """What the routes ask of the server: who may come in, and the secrets that it gave."""

    def __init__(
        self,
        calls: Calls,
        known: Secrets,
        door: Door,
        locked: Callable[[Mapping[str, str]], Refusal | None],
    ) -> None:
        """`locked` says why somebody has not the key itself."""
        self._calls, self._secrets, self._door, self._locked = calls, known, door, locked

    async def call(self, request: Request) -> Response:
        """POST /v1/realtime/calls."""
        asked = dict(request.query_params)
        no = self._door.stranger(request.headers)
        if no is None and "session" in asked:
            back = await self._door.returns.of(asked)
            no = back if isinstance(back, Refusal) else _other_sound(back)
        elif no is None:
            no = self._door.full()
        if no is not None:
            return refused(no)
        secret = self._secrets.find(given(request.headers, ()))
        settings = [secret.session] if secret is not None else []
        try:
            offer, own = await _asked(request)
            if own is not None:
                settings.append(own)
            name, answer = await self._calls.begin(offer, settings, asked)
        except ConfigError as error:
            return refused(Refusal(501 if isinstance(error, UnavailableError) else 400, str(error)))
        told = {"antiphon-recording": "on"} if asked.get("record") != "0" and self._calls.records else {}
        return response(answer, "application/sdp", 201, {"location": f"/v1/realtime/calls/{name}", **told})

    async def hang_up(self, request: Request) -> Response:
        """POST /v1/realtime/calls/NAME/hangup."""
        if (no := self._locked(request.headers)) is not None:
            return refused(no)
        name = request.path_params["name"]
        if not await self._calls.hang_up(name):
            return refused(Refusal(404, f"there is no call {name[:60]!r}"))
        return response("", "text/plain")

    async def client_secret(self, request: Request) -> Response:
        """POST /v1/realtime/client_secrets."""
        if (no := self._locked(request.headers)) is not None:
            return refused(no)
        try:
            body = await _read(request)
            secret = self._secrets.issue(parse(body) if body else {})
        except (ConfigError, WireError) as error:
            return refused(Refusal(400, str(error)))
        told = {"value": secret.value, "expires_at": secret.expires_at, "session": secret.session}
        return response(dumps(told), "application/json")

    def routes(self) -> list[Route]:
        from starlette.routing import Route

        return [
            Route("/v1/realtime/calls", self.call, methods=["POST"]),
            Route("/v1/realtime/calls/{name}/hangup", self.hang_up, methods=["POST"]),
            Route("/v1/realtime/client_secrets", self.client_secret, methods=["POST"]),
        ]


def _other_sound(back: Return | Back) -> Refusal | None:
    """Why a call cannot go on with this session: its own sound is 24 kHz PCM, and a socket's may be another."""
    settings = back.kept.talk.settings if isinstance(back, Back) else back.session.settings
    audio = settings.audio if settings is not None else None
    sides = (audio.input, audio.output) if audio is not None else ()
    if all(side is not None and side.format == Format(type="audio/pcm", rate=24_000) for side in sides):
        return None
    return Refusal(409, "the session's sound is of a socket's format; come back over one")


async def _asked(request: Request) -> tuple[str, dict[str, Any] | None]:
    """The offer, and the settings that came with it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind == "application/sdp":
        return (await _read(request)).decode(errors="replace"), None
    if kind != "multipart/form-data":
        raise ConfigError(
            f"send the offer as application/sdp or multipart/form-data, not as {kind[:60] or 'nothing'!r}"
        )
    async with request.form(max_files=0, max_fields=2, max_part_size=_MOST_BYTES) as form:
        sdp, session = form.get("sdp"), form.get("session")
    if not isinstance(sdp, str):
        raise ConfigError("the form has no field sdp")
    if not isinstance(session, str):
        return sdp, None
    try:
        return sdp, parse(session)
    except WireError as error:
        raise ConfigError(f"session: {error}") from error


async def _read(request: Request) -> bytes:
    """A small body. Raises ConfigError for a long one before all of it is here."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise ConfigError(f"the body is longer than {_MOST_BYTES} bytes")
    return body
