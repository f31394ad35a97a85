from __future__ import annotations

import pytest

from antiphon.live import LiveError
from antiphon.models.wire.ga.failures import meaning
from antiphon.models.wire.ga.shapes import Failure

LIMIT = "Rate limit reached for gpt-realtime on tokens per min (TPM): Limit 40000. Please try again in 1.5s."
EXPIRED = "Your session hit the maximum duration of 60 minutes."


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (
            Failure(type="tokens", code="rate_limit_exceeded", message=LIMIT),
            LiveError(5, f"rate_limit_exceeded: {LIMIT}", False, True, 1_500_000),
        ),
        (
            Failure(type="invalid_request_error", code="session_expired", message=EXPIRED),
            LiveError(5, f"session_expired: {EXPIRED}", True, True),
        ),
        (
            Failure(
                type="invalid_request_error", code="invalid_value", message="Bad.", param="session.voice"
            ),
            LiveError(5, "invalid_value: Bad. (at session.voice)", False, False),
        ),
        (
            Failure(type="insufficient_quota", code="rate_limit_exceeded", message="Pay."),
            LiveError(5, "rate_limit_exceeded: Pay.", False, False),
        ),
        (Failure(type="server_error", message="boom"), LiveError(5, "server_error: boom", True, True)),
        (
            Failure(code="Throttling.RateQuota", message="Requests too fast."),
            LiveError(5, "Throttling.RateQuota: Requests too fast.", False, True),
        ),
        (Failure(), LiveError(5, "error: no reason given", False, False)),
    ],
)
def test_an_error_says_whether_it_ends_the_session_and_whether_it_may_heal(failure, expected):
    assert meaning(failure, 5) == expected
