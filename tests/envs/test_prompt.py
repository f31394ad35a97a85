from __future__ import annotations

from pathlib import Path

import msgspec

from antiphon.envs.prompt import END_CALL, agent_tools, prompt_for, prompt_version
from tests.envs.desk import open_desk


def test_the_agent_is_told_the_rules_then_the_date_then_how_to_work(tmp_path: Path):
    desk = open_desk(tmp_path)
    task = desk.task("lend_emma")
    told = prompt_for(desk, task)
    assert told.role == "system"
    assert told.text.startswith(f"{desk.rules}\n\nToday is 2026-08-12.\n\nYou are on a call.")
    mandarin = prompt_for(desk, msgspec.structs.replace(task, language="zh")).text
    assert mandarin.startswith(f"{desk.rules}\n\n今天是2026-08-12。")


def test_end_call_is_offered_where_the_agent_may_hang_up_and_the_domain_has_none(tmp_path: Path):
    desk = open_desk(tmp_path)
    specs = tuple(tool.spec for tool in desk.tools.values())
    assert [spec.name for spec in agent_tools(desk, specs, may_hang_up=True)][-1] == END_CALL
    assert agent_tools(desk, specs, may_hang_up=False) == specs
    own = 'def end_call(db: dict[str, int]) -> dict[str, int]:\n    """Hang up."""\n    return {}\n'
    other = open_desk(tmp_path / "other", tools_py=f"from __future__ import annotations\n\n\n{own}")
    own_specs = tuple(tool.spec for tool in other.tools.values())
    assert agent_tools(other, own_specs, may_hang_up=True) == own_specs


def test_the_version_is_short_and_stays():
    assert len(prompt_version()) == 8
    assert prompt_version() == prompt_version()
