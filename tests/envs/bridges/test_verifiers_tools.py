from __future__ import annotations

import inspect
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.envs.desk import LEND, write

pytest.importorskip("verifiers.v1", reason="needs the extra: pip install 'antiphon[verifiers]'")
from antiphon.envs.bridges.verifiers_tools import CallTools, steps_of


class Offered:
    """What a tool server offers, by name."""

    def __init__(self) -> None:
        self.tools: dict[str, Any] = {}

    def add_tool(self, function: Any, name: str, description: str) -> None:
        assert description
        self.tools[name] = function


async def served(folder: Path) -> tuple[CallTools, dict[str, Any]]:
    tools = CallTools(CallTools._config_cls()())
    await tools.setup_task(SimpleNamespace(domain=str(write(folder, LEND)), task_id="lend_emma"))
    offered = Offered()
    tools.register(offered)
    return tools, offered.tools


async def test_tools_play_on_the_state_that_the_rollout_has_reached(tmp_path: Path):
    tools, offered = await served(tmp_path)
    assert [*offered] == ["find", "lend", "give_back", "end_call"]
    assert [*inspect.signature(offered["lend"]).parameters] == ["member", "book", "weeks"]
    state = tools.state
    assert tools.play("lend", {"member": "4711", "book": "B1", "weeks": None}) == '{"loan":"L101"}'
    assert tools.play("give_back", {"loan": "L101"}) == '{"ok":true}'
    assert tools.play("lend", {"member": "4711"}) == '{"error":"the call lacks book"}'
    steps = steps_of(state.so_far)
    assert [step.call["name"] for step in steps] == ["lend", "give_back", "lend"]
    assert not state.over


async def test_hanging_up_and_too_many_calls_end_it(tmp_path: Path):
    tools, _ = await served(tmp_path)
    for _ in range(40):
        assert tools.play("find", {"title": "Emma"}) == '{"books":{"B1":{"title":"Emma"}}}'
    assert not tools.state.over
    assert tools.play("find", {"title": "Emma"}).startswith("The call has ended")
    assert tools.state.over
    other, _ = await served(tmp_path / "other")
    assert other.play("end_call", {}).startswith("The call has ended")
    assert (other.state.over, other.state.so_far) == (True, {})
