from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from antiphon.messages import ToolResult, ToolSpec
from antiphon.models.scripted import Asked, Line
from antiphon.realtime.server.stack import Limits
from antiphon.realtime.settings import Settings
from tests.realtime.serving import Client, Served, served, stack

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from antiphon.messages import ToolCall

ANSWER = "This is the first sentence of it. And this is the second."


async def met(client: Client) -> tuple[str, str]:
    """The session's name and the token to come back with."""
    told = await client.until("duplex.session")
    return told["session_id"], told["resume"]["token"]


def again(server: Served, session: str, token: str, after: str | None = None) -> Any:
    last = "" if after is None else f"&after={after}"
    return server.client(f"&duplex=1&session={session}&resume={token}{last}")


async def alone(server: Served) -> None:
    async with asyncio.timeout(10):
        while not any(session.presence.alone for session in server.hall.sessions):  # noqa: ASYNC110 - as elsewhere
            await asyncio.sleep(0.01)


def places(client: Client) -> list[int]:
    return [event["at_ms"] for event in client.events if event["type"] == "duplex.audio_at"]


async def test_a_client_that_lost_its_connection_goes_on_at_the_word_and_misses_nothing():
    async with served(stack([Line(text=ANSWER)])) as server:
        async with server.client("&duplex=1") as socket:
            first = Client(socket)
            session, token = await met(first)
            await first.type("Tell me everything.")
            for _ in range(30):
                await first.until("response.output_audio.delta")
            socket.transport.abort()
        await alone(server)
        await asyncio.sleep(0.5)  # nobody listens: nothing goes on
        async with again(server, session, token, first.events[-1]["event_id"]) as socket:
            second = Client(socket)
            said = await second.until("duplex.said")
    assert second.kinds()[:2] == ["session.created", "duplex.session"]
    assert second.events[1]["resumed"] is True
    assert second.events[0]["session"]["id"] == session
    assert (said["heard_chars"], said["finish"]) == (len(ANSWER), "stop")
    resumed = next(event for event in second.events if event["type"] == "duplex.resumed")
    heard, went_on = places(first), places(second)
    assert heard == list(range(0, heard[-1] + 20, 20))
    assert heard[-1] - 600 < went_on[0] <= heard[-1] + 20  # what was sent ahead, and the word that was cut
    assert went_on[0] == resumed["from_ms"] // 20 * 20
    assert went_on == list(range(went_on[0], went_on[-1] + 20, 20))
    numbers = [int(event["event_id"].removeprefix("event_")) for event in (*first.events, *second.events[2:])]
    assert numbers == sorted(set(numbers))
    kinds = [event["type"] for event in (*first.events, *second.events)]
    for once in (
        "response.created",
        "response.output_item.added",
        "response.output_audio.done",
        "response.done",
    ):
        assert kinds.count(once) == 1
    words = [e["delta"] for e in (*first.events, *second.events) if e["type"].endswith("transcript.delta")]
    assert "".join(words) == ANSWER


async def test_what_was_sent_and_never_arrived_comes_again():
    async with served(stack([Line(text=ANSWER)])) as server:
        async with server.client("&duplex=1") as socket:
            first = Client(socket)
            session, token = await met(first)
            await first.type("Tell me everything.")
            for _ in range(30):
                await first.until("response.output_audio.delta")
            socket.transport.abort()
        # It claims to have got only the first ten frames: a second of speech went into a dead connection.
        at = [n for n, event in enumerate(first.events) if event["type"] == "response.output_audio.delta"][9]
        async with again(server, session, token, first.events[at]["event_id"]) as socket:
            second = Client(socket)
            await second.until("response.done")
        assert places(second)[0] <= 200
        assert places(second) == list(range(places(second)[0], places(second)[-1] + 20, 20))


async def test_a_connection_that_keeps_breaking_tells_everything_once_all_the_same():
    rng, seen = random.Random(7), list[dict[str, Any]]()
    async with served(stack([Line(text=ANSWER)])) as server:
        async with server.client("&duplex=1") as socket:
            client = Client(socket)
            session, token = await met(client)
            await client.type("Tell me everything.")
            await client.until("response.output_audio.delta")
            socket.transport.abort()
        seen += client.events
        for last in (False, False, False, False, True):
            async with again(server, session, token, seen[-1]["event_id"]) as socket:
                client = Client(socket)
                if last:
                    said = await client.until("duplex.said")
                else:
                    for _ in range(rng.randrange(2, 60)):  # also before, and within, what it missed
                        await client.until_any()
                    socket.transport.abort()
            seen += client.events
    numbers = [int(event["event_id"][6:]) for event in seen if "." not in event["event_id"]]
    assert numbers == sorted(set(numbers))
    kinds = [event["type"] for event in seen]
    assert (kinds.count("response.created"), kinds.count("response.done")) == (1, 1)
    assert "".join(e["delta"] for e in seen if e["type"].endswith("transcript.delta")) == ANSWER
    assert (said["heard_chars"], said["finish"]) == (len(ANSWER), "stop")
    heard = [event["at_ms"] for event in seen if event["type"] == "duplex.audio_at"]
    assert set(heard) == set(range(0, max(heard) + 20, 20))
    assert all(later <= earlier + 20 for earlier, later in pairwise(heard))  # back to a word, never past one


async def test_a_second_connection_takes_over_and_the_first_is_told():
    async with served(stack([Line(text="Yes.")])) as server, server.client("&duplex=1") as socket:
        first = Client(socket)
        session, token = await met(first)
        async with again(server, session, token) as other:
            second = Client(other)
            await second.until("duplex.session")
            with pytest.raises(ConnectionClosed) as closed:
                await first.until("never")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4001
            assert closed.value.rcvd.reason == "another connection has taken the session over"
            await second.type("hello")
            await second.until("response.done")
        assert len(server.hall.sessions) <= 1


@pytest.mark.parametrize(
    ("session", "token", "after", "status"),
    [
        (None, "guessed", None, 403),
        (None, "", None, 403),
        ("sess_of_nobody", None, None, 404),
        (None, None, "yesterday", 400),
        (None, None, "event_99999", 409),
    ],
)
async def test_only_who_knows_the_token_comes_in(session, token, after, status):
    async with served(stack([Line(text="Yes.")])) as server, server.client("&duplex=1") as socket:
        client = Client(socket)
        known, secret = await met(client)
        with pytest.raises(InvalidStatus) as refused:
            async with again(server, session or known, secret if token is None else token, after):
                pass
        assert refused.value.response.status_code == status
        await client.type("still there?")
        await client.until("response.created")


async def test_what_is_kept_no_more_cannot_be_made_whole():
    async with (
        served(stack([Line(text="Yes.")]), Limits(kept_bytes=2000)) as server,
        server.client("&duplex=1") as socket,
    ):
        client = Client(socket)
        session, token = await met(client)
        await client.type("hello")
        await client.until("response.done")
        with pytest.raises(InvalidStatus) as refused:
            async with again(server, session, token, client.events[0]["event_id"]):
                pass
        assert refused.value.response.status_code == 409


async def test_a_session_whose_client_stays_away_counts_and_ends_in_time():
    async with served(limits=Limits(sessions=1, resume_s=1.0)) as server:
        async with server.client("&duplex=1") as socket:
            session, token = await met(Client(socket))
            socket.transport.abort()
        await alone(server)
        with pytest.raises(InvalidStatus) as refused:
            async with server.client():
                pass
        assert refused.value.response.status_code == 503
        async with asyncio.timeout(5):
            while server.hall.sessions:  # noqa: ASYNC110 - a set has no event to wait for
                await asyncio.sleep(0.02)
        with pytest.raises(InvalidStatus) as refused:
            async with again(server, session, token):
                pass
        assert refused.value.response.status_code == 404
        assert server.hall.meter.counts["sessions_ended", "code", "1000"] == 1


async def test_who_says_goodbye_and_who_was_told_no_token_are_not_waited_for():
    async with served() as server:
        for query in ("&duplex=1", ""):
            async with server.client(query) as socket:
                await Client(socket).until("conversation.created")
                if not query:
                    socket.transport.abort()
            async with asyncio.timeout(5):
                while server.hall.sessions:  # noqa: ASYNC110 - a set has no event to wait for
                    await asyncio.sleep(0.02)
        assert ("lost", "", "") not in server.hall.meter.counts


async def test_a_drain_does_not_wait_for_the_absent():
    async with served(stack([Line(text=ANSWER * 3)])) as server:
        async with server.client("&duplex=1") as socket:
            client = Client(socket)
            await met(client)
            await client.type("Tell me everything.")
            await client.until("response.output_audio.delta")
            socket.transport.abort()
        await alone(server)
        await asyncio.wait_for(server.hall.drain(), 2)


class Slow:
    """A tool that takes its time, whoever listens."""

    def __init__(self) -> None:
        self.done = asyncio.Event()

    def specs(self) -> tuple[ToolSpec, ...]:
        return (ToolSpec("hours", "Opening hours", {"type": "object", "properties": {}}),)

    async def call(self, call: ToolCall) -> AsyncGenerator[ToolResult, None]:
        await self.done.wait()
        yield ToolResult(call.id, {"opens": 9})


async def test_tools_go_on_and_their_results_wait_for_the_listener():
    lines = [
        Line(match="When", text="", tool_calls=(Asked("hours", {}),)),
        Line(text="At nine."),
    ]
    made, slow = stack(lines), Slow()
    made = replace(
        made, parts=replace(made.parts, toolbox=lambda: slow), settings=Settings(tools=slow.specs())
    )
    async with served(made) as server:
        async with server.client("&duplex=1") as socket:
            first = Client(socket)
            session, token = await met(first)
            await first.type("When?")
            await first.until("response.done")
            socket.transport.abort()
        await alone(server)
        slow.done.set()
        await asyncio.sleep(0.3)
        async with again(server, session, token, first.events[-1]["event_id"]) as socket:
            second = Client(socket)
            await second.until("response.done")
            said = await second.until("duplex.said")
        assert "response.created" in second.kinds()
        assert (said["heard_chars"], said["finish"]) == (len("At nine."), "stop")
        assert places(second)[0] == 0
