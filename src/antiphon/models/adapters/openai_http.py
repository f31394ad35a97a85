"""An OpenAI-compatible endpoint over HTTP: address, key, connections, and what its failures mean."""

from __future__ import annotations

import asyncio
import email.utils
import os
import re
import socket
import ssl
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx

from antiphon.errors import ConfigError, ModelError
from antiphon.models.retry import Limits
from antiphon.models.wire.openai_chat import one_line, parse_object

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncGenerator, Mapping

    from antiphon.clock import Clock
    from antiphon.models.uri import Uri

OFFICIAL = "https://api.openai.com/v1"
_Lent = tuple["AsyncGenerator[httpx.AsyncClient, None]", httpx.AsyncClient]
OPTIONS = ("key", "timeout_s", "rpm", "concurrency", "attempts")
_LARGEST_REPLY = 64 << 20
_CONNECT_S = 10.0
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")  # upper case: so that a pasted key is no name


@dataclass(frozen=True, slots=True)
class Key:
    """A secret and the environment variable that it came from; `repr` does not show it."""

    variable: str = ""
    value: str = field(default="", repr=False)

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.value}"} if self.value else {}


class Endpoint:
    """Where requests go. The key stays in here: no name, no error and no `repr` shows it. Each event
    loop has its own client, closed when the loop shuts down.
    """

    def __init__(
        self,
        base: str,
        clock: Clock,
        key: Key = Key(),
        *,
        limits: Limits | None = None,
        timeout_s: float = 120.0,
        largest_reply: int = _LARGEST_REPLY,
    ) -> None:
        self.base = base
        self.clock = clock
        self.limits = limits or Limits(base)
        self.timeout_s = timeout_s
        self.largest_reply = largest_reply
        self._key = key
        self._clients: WeakKeyDictionary[AbstractEventLoop, _Lent] = WeakKeyDictionary()

    async def client(self) -> httpx.AsyncClient:
        """This loop's client. It lives inside an async generator, because that is what a loop closes
        by itself at its end."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            lender = _lend(self.timeout_s, trust_env=not is_loopback(self.base))
            self._clients[loop] = (lender, await anext(lender))
        return self._clients[loop][1]

    async def aclose(self) -> None:
        """Close this loop's connections now."""
        loop = asyncio.get_running_loop()
        if (lent := self._clients.pop(loop, None)) is not None:
            await lent[0].aclose()

    @asynccontextmanager
    async def post(
        self, name: str, path: str, deadline_us: int | None, **content: Any
    ) -> AsyncGenerator[Answer, None]:
        """POST and look at the status. Raises ModelError for every way in which this can fail."""
        started_us = self.clock.mono_us()
        ends_us = None if deadline_us is None else started_us + deadline_us
        client = await self.client()
        request = client.build_request("POST", f"{self.base}/{path}", headers=self._key.headers(), **content)
        try:
            async with asyncio.timeout(_left_s(self.clock, ends_us)):
                response = await client.send(request, stream=True)
            try:
                answer = Answer(self, name, response, ends_us)
                if response.status_code != 200:
                    raise await self._refusal(name, answer)
                yield answer
            finally:
                await response.aclose()
        except (httpx.HTTPError, TimeoutError) as error:
            raise self.failure(name, error) from None
        except ModelError as error:
            raise self._without_key(error) from None

    def _without_key(self, error: ModelError) -> ModelError:
        key = self._key.value
        if not key or key not in str(error):
            return error
        return ModelError(
            error.endpoint, error.problem.replace(key, "***"),
            transient=error.transient, retry_after_us=error.retry_after_us,
        )  # fmt: skip

    def failure(self, name: str, error: Exception) -> ModelError:
        """What a failed exchange means. Whether it may heal by itself decides `transient`."""
        where = urlsplit(self.base).netloc
        cause = _root(error)
        if isinstance(error, TimeoutError):
            return ModelError(name, "no complete answer before the deadline", transient=True)
        if isinstance(error, httpx.TimeoutException):
            return ModelError(
                name, f"{where} was silent for {self.timeout_s:g} s (timeout_s)", transient=True
            )
        if isinstance(cause, socket.gaierror):
            known = cause.errno == socket.EAI_AGAIN
            return ModelError(
                name, f"no address for {where}; check the name and the network", transient=known
            )
        if isinstance(cause, ssl.SSLError):
            return ModelError(name, f"no secure connection to {where}: {one_line(str(cause), 120)}")
        if isinstance(error, httpx.ConnectError):
            return ModelError(name, f"nothing answers at {where}; start the server or correct the address", transient=True)  # fmt: skip
        broken = one_line(str(error), 120) or type(error).__name__
        return ModelError(name, f"the connection to {where} broke: {broken}", transient=True)

    async def _refusal(self, name: str, answer: Answer) -> ModelError:
        status = answer.response.status_code
        told = told_in(await answer.start())
        if status in (401, 403):
            return ModelError(name, f"{status}: {self._about_key()}{told}")
        if status == 404:
            return ModelError(name, f"404: {await self._models()}{told}")
        if status == 429:
            waits_us = retry_after_us(answer.response.headers, self.clock)
            spent = "insufficient_quota" in told
            return ModelError(
                name, f"429: too many requests{told}", transient=not spent, retry_after_us=waits_us
            )
        if 300 <= status < 400:
            to = answer.response.headers.get("location", "elsewhere")
            return ModelError(name, f"{status}: moved to {to}; write that address")
        waits_us = retry_after_us(answer.response.headers, self.clock)
        busy = status >= 500 or status == 408
        return ModelError(
            name, f"{status}{told or ': no reason given'}", transient=busy, retry_after_us=waits_us
        )

    def _about_key(self) -> str:
        if self._key.value:
            return f"the key in {self._key.variable} was refused"
        return "a key is needed; put it into an environment variable and name that with key=NAME"

    async def _models(self) -> str:
        """Which models there are instead, as far as the server tells within five seconds."""
        headers, client = self._key.headers(), await self.client()
        try:
            got = await client.get(f"{self.base}/models", headers=headers, timeout=5.0)
            rows = cast("list[dict[str, Any]]", parse_object("", got.content).get("data") or [])
            names = sorted(str(row["id"]) for row in rows)
        except (httpx.HTTPError, ModelError, KeyError, TypeError):
            return f"nothing at this path; does {self.base} end in /v1?"
        return f"no such model or path; there are: {', '.join(names[:20]) or 'none'}"


@dataclass
class Answer:
    """A response under way: `pieces` are its bytes, bounded in size and by the deadline."""

    endpoint: Endpoint
    name: str
    response: httpx.Response
    ends_us: int | None

    @property
    def content_type(self) -> str:
        return self.response.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Raises ModelError when there is more than the largest reply; TimeoutError at the deadline."""
        count = 0
        source = self.response.aiter_bytes()
        while True:
            # The timeout spans one await and no yield: it must never interrupt the consumer.
            async with asyncio.timeout(_left_s(self.endpoint.clock, self.ends_us)):
                piece = await anext(source, None)
            if piece is None:
                return
            count += len(piece)
            if count > self.endpoint.largest_reply:
                megabytes = self.endpoint.largest_reply >> 20
                raise ModelError(self.name, f"an answer of more than {megabytes} MiB was cut off")
            yield piece

    async def whole(self) -> bytes:
        return b"".join([piece async for piece in self.pieces()])

    async def start(self) -> bytes:
        """The first bytes, enough for an error message."""
        start = b""
        async for piece in self.pieces():
            start += piece
            if len(start) > 4096:
                break
        return start

    async def json(self) -> dict[str, Any]:
        """The body as a JSON object. Raises ModelError; a web page gets its own words."""
        self.refuse_page()
        return parse_object(self.name, await self.whole())

    def refuse_page(self) -> None:
        """Raises ModelError when a web page came back."""
        if self.content_type == "text/html":
            raise ModelError(self.name, "answered with a web page; the address should end in /v1 or the like")


def _left_s(clock: Clock, ends_us: int | None) -> float | None:
    return None if ends_us is None else max(0.0, (ends_us - clock.mono_us()) / 1e6)


async def _lend(timeout_s: float, *, trust_env: bool) -> AsyncGenerator[httpx.AsyncClient, None]:
    timeout = httpx.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s))
    async with httpx.AsyncClient(timeout=timeout, trust_env=trust_env) as client:
        while True:
            yield client


def endpoint_for(uri: Uri, clock: Clock) -> tuple[Endpoint, str]:
    """Endpoint and model name of `openai:MODEL` or `openai+http(s)://HOST/PATH#MODEL`.

    Raises ConfigError: no model, a password in the address, a key that is no variable's name or is unset.
    """
    official = uri.scheme == "openai"
    base = OFFICIAL if official else f"{uri.scheme.removeprefix('openai+')}:{uri.path}".rstrip("/")
    model = uri.path if official else uri.fragment
    key = key_for(uri, base)
    if "@" in urlsplit(base).netloc:
        raise ConfigError(
            "a password in an address would end in every record; use an environment variable and key=NAME"
        )
    if "?" in model:
        raise ConfigError(f"{uri.text}: options come before the model, as in {base}?voice=alloy#MODEL")
    if not model or (not official and not urlsplit(base).netloc):
        raise ConfigError(f"{uri.text}: write openai:MODEL, or openai+http://HOST:PORT/v1#MODEL")
    limits = Limits(
        base, uri.whole("rpm", 0) or None, uri.whole("concurrency", 0) or None, uri.whole("attempts", 5)
    )
    timeout_s = uri.whole("timeout_s", 120)
    for option, value in (("timeout_s", timeout_s), ("attempts", limits.attempts)):
        if value < 1:
            raise ConfigError(f"{uri.text}: {option} counts from 1")
    return Endpoint(base, clock, key, limits=limits, timeout_s=timeout_s), model


def key_for(uri: Uri, base: str, usual: str = "OPENAI_API_KEY") -> Key:
    """The key that a URI asks for. Plain http gets one only when it is asked for:
    a default that sends a secret in the clear, or to whoever listens there, would be a leak."""
    secure = base.startswith(("https://", "wss://"))
    variable = uri.options.get("key", usual if secure and not is_loopback(base) else "")
    if not variable:
        return Key()
    if not _VARIABLE.fullmatch(variable):
        raise ConfigError(
            "key= takes the name of an environment variable, never the key itself; "
            "export the key and write key=MY_KEY"
        )
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ConfigError(
            f"{base} needs a key, and {variable} is not set; export {variable}=…, "
            "name another variable with key=NAME, or write key= for none"
        )
    return Key(variable, key)


def is_loopback(base: str) -> bool:
    host = urlsplit(base).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def told_in(start: bytes) -> str:
    """What the server says about its refusal, as the tail of a sentence."""
    try:
        answer = parse_object("", start)
    except ModelError:
        text = start.decode(errors="replace")
        return "" if "<html" in text.lower() or not text.strip() else f": {one_line(text, 200)}"
    error = answer.get("error", answer)
    told = cast("Mapping[str, Any]", error) if isinstance(error, dict) else {"message": error}
    words = [str(told[key]) for key in ("code", "message", "detail") if told.get(key)]
    return f": {one_line(' '.join(words), 200)}" if words else ""


def retry_after_us(headers: Mapping[str, str], clock: Clock) -> int | None:
    """`Retry-After` (seconds or a date) or `Retry-After-Ms`, in microseconds."""
    for name, unit in (("retry-after-ms", 1e3), ("retry-after", 1e6)):
        value = headers.get(name, "")
        try:
            return max(0, round(float(value) * unit))
        except (ValueError, OverflowError):
            continue
    try:
        date = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0, round((date - clock.utc()).total_seconds() * 1e6))
    except (ValueError, TypeError):
        return None


def _root(error: BaseException) -> BaseException:
    """The innermost cause: httpx and httpcore wrap the system's own errors twice."""
    while (inner := error.__cause__ or error.__context__) is not None:
        if isinstance(error, socket.gaierror | ssl.SSLError):
            return error
        error = inner
    return error
