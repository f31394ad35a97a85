from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed

from antiphon.clock import RealClock, VirtualClock
from antiphon.errors import ConfigError
from antiphon.models.scripted import Line
from antiphon.realtime.engine.kept import Kept
from antiphon.realtime.protocols.ga_kept import Talk
from antiphon.realtime.protocols.ga_session import fresh
from antiphon.realtime.server.kept_sessions import KeptSession, KeptSessions, hashed
from antiphon.realtime.server.stack import RESTART
from tests.realtime.serving import Client, Noting, served, stack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "sess_00000000000000aa"


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[KeptSessions]:
    made = KeptSessions(tmp_path / "kept", VirtualClock(), 60)
    yield made
    made.close()


def session(shelf: KeptSessions, name: str = NAME, lasts_s: float = 3600) -> bytes:
    expires = int(shelf.clock.utc().timestamp() + lasts_s)
    talk = Talk(fresh(name, "m", "default", expires), (), {}, 0, None, None, (), ())
    return msgspec.json.encode(KeptSession(name, hashed("secret"), expires, 7, 0, 0, {}, talk, Kept()))


def now_s(shelf: KeptSessions) -> float:
    return shelf.clock.utc().timestamp()


def later(shelf: KeptSessions, seconds: float) -> None:
    assert isinstance(shelf.clock, VirtualClock)
    shelf.clock.advance_us(round(seconds * 1e6))


def test_a_session_may_be_had_again_until_its_client_was_away_for_too_long(shelf: KeptSessions):
    shelf.write(NAME, session(shelf), now_s(shelf))
    found = shelf.read(NAME)
    assert found is not None
    assert (found.session, found.number, found.talk.settings.model) == (NAME, 7, "m")
    later(shelf, 50)
    shelf.seen(NAME, now_s(shelf))
    later(shelf, 60)
    assert shelf.read(NAME) is not None
    later(shelf, 10)
    assert shelf.read(NAME) is None
    assert shelf.sweep() == [NAME]
    assert shelf.sweep() == []


def test_a_session_whose_own_length_is_over_is_gone(shelf: KeptSessions):
    shelf.write(NAME, session(shelf, lasts_s=10), now_s(shelf))
    later(shelf, 11)
    assert shelf.read(NAME) is None


@pytest.mark.parametrize(
    "name", ["", "../secret", "sess_", "sess_0000/../0000", "live_00000000000000aa", "sess_000000ab"]
)
def test_what_is_no_sessions_name_reads_no_file(shelf: KeptSessions, name: str):
    (shelf.folder.parent / "secret.json").write_bytes(session(shelf))
    assert shelf.read(name) is None


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"kind":"antiphon-session","v":1}'])
def test_a_file_that_is_no_session_is_none(shelf: KeptSessions, broken: bytes):
    shelf.write(NAME, broken, now_s(shelf))
    assert shelf.read(NAME) is None
    shelf.write(NAME, session(shelf, "sess_00000000000000bb"), now_s(shelf))
    assert shelf.read(NAME) is None


def test_a_sweep_takes_what_a_killed_server_left_half_written_and_nothing_of_others(shelf: KeptSessions):
    torn, mine = shelf.folder / f".{NAME}.json.123-456", shelf.folder / "notes.json"
    for path in (torn, mine):
        path.write_text("{")
        os.utime(path, (now_s(shelf), now_s(shelf)))
    assert shelf.sweep() == []
    later(shelf, 3600)
    assert shelf.sweep() == [NAME]
    assert {path.name for path in shelf.folder.iterdir()} == {"notes.json", ".lock"}


def test_a_folder_has_one_server(shelf: KeptSessions):
    with pytest.raises(ConfigError, match="another server keeps its sessions there"):
        KeptSessions(shelf.folder, VirtualClock(), 60)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"--keep .*file: cannot be written"):
        KeptSessions(tmp_path / "file", VirtualClock(), 60)


# ---- with a server


async def met(client: Client) -> dict[str, Any]:
    return await client.until("duplex.session")


def back(told: dict[str, Any]) -> str:
    return f"&duplex=1&session={told['session_id']}&resume={told['resume']['token']}"


async def test_the_model_at_the_next_server_reads_what_was_said_at_the_first(tmp_path: Path):
    kept = KeptSessions(tmp_path / "kept", RealClock(), 60)
    chat = Noting(Line(text="Good morning to you."))
    made = replace(stack(chat=chat), keep=kept)
    async with served(made) as server, server.client("&duplex=1") as socket:
        first = Client(socket)
        told = await met(first)
        await first.create(
            {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "It rains."}]}
        )
        await first.type("Good morning.")
        await first.until("duplex.said")
        await first.create(
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And"}]}
        )
        await first.until("conversation.item.done")
        await server.hall.drain()
        with pytest.raises(ConnectionClosed) as closed:
            await first.until("never")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == RESTART
    async with served(made) as server, server.client(back(told)) as socket:
        second = Client(socket)
        assert (await met(second))["restarted"] is True
        await second.type("Good night.")
        await second.until("duplex.said")
        assert chat.asked() == [
            ("system", "It rains."), ("user", "Good morning."), ("assistant", "Good morning to you."), ("user", "And"),
            ("user", "Good night."),
        ]  # fmt: skip
        names = [
            e["item"]["id"] for e in (*first.events, *second.events) if e["type"] == "conversation.item.added"
        ]
        assert len(set(names)) == len(names)
    kept.close()


async def test_who_minds_being_recorded_and_who_was_told_no_token_is_not_kept(tmp_path: Path):
    kept = KeptSessions(tmp_path / "kept", RealClock(), 60)
    async with served(replace(stack(), keep=kept)) as server:
        async with server.client("&duplex=1&record=0") as socket:
            client = Client(socket)
            assert (await met(client))["kept"] is False
            await client.type("Hello")
            await client.until("duplex.said")
        async with server.client() as socket:
            client = Client(socket)
            await client.type("Hello")
            await client.until("response.done")
        assert list(kept.folder.glob("*.json")) == []
    kept.close()
