from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from websockets.exceptions import InvalidStatus

from antiphon.clock import RealClock
from antiphon.realtime.server.kept_sessions import KeptSessions
from antiphon.realtime.server.stack import Limits
from tests.realtime.server.test_kept_sessions import back, met
from tests.realtime.serving import Client, served, stack

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("token", "after", "status"), [("another", "event_3", 403), ("", "event_3", 403), (None, "three", 400)]
)
async def test_only_who_knows_the_token_comes_back_to_what_was_kept(tmp_path: Path, token, after, status):
    kept = KeptSessions(tmp_path / "kept", RealClock(), 60)
    made = replace(stack(), keep=kept)
    async with served(made) as server, server.client("&duplex=1") as socket:
        told = await met(Client(socket))
        await asyncio.sleep(0.3)
        await server.hall.drain()
    given = told["resume"]["token"] if token is None else token
    async with served(made) as server:
        with pytest.raises(InvalidStatus) as refused:
            async with server.client(f"&duplex=1&session={told['session_id']}&resume={given}&after={after}"):
                pass
    assert refused.value.response.status_code == status
    kept.close()


async def test_a_kept_session_takes_a_place_and_is_begun_again_once(tmp_path: Path):
    kept = KeptSessions(tmp_path / "kept", RealClock(), 60)
    made = replace(stack(), keep=kept)
    async with served(made) as server, server.client("&duplex=1") as socket:
        told = await met(Client(socket))
        await asyncio.sleep(0.3)
        await server.hall.drain()
    async with served(made, Limits(sessions=1)) as server:
        async with server.client() as other:
            await Client(other).until("session.created")
            with pytest.raises(InvalidStatus) as refused:
                async with server.client(back(told)):
                    pass
            assert refused.value.response.status_code == 503
        async with asyncio.timeout(5):
            while server.hall.sessions:  # noqa: ASYNC110 - as elsewhere
                await asyncio.sleep(0.01)
        async with server.client(back(told)) as one, server.client(back(told) + "&after=event_3") as two:
            first, second = Client(one), Client(two)
            assert (await met(first))["restarted"] is True
            again = await met(second)  # the same session, which lives here now
            assert (again["resumed"], again.get("restarted")) == (True, None)
            assert len(server.hall.sessions) == 1
    kept.close()
