from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.bench.create.plan import Plan, read_plan, write_plan
from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_plan_is_kept_and_read_back(tmp_path: Path):
    plan = Plan(
        "q.jsonl", "trial", scorers=("a:",), skip=("adapt",), licences=("texts: CC0",), meta={"models": {}}
    )
    write_plan(tmp_path, plan)
    assert read_plan(tmp_path) == plan


def test_where_there_is_no_plan_there_is_no_creation(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"no creation in .*: create.json is missing"):
        read_plan(tmp_path)


def test_impossible_wishes_are_refused():
    with pytest.raises(ConfigError, match="--attempts counts from 1, not 0"):
        Plan("q.jsonl", "x", attempts=0)
    with pytest.raises(ConfigError, match="--skip check: only entities and adapt can be left out"):
        Plan("q.jsonl", "x", skip=("check",))
