from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.bridges.mcp_server import Desk, serve_http, server
from antiphon.envs.bridges.practice import Practice
from antiphon.errors import ConfigError
from antiphon.jsonl import Appender, read_records
from antiphon.trace import Trace
from tests.envs.desk import LEND, REFUSE, TOOLS, open_desk, write

MAIN = "from antiphon.cli.main import main; main()"
NEEDS = "needs the extra: pip install 'antiphon[mcp]'"
SECOND: dict[str, Any] = {**LEND, "task_id": "lend_again"}
PLAY: list[tuple[str, dict[str, Any], Any]] = [
    ("find", {"title": "Emma"}, {"books": {"B1": {"title": "Emma"}}}),
    ("episode_say", {"text": "Emma, is that right?"}, {"caller": "Yes.", "over": False}),
    ("lend", {"member": "4711", "book": "B1"}, {"loan": "L101"}),
    ("episode_say", {"text": "Your loan is L101."}, {"caller": "I'm listening.", "over": False}),
]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Practice(open_desk(tmp_path, LEND, SECOND)), "lend_emma")


async def test_a_session_plays_its_own_episode_on_its_own_state(desk: Desk):
    for tool, arguments, wanted in PLAY:
        assert await desk.call("a", tool, arguments) == (wanted, False)
    assert await desk.call("b", "give_back", {"loan": "L101"}) == ({"error": "no loan 'L101'"}, True)
    finished, failed = await desk.call("a", "episode_finish", {})
    assert not failed
    assert finished == {
        "reward": 1.0, "task": "lend_emma", "stop": "agent_hung_up", "status": "valid", "passed": True
    }  # fmt: skip
    assert await desk.call("a", "find", {"title": "Emma"}) == ({"error": "the episode is over"}, True)
    lost, _ = await desk.call("b", "episode_finish", {})
    assert (lost["reward"], lost["passed"]) == (0.0, False)
    assert lost["reason"].startswith("terminal state: /loans/L101 must be")


async def test_a_session_begins_another_task(desk: Desk):
    await desk.call("a", "lend", {"member": "4711", "book": "B1"})
    begun, _ = await desk.call("a", "episode_reset", {"task_id": "lend_again"})
    assert begun["task_id"] == "lend_again"
    assert begun["instructions"].startswith("# Lending desk")
    assert begun["caller"] == "Emma, please."
    assert (await desk.call("a", "lend", {"member": "4711", "book": "B1"}))[0] == {"loan": "L101"}
    with pytest.raises(ConfigError, match="no task of desk 'none'; there are: lend_again, lend_emma"):
        await desk.call("a", "episode_reset", {"task_id": "none"})


async def test_calls_of_one_session_that_come_at_once_play_one_episode(desk: Desk):
    found = await asyncio.gather(*(desk.call("a", "find", {"title": "Emma"}) for _ in range(4)))
    assert [failed for _, failed in found] == [False] * 4
    assert (await desk.call("a", "lend", {"member": "4711", "book": "B1"}))[0] == {"loan": "L101"}


async def test_every_trace_is_kept_once_however_its_session_ends(tmp_path: Path):
    practice = Practice(open_desk(tmp_path, LEND, SECOND))
    with Appender(tmp_path / "traces.jsonl") as traces:
        desk = Desk(practice, "lend_emma", traces, most=2)
        await desk.call("finished", "episode_finish", {})
        await desk.call("finished", "episode_reset", {"task_id": "lend_again"})
        await desk.call("second", "find", {"title": "Dune"})
        await desk.call("third", "find", {"title": "Emma"})  # there is room for two
        await desk.close()
        await desk.close()
    kept = read_records(tmp_path / "traces.jsonl", Trace)
    assert [(each.task, each.trial, len(each.steps), each.stop) for each in kept] == [
        ("lend_emma", 0, 1, "agent_hung_up"), ("lend_again", 1, 1, "agent_hung_up"),
        ("lend_emma", 0, 2, "agent_hung_up"), ("lend_emma", 0, 2, "agent_hung_up"),
    ]  # fmt: skip


async def test_a_model_under_test_is_not_offered_the_verdict(tmp_path: Path):
    desk = Desk(Practice(open_desk(tmp_path, LEND)), "lend_emma", control=False)
    assert [spec.name for spec in desk.specs] == ["find", "lend", "give_back", "episode_say"]
    assert (await desk.call("a", "episode_finish", {}))[0] == {
        "error": "no tool 'episode_finish'; there are: find, give_back, lend"
    }
    await desk.close()


def test_a_domain_whose_tools_have_our_names_is_refused(tmp_path: Path):
    clash = open_desk(tmp_path, LEND, tools_py=TOOLS.replace("def give_back", "def episode_say"))
    with pytest.raises(ConfigError, match="the MCP server needs the name 'episode_say' for itself"):
        Desk(Practice(clash), "lend_emma")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdks_own_client_plays_over_stdio(tmp_path: Path, mode: str):
    client = pytest.importorskip("mcp.client.client", reason=NEEDS)
    stdio = pytest.importorskip("mcp.client.stdio")
    home = write(tmp_path, LEND, REFUSE)
    out = tmp_path / "traces.jsonl"
    arguments = ["-c", MAIN, "envs", "mcp", str(home), "--task", "lend_emma", "--out", str(out)]
    command = stdio.StdioServerParameters(
        command=sys.executable, args=arguments, env={"PYTHONPATH": ":".join(filter(None, sys.path))}
    )
    async with client.Client(stdio.stdio_client(command), mode=mode) as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert [*tools] == [
            "find", "lend", "give_back", "episode_say", "episode_reset", "episode_finish"
        ]  # fmt: skip
        assert tools["lend"].input_schema["properties"]["weeks"]["enum"] == [1, 2]
        await _play(session)
        found = await session.call_tool("episode_reset", {"task_id": "nowhere"})
        assert found.is_error
        assert "no task of desk 'nowhere'" in found.content[0].text
    (trace,) = read_records(out, Trace)
    assert (trace.task, trace.system, len(trace.steps)) == ("lend_emma", "mcp", 7)


async def _play(session: Any) -> None:
    for tool, arguments, wanted in PLAY:
        found = await session.call_tool(tool, arguments)
        assert (found.is_error, found.structured_content, json.loads(found.content[0].text)) == (
            False, wanted, wanted
        )  # fmt: skip
    verdict = (await session.call_tool("episode_finish", {})).structured_content
    assert (verdict["passed"], verdict["reward"]) == (True, 1.0)


async def test_a_port_that_is_taken_is_the_users_error_and_announced_to_nobody(desk: Desk):
    pytest.importorskip("mcp", reason=NEEDS)
    told: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            ConfigError,
            match=rf"^127.0.0.1 port {port} cannot be had \(.+\); choose another --port, 0 for any$",
        ):
            await serve_http(desk, "127.0.0.1", port, told.append)
    assert told == []


async def test_a_free_port_is_announced_as_it_is(desk: Desk):
    pytest.importorskip("mcp", reason=NEEDS)
    pytest.importorskip("uvicorn", reason=NEEDS)
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve_http(desk, "127.0.0.1", 0, told.set_result))
    url = await told
    assert not url.startswith("http://127.0.0.1:0/")
    assert url.endswith("/mcp")
    with socket.create_connection(("127.0.0.1", int(url.split(":")[2].removesuffix("/mcp")))):
        pass
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving


async def test_sessions_over_http_are_told_by_their_address(desk: Desk):
    client = pytest.importorskip("mcp.client.client", reason=NEEDS)
    uvicorn = pytest.importorskip("uvicorn")
    listening = socket.create_server(("127.0.0.1", 0))  # who connects before the server is up waits for it
    port = listening.getsockname()[1]
    app = server(desk).streamable_http_app(host="127.0.0.1")
    running = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    serving = asyncio.create_task(running.serve(sockets=[listening]))
    url = f"http://127.0.0.1:{port}/mcp"
    try:
        async with client.Client(f"{url}?session=a") as first, client.Client(f"{url}?session=b") as second:
            await second.call_tool("lend", {"member": "4711", "book": "B1", "weeks": 2})
            await _play(first)
            lost = (await second.call_tool("episode_finish", {})).structured_content
            assert (lost["passed"], lost["reason"]) == (
                False, "terminal state: /loans/L101/weeks must be 1, and is 2"
            )  # fmt: skip
        async with client.Client(url, mode="legacy") as old:  # it has a session of its own
            assert (await old.call_tool("find", {"title": "Emma"})).is_error is False
        async with client.Client(url) as nameless:
            refused = await nameless.call_tool("find", {"title": "Emma"})
            assert refused.is_error
            assert "…/mcp?session=NAME" in refused.content[0].text
    finally:
        running.should_exit = True
        await serving
        await desk.close()
