from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.execute import execute
from antiphon.envs.importers.foreign import ask, ask_counted, from_checkout, installed, unavailable
from antiphon.envs.tools import Tool
from antiphon.errors import ConfigError, UnavailableError
from antiphon.messages import ToolSpec

DB: dict[str, Any] = {"current_date": "2026-01-01", "orders": {"A": "open"}}


def tool(function: Any) -> dict[str, Tool]:
    return {"t": Tool(ToolSpec("t", "t", {"type": "object"}), function, dict)}


def test_a_function_that_writes_and_then_raises_has_failed_and_changed_nothing():
    def close(db: dict[str, Any]) -> None:
        db["orders"]["A"] = "closed"
        raise ValueError("no such card")

    done = execute(tool(lambda db: ask(close, db)), DB, "t", {})
    assert (done.value, done.error, done.defect, done.changes) == (
        {"error": "no such card"},
        "no such card",
        None,
        {},
    )
    assert done.db is DB


def test_an_error_without_words_is_told_by_its_kind():
    def close(_db: dict[str, Any]) -> None:
        raise KeyError

    assert execute(tool(lambda db: ask(close, db)), DB, "t", {}).error == "KeyError"


def test_a_status_of_error_is_a_failure_and_counts_as_a_call():
    def refund(params: dict[str, Any], db: dict[str, Any], call_index: int) -> dict[str, Any]:
        if "order" not in params:
            return {"status": "error", "error_type": "missing", "message": "which order?"}
        db["orders"][params["order"]] = f"refund {call_index}"
        return {"status": "success"}

    tools = tool(lambda db, order=None: ask_counted(refund, db, order=order))
    first = execute(tools, DB, "t", {}, ("/_calls",))
    assert (first.error, first.defect) == ("which order?", None)
    assert first.value == {
        "error": "which order?",
        "status": "error",
        "error_type": "missing",
        "message": "which order?",
    }
    second = execute(tools, first.db, "t", {"order": "A"}, ("/_calls",))
    assert second.db["orders"] == {"A": "refund 2"}
    assert second.db["_calls"] == {"refund": 2}


def test_a_module_of_a_checkout_is_loaded_without_the_packages_above_it(tmp_path: Path):
    folder = tmp_path / "src" / "heavy_voice_stack" / "tools"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise SystemExit('a whole voice stack')")
    (folder / "desk.py").write_text("from heavy_voice_stack.tools.names import NAME\n")
    (folder / "names.py").write_text("NAME = 'desk'\n")
    packages = ("heavy_voice_stack", "heavy_voice_stack.tools")
    module = from_checkout(tmp_path, packages, "heavy_voice_stack.tools.desk", "pip install it")
    assert module.NAME == "desk"
    other = tmp_path / "other"
    (other / "src" / "heavy_voice_stack" / "tools").mkdir(parents=True)
    with pytest.raises(ConfigError, match="one process uses one checkout"):
        from_checkout(other, packages, "heavy_voice_stack.tools.desk", "pip install it")
    with pytest.raises(ConfigError, match="is no such checkout"):
        from_checkout(tmp_path / "nowhere", packages, "heavy_voice_stack.tools.desk", "pip install it")


def test_a_missing_package_names_the_command_that_brings_it():
    with pytest.raises(UnavailableError, match=r"no_such_package.*; pip install it"):
        installed("no_such_package", "pip install it")
    with pytest.raises(UnavailableError, match="no tools; clone it"):
        unavailable("no tools", "clone it")
