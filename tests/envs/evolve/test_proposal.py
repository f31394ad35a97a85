from __future__ import annotations

import pytest

from antiphon.envs.evolve.proposal import Proposal, as_json, as_task
from antiphon.errors import DataError
from tests.envs.evolve.worlds import flights


def test_a_task_comes_back_from_its_json():
    for task in flights().tasks:
        assert as_task(Proposal(as_json(task), "", "none", "test")) == task


def test_what_is_at_its_default_is_left_out():
    found = as_json(flights().task("write_hold_flex_basic"))
    assert list(found)[:7] == [
        "task_id", "db", "user_system_prompt", "expected_outcome", "expected_db", "reference_tool_calls", "assertions",
    ]  # fmt: skip
    assert found["reference_tool_calls"][0].keys() == {"tool", "arguments"}
    assert as_json(flights().task("unsupported_seat"))["reference_tool_calls"] == []
    assert "expected_absent" not in found


def test_what_is_no_task_is_refused_with_its_field():
    bad = Proposal({"task_id": "x", "db": 3, "user_system_prompt": "You.", "expected_outcome": "write"}, "", "none", "test")  # fmt: skip
    with pytest.raises(DataError, match="proposal x x db"):
        as_task(bad)
