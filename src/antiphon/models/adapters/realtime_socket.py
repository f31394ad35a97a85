"""A WebSocket to a Realtime endpoint: address, key, and what its failures mean."""

from __future__ import annotations

import asyncio
import socket
import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from websockets.asyncio.client import connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidMessage,
    InvalidStatus,
    PayloadTooBig,
)

from antiphon.errors import ModelError
from antiphon.models.adapters.openai_http import Key, is_loopback, retry_after_us, told_in
from antiphon.models.wire.openai_chat import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from websockets.asyncio.client import ClientConnection

    from antiphon.clock import Clock

LARGEST_FRAME = 16 << 20
# RFC 6455, 7.4.1: what we did wrong, and trying again would do wrong once more.
_OUR_FAULT = frozenset({1002, 1003, 1007, 1008, 1009, 1010})


@dataclass(frozen=True, slots=True)
class Address:
    """Where sessions are opened. The key stays in here: no name, no error and no `repr` shows it."""

    url: str
    name: str
    clock: Clock = field(repr=False)
    key: Key = field(default_factory=Key)
    timeout_s: float = 120.0
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    async def connect(self, within_s: float | None = None) -> ClientConnection:
        """An open socket. Raises ModelError for every way in which this can fail."""
        waits_s = self.timeout_s if within_s is None else min(self.timeout_s, within_s)
        opening = connect(
            self.url,
            additional_headers={**self.headers, **self.key.headers()},
            compression=None,  # base64 of sound hardly shrinks, and deflating it takes time
            proxy=None if is_loopback(self.url) else True,
            max_size=LARGEST_FRAME,
            open_timeout=None,
            ping_timeout=None,  # a server that is busy answering is not dead
            close_timeout=1.0,
        )
        try:
            async with asyncio.timeout(waits_s):
                return await opening
        except InvalidStatus as error:
            raise self._refused(error) from None
        except (OSError, InvalidHandshake, InvalidMessage, EOFError) as error:
            raise self._unreachable(error, waits_s) from None

    def _refused(self, error: InvalidStatus) -> ModelError:
        response = error.response
        status, told = response.status_code, told_in(bytes(response.body or b"")[:4096])
        told = self.hide(told)
        waits_us = retry_after_us(
            {name.lower(): value for name, value in response.headers.raw_items()}, self.clock
        )
        if status in (401, 403):
            return ModelError(self.name, f"{status}: {self._about_key()}{told}")
        if status == 404:
            return ModelError(self.name, f"404: nothing at this path; an address ends in /v1/realtime or the like{told}")  # fmt: skip
        spent = "insufficient_quota" in told
        heals = (status == 429 and not spent) or status >= 500 or status == 408
        return ModelError(
            self.name, f"{status}{told or ': no reason given'}", transient=heals, retry_after_us=waits_us
        )

    def _about_key(self) -> str:
        if self.key.value:
            return f"the key in {self.key.variable} was refused"
        return "a key is needed; put it into an environment variable and name that with key=NAME"

    def _unreachable(self, error: Exception, waited_s: float) -> ModelError:
        name = self.name
        if isinstance(error, TimeoutError):
            return ModelError(name, f"{self.host} opened no session within {waited_s:g} s (timeout_s)", transient=True)  # fmt: skip
        if isinstance(error, socket.gaierror):
            known = error.errno == socket.EAI_AGAIN
            return ModelError(
                name, f"no address for {self.host}; check the name and the network", transient=known
            )
        if isinstance(error, ssl.SSLError):
            return ModelError(name, f"no secure connection to {self.host}: {one_line(str(error), 120)}")
        if isinstance(error, OSError):
            return ModelError(name, f"nothing answers at {self.host}; start the server or correct the address", transient=True)  # fmt: skip
        return ModelError(name, f"{self.host} speaks no WebSocket: {one_line(str(error), 120)}")

    def hide(self, text: str) -> str:
        """The text without the key: endpoints quote a wrong one."""
        return text.replace(self.key.value, "***") if self.key.value else text

    def silent(self, waited_s: float | None = None) -> ModelError:
        """Nothing came for as long as one waits."""
        seconds = self.timeout_s if waited_s is None else waited_s
        return ModelError(
            self.name, f"{self.host} was silent for {seconds:.3g} s (timeout_s)", transient=True
        )

    def lost(self, error: ConnectionClosed | None) -> ModelError:
        """The session ended, and not by us."""
        if isinstance(error.__cause__ if error else None, PayloadTooBig):
            return ModelError(self.name, f"sent a frame of more than {LARGEST_FRAME >> 20} MiB")
        close = error.rcvd if error else None
        if close is None:
            return ModelError(self.name, "the connection was lost", transient=True)
        reason = f": {one_line(self.hide(close.reason), 160)}" if close.reason else ""
        return ModelError(
            self.name,
            f"the endpoint closed the session ({close.code}{reason})",
            transient=close.code not in _OUR_FAULT,
        )
