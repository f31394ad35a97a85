"""HTTP answers of the server: sealed against other sites, refusals in the protocol's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.jsonl import dumps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from antiphon.realtime.server.gate import Refusal

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
_CODES = {400: "invalid_value", 401: "invalid_api_key", 403: "forbidden", 404: "not_found", 503: "overloaded"}


def response(body: str, kind: str, status: int = 200, more: Mapping[str, str] | None = None) -> Response:
    """A whole answer of this media type."""
    from starlette.responses import Response

    return Response(body, status, media_type=kind, headers={**_HEADERS, **(more or {})})


def refused(refusal: Refusal) -> Response:
    """The refusal as OpenAI's clients read it."""
    code = _CODES.get(refusal.status, "refused")
    error = {"error": {"type": "invalid_request_error", "code": code, "message": refusal.why}}
    more = {"retry-after": "5"} if refusal.status == 503 else {}
    return response(dumps(error), "application/json", refusal.status, more)
