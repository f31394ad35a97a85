from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.clock import VirtualClock
from antiphon.envs.bridges.practice import Practice
from antiphon.envs.bridges.seat import Seat, Turn
from antiphon.envs.prompt import prompt_version
from antiphon.envs.rollout import RolloutSettings
from antiphon.messages import ToolCall, ToolResult
from antiphon.partner.user import ScriptedPartner
from tests.envs.desk import open_desk


def seat(folder: Path, settings: RolloutSettings | None = None) -> Seat:
    desk = open_desk(folder)
    task = desk.task("lend_emma")
    assert task.script is not None
    return Seat(
        desk, task, ScriptedPartner(task.script), "outside", settings=settings or RolloutSettings(),
        seed=3, trial=1, clock=VirtualClock(),
    )  # fmt: skip


async def test_an_episode_is_played_from_outside_to_the_end_of_the_script(tmp_path: Path):
    mine = seat(tmp_path)
    assert mine.system_prompt.startswith("# Lending desk")
    assert [tool.name for tool in mine.tools] == ["find", "lend", "give_back", "end_call"]
    assert await mine.open() == Turn("Emma, please.")
    found = await mine.call("find", {"title": "Emma"})
    assert found == Turn("", (ToolResult("call_1", {"books": {"B1": {"title": "Emma"}}}),))
    assert await mine.say("What is your number?") == Turn("4711.")
    assert await mine.say("Emma for 4711, is that right?") == Turn("Yes.")
    lending = (
        ToolCall("a", "lend", {"member": "4711", "book": "B1"}),
        ToolCall("b", "lend", {"member": "9"}),
    )
    turn = await mine.act("One moment.", lending)
    assert turn.words == ""
    assert turn.results == (
        ToolResult("a", {"loan": "L101"}),
        ToolResult("b", {"error": "the call lacks book"}, "the call lacks book"),
    )
    for words in ("Your loan is L101.", "Bye.", "Bye."):
        turn = await mine.say(words)
    assert turn.words == "Bye."
    trace = turn.trace
    assert trace is not None
    assert (trace.stop, trace.system, trace.partner, trace.seed, trace.trial) == (
        "partner_hung_up", "outside", "scripted:partner", 3, 1,
    )  # fmt: skip
    assert await mine.say("Hello?") == Turn("", (), trace)
    assert await mine.leave() == trace


async def test_limits_and_the_agents_own_hanging_up_end_an_episode_from_outside_too(tmp_path: Path):
    mine = seat(tmp_path, RolloutSettings(max_calls=1))
    await mine.open()
    assert (await mine.call("find", {"title": "Emma"})).trace is None
    over = (await mine.call("find", {"title": "Emma"})).trace
    assert over is not None
    assert (over.stop, over.why) == ("tool_limit", "1 tool calls")
    other = seat(tmp_path / "other")
    await other.open()
    hung_up = (await other.call("end_call", {})).trace
    assert hung_up is not None
    assert hung_up.stop == "agent_hung_up"


async def test_whoever_leaves_gets_a_complete_trace(tmp_path: Path):
    mine = seat(tmp_path)
    await mine.open()
    await mine.call("find", {"title": "Emma"})
    trace = await mine.leave("turn_limit", "no more tokens")
    assert (trace.stop, trace.why, trace.system, len(trace.steps)) == (
        "turn_limit",
        "no more tokens",
        "outside",
        2,
    )
    assert trace.versions["prompt"] == prompt_version()
    assert await mine.call("find", {"title": "Emma"}) == Turn("", (), trace)
    assert len(mine.episode.steps) == 2


async def test_nobody_acts_in_an_episode_that_is_not_open(tmp_path: Path):
    mine = seat(tmp_path)
    with pytest.raises(RuntimeError, match="not been opened"):
        await mine.say("Hello?")
    with pytest.raises(RuntimeError, match="not been opened"):
        await mine.leave()


async def test_two_seats_never_share_state(tmp_path: Path):
    practice = Practice(open_desk(tmp_path))
    first, second = (practice.seat("lend_emma", "outside", trial=trial) for trial in range(2))
    await first.open()
    await second.open()
    await first.call("lend", {"member": "4711", "book": "B1"})
    assert "L101" in first.episode.db["loans"]
    assert "L101" not in second.episode.db["loans"]
    assert len(second.episode.steps) == 1
    await first.leave()
    await second.leave()
