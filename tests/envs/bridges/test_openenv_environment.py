from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.bridges.practice import Practice
from antiphon.errors import ConfigError
from tests.envs.desk import LEND, open_desk

pytest.importorskip("openenv", reason="needs the extra: pip install 'antiphon[openenv]'")
from antiphon.envs.bridges.openenv_environment import CallAction, CallEnvironment, app

SECOND: dict[str, Any] = {**LEND, "task_id": "lend_again"}
PLAY: list[dict[str, Any]] = [
    {"tool": "find", "arguments": {"title": "Emma"}},
    {"text": "Emma, is that right?"},
    {"tool": "lend", "arguments": {"member": "4711", "book": "B1"}, "text": "One moment."},
    {"text": "Your loan is L101."},
    {"tool": "end_call"},
]


@pytest.fixture
def practice(tmp_path: Path) -> Practice:
    return Practice(open_desk(tmp_path, LEND, SECOND))


def test_an_episode_is_reset_and_stepped_to_its_reward(practice: Practice):
    environment = CallEnvironment(practice)
    begun = environment.reset(task_id="lend_again", episode_id="e1")
    assert (begun.caller, begun.done, begun.reward) == ("Emma, please.", False, None)
    assert begun.instructions.startswith("# Lending desk")
    assert [tool["name"] for tool in begun.tools] == ["find", "lend", "give_back", "end_call"]
    seen = [environment.step(CallAction(**each)) for each in PLAY]
    assert [(each.caller, each.result, each.failed, each.done, each.reward) for each in seen] == [
        ("", {"books": {"B1": {"title": "Emma"}}}, False, False, None),
        ("Yes.", None, False, False, None),
        ("", {"loan": "L101"}, False, False, None),
        ("I'm listening.", None, False, False, None),
        ("", None, False, True, 1.0),
    ]
    state = environment.state
    assert (state.episode_id, state.task_id, state.step_count) == ("e1", "lend_again", 5)
    assert (state.stop, state.status, state.reason) == ("agent_hung_up", "valid", None)
    after = environment.step(CallAction(text="Hello?"))
    assert (after.done, after.reward) == (True, 1.0)


def test_tasks_are_listed_and_chosen_by_index_or_in_turn(practice: Practice):
    environment = CallEnvironment(practice)
    assert environment.list_splits() == ["all"]
    assert environment.num_tasks("all") == 2
    assert environment.get_task("all", 1) == {
        "id": "lend_again", "index": 1, "expected_outcome": "write", "tags": []
    }  # fmt: skip
    assert [each["id"] for each in environment.get_task_range("all", 1)] == ["lend_again"]
    chosen: list[str] = []
    for given in ({"index": 1}, {}, {}):
        environment.reset(**given)
        chosen.append(environment.state.task_id)
    assert chosen == ["lend_again", "lend_again", "lend_emma"]  # in turn: by how many were played before
    environment.close()


def test_what_is_not_there_is_said(practice: Practice):
    environment = CallEnvironment(practice)
    with pytest.raises(ConfigError, match="reset the environment before"):
        environment.step(CallAction(text="Hello?"))
    with pytest.raises(ConfigError, match="no task 2; there are 2, from 0"):
        environment.reset(index=2)
    with pytest.raises(ConfigError, match="no split 'test'; there are: all"):
        environment.reset(split="test", index=0)


async def test_sessions_of_the_real_server_share_no_state(practice: Practice):
    core = pytest.importorskip("openenv.core")
    uvicorn = pytest.importorskip("uvicorn")
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    running = uvicorn.Server(uvicorn.Config(app(practice), log_level="error"))
    serving = asyncio.create_task(running.serve(sockets=[listening]))
    try:
        async with (
            core.GenericEnvClient(base_url=url) as first,
            core.GenericEnvClient(base_url=url) as second,
        ):
            begun = await first.reset(task_id="lend_emma")
            assert begun.observation["caller"] == "Emma, please."
            await second.reset(task_id="lend_emma")
            spoilt = await second.step(
                {"tool": "lend", "arguments": {"member": "4711", "book": "B1", "weeks": 2}}
            )
            assert spoilt.observation["result"] == {"loan": "L101"}
            for each in PLAY:
                last = await first.step(each)
            lost = await second.step({"tool": "end_call"})
            assert (last.done, last.reward) == (True, 1.0)
            assert (lost.done, lost.reward) == (True, 0.0)
            state = await second.state()
            assert state["reason"] == "terminal state: /loans/L101/weeks must be 1, and is 2"
    finally:
        running.should_exit = True
        await serving
