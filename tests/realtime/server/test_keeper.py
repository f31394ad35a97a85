from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from antiphon.clock import RealClock
from antiphon.errors import DataError
from antiphon.models.scripted import Line
from antiphon.realtime.server.keeper import Keeper
from antiphon.realtime.server.kept_sessions import KeptSession, KeptSessions
from tests.realtime.server.test_kept_sessions import NAME, session
from tests.realtime.serving import Client, served, stack

if TYPE_CHECKING:
    from pathlib import Path


class Noting(KeptSessions):
    """A shelf that counts what was written, and may be slow to do it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.numbers: list[int] = []

    def write(self, name: str, data: bytes, seen_s: float) -> None:
        self.numbers.append(msgspec.json.decode(data, type=KeptSession).number)
        super().write(name, data, seen_s)


async def test_what_changed_is_written_soon_and_once_and_the_last_of_it_at_the_end(tmp_path: Path):
    shelf = Noting(tmp_path, RealClock(), 60)
    now = msgspec.json.decode(session(shelf), type=KeptSession)

    def failed(why: str) -> None:
        raise AssertionError(why)

    keeper = Keeper(NAME, shelf, shelf.clock, lambda: now, lambda: True, failed)
    running = asyncio.create_task(keeper.run())
    keeper.changed()
    while not shelf.numbers:  # noqa: ASYNC110 - a file tells nobody
        await asyncio.sleep(0.01)
    keeper.changed()  # though nothing did
    await asyncio.sleep(0.3)
    assert shelf.numbers == [7]
    now = replace(now, number=8)
    running.cancel()
    await asyncio.wait([running])
    await keeper.end(comes_back=True)
    assert shelf.numbers == [7, 8]
    assert shelf.read(NAME) == now
    await keeper.end(comes_back=False)
    assert shelf.read(NAME) is None
    shelf.close()


async def test_a_disk_that_refuses_is_told_once_and_the_session_goes_on(tmp_path: Path):
    class Full(KeptSessions):
        def write(self, name: str, data: bytes, seen_s: float) -> None:
            raise DataError(self._path(name), "not written (no space)")

    kept = Full(tmp_path / "kept", RealClock(), 60)
    async with (
        served(replace(stack([Line(text="Yes.")]), keep=kept)) as server,
        server.client("&duplex=1") as socket,
    ):
        client = Client(socket)
        await client.type("Hello")
        await client.until("duplex.said")
        await client.type("Hello")
        await client.until("duplex.said")
        errors = [event["error"]["message"] for event in client.events if event["type"] == "error"]
        assert [text.partition(":")[0] for text in errors] == ["the session is not kept"]
    kept.close()
