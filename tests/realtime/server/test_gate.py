from __future__ import annotations

import pytest

from antiphon.errors import ConfigError
from antiphon.realtime.server.gate import Gate, Refusal, gate

KEY = "0123456789abcdef"
HERE = {"host": "127.0.0.1:8040"}


def test_the_loopback_is_open_to_this_machine():
    assert Gate(None).refusal(HERE) is None
    assert Gate(None).refusal({"host": "[::1]:8040", "origin": "http://[::1]:8040"}) is None


@pytest.mark.parametrize("host", ["evil.example:8040", "", "10.0.0.3", "127.0.0.1.evil.example"])
def test_a_rebound_name_is_refused(host):
    assert Gate(None).refusal({"host": host}) == Refusal(403, f"served to this machine only, not to {host!r}")


def test_a_page_of_another_site_is_refused_unless_it_is_named():
    other = {**HERE, "origin": "https://app.example"}
    refusal = Gate(None).refusal(other)
    assert refusal is not None
    assert refusal.status == 403
    assert Gate(None, ("https://app.example",)).refusal(other) is None


def test_a_key_is_needed_wherever_there_is_one_and_the_page_goes_without():
    locked = Gate(KEY)
    away = {"host": "agent.example"}
    assert locked.refusal(away) == Refusal(401, "send the key: Authorization: Bearer KEY")
    assert locked.refusal({**away, "authorization": f"Basic {KEY}"}) is not None
    assert locked.refusal({**away, "authorization": "Bearer no"}) is not None
    assert locked.refusal({**away, "authorization": f"bearer {KEY}"}) is None
    assert locked.refusal(away, ("realtime", f"openai-insecure-api-key.{KEY}")) is None
    assert locked.refusal(away, sealed=False) is None


def test_a_server_open_to_the_network_needs_a_key_of_some_length():
    assert gate("127.0.0.1", None, ()) == gate("localhost", None, ()) == Gate(None)
    assert gate("0.0.0.0", KEY, ("https://a.example",)) == Gate(KEY, ("https://a.example",))
    with pytest.raises(ConfigError, match="is open to the network: set a key in ANTIPHON_SERVE_KEY"):
        gate("0.0.0.0", None, ())
    with pytest.raises(ConfigError, match="has 5 characters; take at least 16"):
        gate("127.0.0.1", "short", ())
    with pytest.raises(ConfigError, match="is no origin"):
        gate("127.0.0.1", None, ("app.example",))
