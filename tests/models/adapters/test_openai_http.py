from __future__ import annotations

import asyncio
import socket
import ssl
from datetime import UTC, datetime

import httpx
import pytest

from antiphon.clock import RealClock, VirtualClock
from antiphon.errors import ConfigError, ModelError
from antiphon.models.adapters.openai_http import Endpoint, Key, endpoint_for
from antiphon.models.uri import parse


async def ask(endpoint, deadline_us=None):
    async with endpoint.post("name", "path", deadline_us, json={"a": 1}) as answer:
        return await answer.json()


@pytest.mark.parametrize(
    ("cause", "problem", "transient"),
    [
        (
            socket.gaierror(socket.EAI_NONAME, "no"),
            "no address for h:1; check the name and the network",
            False,
        ),
        (socket.gaierror(socket.EAI_AGAIN, "no"), "no address for h:1; check the name and the network", True),
        (ssl.SSLError("bad certificate"), "no secure connection to h:1: ('bad certificate',)", False),
    ],
)
def test_names_and_certificates_fail_clearly(cause, problem, transient):
    error = httpx.ConnectError("x")
    error.__cause__ = cause
    found = Endpoint("https://h:1/v1", RealClock()).failure("n", error)
    assert (found.problem, found.transient) == (problem, transient)


def test_connections_close_with_their_event_loop(server_thread):
    """A kept-alive connection that nobody closes is a ResourceWarning, and warnings are errors."""
    endpoint = Endpoint(f"http://{server_thread.host}/v1", RealClock())
    for _ in range(2):
        server_thread.answer({"json": {"ok": True}})
        assert asyncio.run(ask(endpoint)) == {"ok": True}
    assert not [client for _, client in endpoint._clients.values() if not client.is_closed]


async def test_an_answer_comes_back_and_the_key_goes_out(server):
    server.answer({"json": {"ok": True}})
    endpoint = Endpoint(f"http://{server.host}/v1", RealClock(), Key("K", "secret"))
    assert await ask(endpoint) == {"ok": True}
    assert (server.paths, server.bodies) == (["/v1/path"], [{"a": 1}])
    assert server.headers[0]["authorization"] == "Bearer secret"
    assert "secret" not in repr(Key("K", "secret"))


@pytest.mark.parametrize(
    ("headers", "after_us"),
    [
        ({"Retry-After": "3"}, 3_000_000),
        ({"Retry-After-Ms": "250", "Retry-After": "3"}, 250_000),
        ({"Retry-After": "Sat, 01 Jan 2000 00:00:20 GMT"}, 20_000_000),
        ({"Retry-After": "Fri, 31 Dec 1999 00:00:00 GMT"}, 0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "later"}, None),
        ({}, None),
    ],
)
async def test_the_wish_to_wait_is_read_in_every_spelling(server, headers, after_us):
    server.answer({"status": 429, "headers": headers})
    clock = VirtualClock(datetime(2000, 1, 1, tzinfo=UTC))
    with pytest.raises(ModelError) as caught:
        await ask(Endpoint(f"http://{server.host}", clock))
    assert (caught.value.transient, caught.value.retry_after_us) == (True, after_us)


async def test_a_missing_path_without_a_list_of_models_doubts_the_address(server):
    server.answer({"status": 404, "type": "text/html", "body": b"<html>"})
    server.answer({"status": 404, "type": "text/html", "body": b"<html>"})
    endpoint = Endpoint(f"http://{server.host}", RealClock())
    with pytest.raises(ModelError) as caught:
        await ask(endpoint)
    assert caught.value.problem == f"404: nothing at this path; does http://{server.host} end in /v1?"


async def test_a_deadline_that_has_passed_is_not_waited_for(server):
    server.answer({"hang": True, "mute": True})
    with pytest.raises(ModelError, match="no complete answer before the deadline"):
        await ask(Endpoint(f"http://{server.host}", RealClock()), deadline_us=50_000)


async def test_closing_by_hand_closes_the_client(server):
    endpoint = Endpoint(f"http://{server.host}", RealClock())
    client = await endpoint.client()
    assert await endpoint.client() is client
    await endpoint.aclose()
    assert client.is_closed
    assert await endpoint.client() is not client


def test_the_official_endpoint_needs_only_a_model(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    endpoint, model = endpoint_for(parse("openai:gpt-4o?rpm=60&concurrency=2&attempts=3"), VirtualClock())
    assert (endpoint.base, model) == ("https://api.openai.com/v1", "gpt-4o")
    limits = endpoint.limits
    assert (limits.requests_per_minute, limits.concurrency, limits.attempts) == (60, 2, 3)


def test_plain_http_gets_no_key_by_default(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    for text, headers in (
        ("openai+http://example.test/v1#m", {}),
        ("openai+https://localhost/v1#m", {}),
        ("openai+https://example.test/v1?key=#m", {}),
        ("openai+https://example.test/v1#m", {"Authorization": "Bearer secret"}),
        ("openai+http://example.test/v1?key=OPENAI_API_KEY#m", {"Authorization": "Bearer secret"}),
    ):
        endpoint, _ = endpoint_for(parse(text), VirtualClock())
        assert endpoint._key.headers() == headers, text


def test_no_attempts_at_all_is_refused():
    with pytest.raises(ConfigError, match="attempts counts from 1"):
        endpoint_for(parse("openai+http://h/v1?attempts=0#m"), VirtualClock())
