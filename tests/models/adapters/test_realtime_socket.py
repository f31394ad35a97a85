from __future__ import annotations

import socket

import pytest

from antiphon.clock import RealClock
from antiphon.errors import ModelError
from antiphon.models.adapters.openai_http import Key
from antiphon.models.adapters.realtime_socket import Address
from tests.bench import endpoint as over_http
from tests.models.adapters.realtime_server import Endpoint, Fault, listening

SECRET = "sk-very-secret"


def address(endpoint: Endpoint, key: Key | None = None, timeout_s: float = 5.0) -> Address:
    url = endpoint.uri.removeprefix("realtime+")
    return Address(url, "m", RealClock(), key or Key(), timeout_s)


async def refused(fault: Fault, key: Key | None = None) -> ModelError:
    with listening() as endpoint:
        endpoint.faults = [fault]
        with pytest.raises(ModelError) as caught:
            await address(endpoint, key).connect()
    return caught.value


async def test_the_key_travels_in_the_header_and_nowhere_else():
    key = Key("MY_KEY", SECRET)
    with listening() as endpoint:
        place = address(endpoint, key)
        await (await place.connect()).close()
    assert endpoint.headers[0]["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in repr(place)
    assert SECRET not in endpoint.paths[0]


@pytest.mark.parametrize(
    ("fault", "problem", "transient", "wait_us"),
    [
        ("401", "401: the key in MY_KEY was refused: as the test wants", False, None),
        ("429", "429: as the test wants", True, 7_000),
        ("500", "500: as the test wants", True, 7_000),
    ],
)
async def test_a_refused_handshake_says_why(fault, problem, transient, wait_us):
    error = await refused(fault, Key("MY_KEY", SECRET))
    assert (error.problem, error.transient, error.retry_after_us) == (problem, transient, wait_us)


async def test_without_a_key_a_refusal_says_how_to_give_one():
    assert "put it into an environment variable and name that with key=NAME" in (await refused("401")).problem


async def test_nobody_there_is_said_and_may_heal():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    place = Address(f"ws://127.0.0.1:{port}/v1/realtime", "m", RealClock())
    with pytest.raises(ModelError) as caught:
        await place.connect()
    assert (
        caught.value.problem
        == f"nothing answers at 127.0.0.1:{port}; start the server or correct the address"
    )
    assert caught.value.transient


async def test_a_server_that_never_answers_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as mute:
        host = f"127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(ModelError) as caught:
            await Address(f"ws://{host}/v1/realtime", "m", RealClock(), timeout_s=0.2).connect()
    assert (caught.value.problem, caught.value.transient) == (
        f"{host} opened no session within 0.2 s (timeout_s)", True,
    )  # fmt: skip


async def test_a_server_of_another_protocol_is_told_apart():
    with over_http.listening() as endpoint:
        url = endpoint.uri.partition("?")[0].replace("openai+http", "ws")
        with pytest.raises(ModelError, match="speaks no WebSocket: did not receive a valid HTTP response"):
            await Address(url, "m", RealClock()).connect()


def test_a_close_code_of_our_own_fault_does_not_heal():
    from websockets.exceptions import ConnectionClosedError
    from websockets.frames import Close

    def lost(code: int, reason: str = "") -> ModelError:
        return Address("ws://h/", "m", RealClock()).lost(ConnectionClosedError(Close(code, reason), None))

    expired = lost(1001, "Your session hit the maximum duration of 60 minutes.")
    assert expired.problem == (
        "the endpoint closed the session (1001: Your session hit the maximum duration of 60 minutes.)"
    )
    assert [lost(code).transient for code in (1001, 1006, 1011, 1008, 1007, 3000)] == [
        True, True, True, False, False, True,
    ]  # fmt: skip
