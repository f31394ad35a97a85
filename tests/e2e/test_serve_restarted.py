"""A server process that is killed in the middle of conversations, and the next one, which goes on with them."""

from __future__ import annotations

import asyncio
import json
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from antiphon.jsonl import dumps
from tests.realtime.processes import process
from tests.realtime.serving import Client

if TYPE_CHECKING:
    from pathlib import Path

    from tests.realtime.processes import Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
ANSWER = "This is the first sentence of it. And this is the second one, which is longer. Here is a third."
HOURS = {
    "type": "function",
    "name": "hours",
    "description": "When it opens.",
    "parameters": {"type": "object"},
}


def script(folder: Path, *rows: dict[str, Any]) -> str:
    path = folder / "script.jsonl"
    path.write_text("".join(dumps(row) + "\n" for row in rows))
    return f"scripted:{path}"


def again(server: Server, told: dict[str, Any], after: str) -> Any:
    token = told["resume"]["token"]
    return server.client(f"&duplex=1&session={told['session_id']}&resume={token}&after={after}")


async def until_closed(client: Client) -> int:
    """The code with which the server, or its death, has closed."""
    try:
        while True:
            await client.until_any()
    except ConnectionClosed as closed:
        return 1006 if closed.rcvd is None else closed.rcvd.code


def written(client: Client) -> str:
    return "".join(e["delta"] for e in client.events if e["type"] == "response.output_audio_transcript.delta")


@pytest.mark.parametrize("signals", [[signal.SIGKILL], [signal.SIGTERM, signal.SIGTERM]])
async def test_an_answer_goes_on_at_its_word_at_the_next_server(tmp_path: Path, signals: list[int]):
    """Killed, or ended by an operator who does not wait."""
    kept = tmp_path / "kept"
    options = ("--keep", str(kept))
    model = script(tmp_path, {"text": ANSWER})
    async with process(*options, system=model) as server, server.client("&duplex=1") as socket:
        first = Client(socket)
        told = await first.until("duplex.session")
        assert told["kept"] is True
        await first.set(instructions="Be brief.")
        await first.type("Tell me everything.")
        while not any(event.get("at_ms", 0) >= 3000 for event in first.events):
            await first.until("duplex.audio_at")
        await asyncio.sleep(0.3)
        for number in signals:
            server.process.send_signal(number)
            await asyncio.sleep(0.1)
        assert await until_closed(first) in (1006, 1012)
        await server.process.wait()
    (file,) = kept.glob("*.json")
    assert (file.stat().st_mode & 0o777, kept.stat().st_mode & 0o777) == (0o600, 0o700)
    assert told["resume"]["token"] not in file.read_text()
    began = next(e for e in first.events if e["type"] == "response.created")["response"]["id"]
    item = next(e for e in first.events if e["type"] == "duplex.audio_at")["item_id"]
    async with process(*options, system=model) as server:
        async with again(server, told, first.events[-1]["event_id"]) as socket:
            second = Client(socket)
            said = await second.until("duplex.said")
            rest = await second.until("duplex.said")
            assert second.kinds()[:5] == [
                "session.created", "conversation.created", "duplex.session", "response.done", "duplex.said",
            ]  # fmt: skip
            created, _, here, done = second.events[:4]
            assert (created["session"]["id"], created["session"]["instructions"]) == (
                told["session_id"],
                "Be brief.",
            )
            assert (here["resumed"], here["restarted"], here["resume"]) == (True, True, told["resume"])
            assert (done["response"]["id"], done["response"]["status"]) == (began, "cancelled")
            assert (said["item_id"], said["finish"]) == (item, "interrupted")
            heard = ANSWER[: said["heard_chars"]]
            assert 20 < len(heard) < len(ANSWER)
            assert heard.rstrip() + " " + written(second) == ANSWER
            assert (rest["finish"], rest["heard_chars"]) == ("stop", len(written(second)))
            await second.send({"type": "conversation.item.retrieve", "item_id": item})
            known = (await second.until("conversation.item.retrieved"))["item"]
            assert known["content"][0]["transcript"] == heard
            numbers = [int(e["event_id"].removeprefix("event_")) for e in (*first.events, *second.events)]
            assert numbers == sorted(set(numbers))
        async with asyncio.timeout(10):  # it said goodbye
            while list(kept.glob("*.json")):  # noqa: ASYNC110 - a file tells nobody
                await asyncio.sleep(0.05)
        with pytest.raises(InvalidStatus) as refused:
            async with again(server, told, "event_1"):
                pass
        assert refused.value.response.status_code == 404


async def test_a_call_that_was_out_when_the_server_died_returns_to_the_next_one(tmp_path: Path):
    options = ("--keep", str(tmp_path / "kept"))
    model = script(
        tmp_path,
        {"match": "open?", "tool_calls": [{"name": "hours", "id": "call_7"}]},
        {"match": "*", "text": "It opens at nine."},
    )
    async with process(*options, system=model) as server, server.client("&duplex=1") as socket:
        first = Client(socket)
        told = await first.until("duplex.session")
        await first.set(tools=[HOURS])
        await first.type("When does it open?")
        await first.until("response.function_call_arguments.done")
        await first.until("response.done")
        await asyncio.sleep(0.5)
        await server.end(signal.SIGKILL)
        assert await until_closed(first) == 1006
    async with (
        process(*options, system=model) as server,
        again(server, told, first.events[-1]["event_id"]) as socket,
    ):
        second = Client(socket)
        created = await second.until("session.created")
        assert [tool["name"] for tool in created["session"]["tools"]] == ["hours"]
        await second.create(
            {"type": "function_call_output", "call_id": "call_7", "output": json.dumps({"opens": 9})}
        )
        await second.send({"type": "response.create"})
        done = (await second.until("response.done"))["response"]
        assert done["output"][0]["content"][0]["transcript"] == "It opens at nine."


async def test_only_who_has_key_and_token_comes_back_and_one_server_has_the_folder(
    tmp_path: Path, monkeypatch
):
    monkeypatch.setenv("ANTIPHON_SERVE_KEY", "0123456789abcdef")
    options = ("--keep", str(tmp_path / "kept"))
    headers = {"Authorization": "Bearer 0123456789abcdef"}
    async with process(*options) as server, server.client("&duplex=1", additional_headers=headers) as socket:
        first = Client(socket)
        told = await first.until("duplex.session")
        await first.type("Hello")
        await first.until("duplex.said")
        with pytest.raises(AssertionError, match="another server keeps its sessions there"):
            async with process(*options):
                pass
        await server.end(signal.SIGTERM)
        assert await until_closed(first) == 1012
    async with process(*options) as server:
        query = f"&duplex=1&session={told['session_id']}&resume="
        for given, token, status in (({}, told["resume"]["token"], 401), (headers, "another", 403)):
            with pytest.raises(InvalidStatus) as refused:
                async with server.client(query + token, additional_headers=given):
                    pass
            assert refused.value.response.status_code == status
        async with server.client(query + told["resume"]["token"], additional_headers=headers) as socket:
            second = Client(socket)
            assert (await second.until("duplex.session"))["restarted"] is True
            await second.type("And again")
            assert (await second.until("duplex.said"))["finish"] == "stop"
            with suppress(ConnectionClosed):
                await socket.close()
