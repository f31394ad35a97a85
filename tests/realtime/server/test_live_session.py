from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from antiphon.models.scripted import Failure, Line
from antiphon.realtime.server.stack import Limits
from tests.realtime.serving import Client, append, noise, quiet, served, stack

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from antiphon.realtime.server.stack import Stack
    from tests.realtime.serving import Served

START = {"type": "session.start", "session": {"model": "m"}}


def dial(server: Served) -> connect:
    return connect(f"{server.url}/live/sessions", compression=None, close_timeout=0.5)


@asynccontextmanager
async def calling(
    made: Stack | None = None, limits: Limits | None = None, **session: Any
) -> AsyncGenerator[Client]:
    async with served(made, limits) as server, dial(server) as socket:
        client = Client(socket)
        await client.send({"type": "session.start", "session": {"model": "m", **session}})
        await client.until("session.started")
        yield client


def sound(pcm: bytes) -> dict[str, Any]:
    return {**append(pcm), "type": "session.input_audio.append"}


async def test_nothing_happens_before_the_start_and_a_bad_start_may_be_mended():
    async with served() as server, dial(server) as socket:
        client = Client(socket)
        await client.send({**sound(noise(20)), "event_id": "early"})
        error = await client.until("error")
        assert (error["client_event_id"], error["error"]["client_event_id"]) == ("early", "early")
        assert (
            error["error"]["message"]
            == "session.input_audio.append: comes after session.start and its session.started"
        )
        await client.send({"type": "session.start", "session": {"model": "m", "store": True}})
        assert (await client.until("error"))["error"]["param"] == "session.store"
        await client.send(START)
        assert (await client.until("session.started"))["session"]["status"] == "active"
        await client.send(START)
        assert "has started already" in (await client.until("error"))["error"]["message"]


@pytest.mark.parametrize(
    ("event", "param", "part"),
    [
        ({"type": "decision.create"}, None, "no decision model"),
        ({"type": "response.create"}, None, "needs the delegation type responses"),
        ({"type": "session.output_audio.fixture.play", "audio": ""}, None, "ready sound is not played here"),
        ({"type": "session.commentary.append", "content": " "}, "content", "is empty"),
        ({"type": "session.thinking.append", "content": "x" * 4001}, "content", "4001 characters; at most 4000"),
        ({"type": "session.thinking.append", "content": "x", "delegation_id": "d"}, "delegation_id", "no delegation 'd'"),
        ({"type": "session.update", "session": {"instructions": "x"}}, "session.instructions", "cannot change"),
        ({"type": "response.cancel"}, None, "no such event"),
        ({"type": "session.input_audio.append", "audio": 7}, "audio", "Expected `bytes`"),
        ({"no": "type"}, "type", "every event has one"),
    ],
)  # fmt: skip
async def test_what_cannot_be_done_is_said_and_the_session_goes_on(event, param, part):
    async with calling() as client:
        await client.send({"event_id": "mine", **event})
        error = await client.until("error")
        assert (error["error"].get("param"), error["error"]["client_event_id"]) == (param, "mine")
        assert part in error["error"]["message"]
        await client.send({"type": "session.input_audio.mute"})
        await client.until("session.input_audio.muted")


async def test_what_changes_nothing_here_is_told_after_the_start():
    delegation = {"type": "responses", "responses": {"model": "m", "reasoning": {"effort": "low"}}}
    async with calling(delegation=delegation, audio={"output": {"voice": "af_heart"}}) as client:
        first, second = [await client.until("error"), await client.until("error")]
        assert (first["error"]["code"], first["error"]["param"]) == (
            "not_honoured", "session.delegation.responses.reasoning",
        )  # fmt: skip
        assert second["error"]["message"] == "the voice does not follow voice=af_heart: scripted: cannot"


async def test_delegation_may_be_changed_while_the_session_lives():
    async with calling(delegation={"type": "client"}) as client:
        change = {"delegation": {"type": "client", "acknowledgement_delay_ms": 700}}
        await client.send({"type": "session.update", "session": change, "event_id": "u"})
        updated = await client.until("session.updated")
        assert updated["client_event_id"] == "u"
        assert updated["session"]["delegation"] == {"type": "client", "acknowledgement_delay_ms": 700}


async def test_a_model_that_fails_is_told_and_the_session_goes_on():
    lines = [Line(times=1, error=Failure("out of order")), Line(text="Fine.")]
    async with calling(stack(lines)) as client:
        speech = sound(quiet(300) + noise(800) + quiet(600))
        await client.send(speech)
        error = await client.until("error")
        assert (error["error"]["code"], "out of order" in error["error"]["message"]) == ("model_failed", True)
        await client.send(speech)
        await client.until("session.output_audio.delta")


async def test_a_client_that_says_nothing_ends_in_time():
    async with served(limits=Limits(idle_s=0.3)) as server, dial(server) as socket:
        with pytest.raises(ConnectionClosed) as closed:
            await Client(socket).until("never")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1008


async def test_both_protocols_share_one_limit_of_sessions():
    async with served(limits=Limits(sessions=1)) as server, dial(server) as socket:
        client = Client(socket)
        await client.send(START)
        await client.until("session.started")
        with pytest.raises(Exception, match="503"):
            async with server.client():
                pass


async def test_a_client_that_dies_in_the_middle_leaves_nothing_behind():
    async with served() as server:
        async with dial(server) as socket:
            client = Client(socket)
            await client.send(START)
            await client.send(sound(quiet(300) + noise(800) + quiet(600)))
            await client.until("session.output_audio.delta")
            await client.send({"type": "session.input_audio.mute"})
            socket.transport.abort()
        async with asyncio.timeout(5):
            while server.hall.sessions:  # noqa: ASYNC110 - a set has no event to wait for
                await asyncio.sleep(0.02)
        assert [task for task in asyncio.all_tasks() if "LiveSession" in repr(task.get_coro())] == []
