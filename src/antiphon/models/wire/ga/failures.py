"""What an error in a Realtime session means: whether it ends the session, and whether it may heal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antiphon.live import LiveError
from antiphon.models.wire.openai_chat import one_line

if TYPE_CHECKING:
    from antiphon.models.wire.ga.shapes import Failure

# Codes and types as OpenAI and Model Studio spell them; DashScope's own codes are in CamelCase.
_HEALS = frozenset(
    {
        "rate_limit_exceeded", "rate_limit_error", "tokens_limit_exceeded", "server_error", "internal_error",
        "internal_server_error", "session_expired", "inference_rate_limit_exceeded", "overloaded_error",
        "Throttling", "InternalError", "ServiceUnavailable",
    }
)  # fmt: skip
_STAYS = frozenset({"insufficient_quota", "invalid_api_key", "model_not_found", "Arrearage", "AccessDenied"})
_ENDS = frozenset({"server_error", "session_expired", "invalid_api_key", "authentication_error"})
_AGAIN = re.compile(r"try again in (\d+(?:\.\d+)?) ?(ms|s|m)\b")
_UNIT_US = {"ms": 1e3, "s": 1e6, "m": 60e6}


def meaning(failure: Failure, t_us: int, *, ends: bool = False) -> LiveError:
    """The failure for whoever holds the session. `ends`: the session is over whatever the code says."""
    names = {name for name in (failure.code, failure.type) if name}
    known = {name.partition(".")[0] for name in names} | names  # Throttling.RateQuota
    told = failure.message or ""
    text = one_line(f"{failure.code or failure.type or 'error'}: {told or 'no reason given'}", 240)
    if failure.param:
        text = f"{text} (at {one_line(failure.param, 60)})"
    heals = bool(known & _HEALS) and not known & _STAYS
    again = _AGAIN.search(told)
    wait_us = round(float(again[1]) * _UNIT_US[again[2]]) if heals and again else None
    return LiveError(t_us, text, ends or bool(known & _ENDS), heals, wait_us)
