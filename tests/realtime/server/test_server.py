from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from dataclasses import replace
from importlib.resources import files

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from antiphon.models.scripted import Line
from antiphon.models.wire.ga.dialect import GA
from antiphon.realtime.server.gate import Gate
from antiphon.realtime.server.server import Hall, hold
from antiphon.realtime.server.session import ClientSession
from antiphon.realtime.server.stack import Limits, Wishes
from tests.realtime.serving import ANSWER, Client, Served, served, stack

KEY = "0123456789abcdef"


async def fetch(server: Served, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", headers=headers)

    def get() -> tuple[int, str, dict[str, str]]:
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read().decode(), dict(answer.headers)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), dict(error.headers)

    return await asyncio.to_thread(get)


async def test_the_page_comes_with_all_its_parts_and_may_load_nothing_else():
    async with served() as server:
        status, page, headers = await fetch(server, "/")
        assert status == 200
        assert "default-src 'none'" in headers["content-security-policy"]
        assert 'src="page.js"' in page
        for name in ("page.js", "lanes.js", "reconnect.js", "worklet.js", "page.css"):
            assert (await fetch(server, f"/{name}"))[1] == files("antiphon.realtime").joinpath(
                "page", name
            ).read_text()
        assert "--person" in (await fetch(server, "/theme.css"))[1]
        assert (await fetch(server, "/../server.py"))[0] == 404


async def test_health_models_and_metrics_are_told():
    async with served() as server, server.client() as socket:
        await Client(socket).until("session.created")
        told = json.loads((await fetch(server, "/health"))[1])
        assert told == {
            "status": "ok",
            "sessions": 1,
            "places": 16,
            "model": "scripted: test",
            "locked": False,
        }
        assert json.loads((await fetch(server, "/v1/models"))[1])["data"][0]["id"] == "scripted: test"
        assert "antiphon_sessions 1\n" in (await fetch(server, "/metrics"))[1]


async def test_without_the_key_only_the_page_is_there():
    async with served(gate=Gate(KEY)) as server:
        assert (await fetch(server, "/"))[0] == 200
        status, body, _ = await fetch(server, "/metrics")
        assert (status, json.loads(body)["error"]["code"]) == (401, "invalid_api_key")
        assert (await fetch(server, "/metrics", Authorization=f"Bearer {KEY}"))[0] == 200
        with pytest.raises(InvalidStatus) as refused:
            async with server.client():
                pass
        assert refused.value.response.status_code == 401
        async with server.client(subprotocols=["realtime", f"openai-insecure-api-key.{KEY}"]) as socket:
            assert socket.subprotocol == "realtime"


async def test_a_page_of_another_site_cannot_connect():
    async with served() as server:
        with pytest.raises(InvalidStatus) as refused:
            async with server.client(origin="https://evil.example"):
                pass
        assert refused.value.response.status_code == 403


async def test_one_session_too_many_is_refused_and_may_come_later():
    async with served(limits=Limits(sessions=1)) as server:
        async with server.client() as socket:
            await Client(socket).until("session.created")
            with pytest.raises(InvalidStatus) as refused:
                async with server.client():
                    pass
            assert refused.value.response.status_code == 503
            assert refused.value.response.headers["retry-after"] == "5"
        async with asyncio.timeout(5):
            while server.hall.sessions:  # noqa: ASYNC110 - a set has no event to wait for
                await asyncio.sleep(0.02)
        async with server.client() as socket:
            await Client(socket).until("session.created")


async def test_a_drain_lets_the_answer_end_and_nobody_in():
    async with served(stack([Line(text="Nine o'clock.")])) as server, server.client() as socket:
        client = Client(socket)
        await client.type("When?")
        await client.until("response.output_audio.delta")
        draining = asyncio.create_task(server.hall.drain())
        await asyncio.sleep(0.05)
        with pytest.raises(InvalidStatus) as refused:
            async with server.client():
                pass
        assert refused.value.response.status_code == 503
        done = await client.until("response.done")
        assert done["response"]["status"] == "completed"
        with pytest.raises(ConnectionClosed) as closed:
            await client.until("never")
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1001, "the server is shutting down")
        await draining


async def test_a_drain_does_not_wait_for_ever():
    limits = Limits(drain_s=0.2)
    async with served(stack([Line(text=ANSWER * 5)]), limits) as server, server.client() as socket:
        client = Client(socket)
        await client.type("Tell me everything.")
        await client.until("response.output_audio.delta")
        await asyncio.wait_for(server.hall.drain(), 5)
        assert server.hall.sessions == set()


async def test_a_client_that_goes_before_it_is_let_in_leaves_nothing_open():
    closed: list[int] = []

    class Kept:
        def close(self, now_us: int) -> None:
            closed.append(now_us)

    class Door:
        async def accept(self, *, recorded: bool) -> None:
            raise EOFError

    hall = Hall(replace(stack(), trace=lambda name: Kept()), Gate(None))  # type: ignore[arg-type]
    with pytest.raises(EOFError):
        await hold(hall, Door(), lambda made: ClientSession("s", made, Limits(), hall.meter, GA, Wishes()))  # type: ignore[arg-type]
    assert len(closed) == 1
    assert hall.sessions == set()
