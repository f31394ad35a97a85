from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.domain import Domain
from antiphon.envs.execute import execute
from antiphon.envs.tools import Tool
from antiphon.messages import ToolSpec
from tests.envs.desk import DB, open_desk


@pytest.fixture
def desk(tmp_path: Path) -> Domain:
    return open_desk(tmp_path)


def tool(function: Any) -> dict[str, Tool]:
    return {"t": Tool(ToolSpec("t", "made", {}), function, lambda arguments: arguments)}


def test_a_call_gives_the_next_document_and_leaves_the_first_alone(desk: Domain):
    before = copy.deepcopy(DB)
    done = execute(desk.tools, desk.dbs["main.json"], "lend", {"member": "4711", "book": "B1"}, ("/log",))
    assert done.value == {"loan": "L101"}
    assert (done.error, done.defect) == (None, None)
    assert done.changes == {
        "/loans/L101": {"to": {"member": "4711", "book": "B1", "weeks": 1}},
        "/log/0": {"to": {"did": "lend", "loan": "L101"}},
    }
    assert desk.dbs["main.json"] == before
    assert done.db["books"] is desk.dbs["main.json"]["books"]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("lend", {"member": "1", "book": "B1"}, "no member '1'"),
        ("land", {}, "no tool 'land'; there are: find, give_back, lend"),
        ("lend", {"member": 4711, "book": "B1"}, "member: Expected `str`, got `int`"),
        ("find", {"title": "x" * 10_000_000}, "10000012 bytes of arguments; a call takes at most 65536"),
        ("find", {"title": "\ud800"}, "the arguments are no JSON"),
        ("find", {"title": {1, 2}.__class__}, "the arguments are no JSON"),
        ("find", ["Emma"], "the arguments are no JSON object"),
    ],
)
def test_what_a_model_does_wrong_is_an_error_to_read(desk: Domain, name: str, arguments: Any, error: str):
    db = desk.dbs["main.json"]
    done = execute(desk.tools, db, name, arguments)
    assert done.error is not None
    assert done.error.startswith(error)
    assert done.value == {"error": done.error}
    assert (done.db is db, done.changes, done.defect) == (True, {}, None)


def test_arguments_too_large_are_noted_and_not_kept(desk: Domain):
    done = execute(desk.tools, desk.dbs["main.json"], "find", {"title": "x" * 10_000_000})
    assert done.arguments == {"omitted_bytes": 10_000_012}


def test_arguments_are_copied_before_the_tool_sees_them():
    given = {"tags": ["a"]}

    def store(db: Any, tags: list[str]) -> Any:
        db["tags"] = tags
        tags.append("b")
        return {"ok": True}

    done = execute(tool(store), {}, "t", given)
    assert given == {"tags": ["a"]}
    assert done.db == {"tags": ["a", "b"]}


def _raises(db: Any) -> Any:
    db["a"]["n"] = 2
    raise KeyError("x")


def _exits(db: Any) -> Any:
    db["a"]["n"] = 2
    raise SystemExit(3)


def _writes_and_fails(db: Any) -> Any:
    db["a"]["n"] = 2
    return {"error": "too late"}


def _stores_a_set(db: Any) -> Any:
    db["a"]["n"] = {1}
    return {}


def _returns_an_object(db: Any) -> Any:
    db["a"]["n"] = 2
    return {"made": object()}


def _contains_itself(db: Any) -> Any:
    db["a"]["self"] = db["a"]
    return {}


@pytest.mark.parametrize(
    ("function", "defect"),
    [
        (_raises, "raised KeyError: 'x'"),
        (_exits, "raised SystemExit: 3"),
        (_writes_and_fails, "wrote /a/n and then failed: too late"),
        (_stores_a_set, "raised NotJsonError: /a/n: set '{1}' is no JSON value"),
        (_returns_an_object, "raised TypeError: Encoding objects of type object is unsupported"),
        (_contains_itself, "raised RecursionError"),
    ],
)
def test_a_tool_that_misbehaves_is_rolled_back_with_a_defect(function: Any, defect: str):
    db = {"a": {"n": 1}}
    done = execute(tool(function), db, "t", {})
    assert done.db is db
    assert db == {"a": {"n": 1}}
    assert done.error is not None
    assert done.changes == {}
    assert (done.defect or "").startswith(defect)


def test_a_failure_may_be_written_to_an_audit_table():
    def logs(db: Any) -> Any:
        db["log"].append("tried")
        return {"error": "no"}

    done = execute(tool(logs), {"log": []}, "t", {}, ("/log",))
    assert (done.db, done.error, done.defect) == ({"log": ["tried"]}, "no", None)
    assert done.changes == {"/log/0": {"to": "tried"}}
