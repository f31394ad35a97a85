"""Short-lived keys: a server of yours asks for one with the key, and gives it to a browser, which has none."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from antiphon.clock import Clock

_PREFIX = "ek_"
_LIFE_S = (10, 7200)
_USUAL_S = 600
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Secret:
    """`value` opens sessions until `expires_at` (seconds since 1970), each with the settings `session`."""

    value: str
    expires_at: int
    session: dict[str, Any]


@dataclass
class Secrets:
    """All that are valid."""

    clock: Clock
    _given: dict[str, Secret] = field(default_factory=dict[str, Secret])

    def issue(self, body: dict[str, Any]) -> Secret:
        """One for a request's body. Raises ConfigError for a lifetime that is none."""
        now = int(self.clock.utc().timestamp())
        self._given = {value: kept for value, kept in self._given.items() if kept.expires_at > now}
        if len(self._given) >= _MOST:
            raise ConfigError(f"{_MOST} client secrets are valid; wait until some expire")
        after = body.get("expires_after") or {}
        seconds = after.get("seconds", _USUAL_S) if isinstance(after, dict) else None
        if not isinstance(seconds, int) or not _LIFE_S[0] <= seconds <= _LIFE_S[1]:
            raise ConfigError(f"expires_after.seconds is between {_LIFE_S[0]} and {_LIFE_S[1]}")
        session = body.get("session") or {"type": "realtime"}
        if not isinstance(session, dict):
            raise ConfigError("session is an object of settings")
        secret = Secret(_PREFIX + secrets.token_hex(16), now + seconds, session)
        self._given[secret.value] = secret
        return secret

    def find(self, value: str) -> Secret | None:
        """The secret, unless it has expired or nobody gave it. Looked up by hash, so timing tells nothing of it."""
        found = self._given.get(value)
        return found if found is not None and found.expires_at > self.clock.utc().timestamp() else None
