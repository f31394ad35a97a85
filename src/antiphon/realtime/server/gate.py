"""Who may come in: a bearer key on anything but the loopback, no pages of other sites, no rebound names."""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEY_VARIABLE = "ANTIPHON_SERVE_KEY"
_BY_PROTOCOL = "openai-insecure-api-key."  # how a browser, which sets no headers, hands over its key
_LEAST = 16


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why somebody may not come in, as an HTTP status and a line."""

    status: int
    why: str


@dataclass(frozen=True, slots=True)
class Gate:
    """`key` None: open to this machine's own programs and pages only. `origins` are other sites whose pages may
    come, as "https://host"."""

    key: str | None
    origins: tuple[str, ...] = ()

    def refusal(
        self, headers: Mapping[str, str], protocols: Sequence[str] = (), *, sealed: bool = True
    ) -> Refusal | None:
        """None lets in. `sealed`: the key is needed; the page itself, which holds no secret, goes without."""
        host = headers.get("host", "")
        origin = headers.get("origin")
        if self.key is None and not _is_loopback(urlsplit(f"//{host}").hostname or ""):
            return Refusal(403, f"served to this machine only, not to {host[:80]!r}")
        if origin is not None and origin not in self.origins and urlsplit(origin).netloc != host:
            return Refusal(403, f"a page of {origin[:80]!r} may not ask here; name its origin when serving")
        if sealed and self.key is not None and not _same(self.key, given(headers, protocols)):
            return Refusal(401, "send the key: Authorization: Bearer KEY")
        return None


def gate(host: str, key: str | None, origins: tuple[str, ...]) -> Gate:
    """The gate of an address to listen at. Raises ConfigError where that would be open to the network."""
    if key is not None and len(key) < _LEAST:
        raise ConfigError(f"the key in {KEY_VARIABLE} has {len(key)} characters; take at least {_LEAST}")
    if key is None and not _is_loopback(host):
        raise ConfigError(
            f"{host} is open to the network: set a key in {KEY_VARIABLE}, or serve at 127.0.0.1"
        )
    for origin in origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path:
            raise ConfigError(f"{origin!r} is no origin; write https://host or http://host:port")
    return Gate(key, origins)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def given(headers: Mapping[str, str], protocols: Sequence[str]) -> str:
    """The key that a client hands over; empty for none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return next((name.removeprefix(_BY_PROTOCOL) for name in protocols if name.startswith(_BY_PROTOCOL)), "")


def _same(key: str, given: str) -> bool:
    return hmac.compare_digest(key.encode(), given.encode(errors="replace"))
