from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.domain import open_domain
from antiphon.envs.importers.expect import expectation
from antiphon.envs.importers.folder import Content, write
from antiphon.errors import ConfigError, DataError
from tests.envs.desk import RULES, TOOLS

DB: dict[str, Any] = {
    "current_date": "2026-08-12",
    "members": {"4711": {}},
    "books": {"B1": {"title": "Dune"}},
    "loans": {},
    "log": [],
}
TASK: dict[str, Any] = {
    "task_id": "lend",
    "db": "@dbs/main.json",
    "user_system_prompt": "You are member 4711 and want B1.",
    "expected_outcome": "unlabelled",
    "reference_tool_calls": [
        {"tool": "give_back", "arguments": {"loan": "L9"}},
        {"tool": "lend", "arguments": {"member": "4711", "book": "B1"}},
    ],
}


def content(**other: Any) -> Content:
    return Content(
        **{
            "name": "desk",
            "rules": RULES,
            "dbs": {"main.json": DB},
            "tools": TOOLS,
            "tasks": (TASK,),
            **other,
        }
    )


def finish(domain: Any, task: Any, played: Any, entry: dict[str, Any]) -> str | None:
    expected, _ = expectation(domain.initial(task), played.final, played.permitted)
    entry |= {"expected_outcome": "write", "expected_db": expected}
    return "by hand"


def test_a_corpus_becomes_a_domain_that_opens(tmp_path: Path):
    imported = write(content(audit=("/log",)), tmp_path, finish)
    domain = open_domain(str(tmp_path / "desk"))
    assert domain.settings.audit == ("/log",)
    assert domain.settings.partial_references
    assert domain.task("lend").expected_db == {
        "loans": {"L100": {"member": "4711", "book": "B1", "weeks": 1}}
    }
    assert imported.row() == {
        "domain": "desk",
        "folder": str(tmp_path / "desk"),
        "tasks": 1,
        "outcomes": {"write": 1},
        "replay": "done",
        "reached": 0,
        "missed": {"lend": "by hand"},
        "failing": {"lend": ["reference_tool_calls[0]: give_back fails: no loan 'L9'"]},
        "why": "",
    }


def test_what_exists_is_not_written_over(tmp_path: Path):
    write(content(), tmp_path, finish)
    with pytest.raises(ConfigError, match="exists, and may have been edited"):
        write(content(), tmp_path, finish)


def test_an_import_that_fails_leaves_nothing_behind(tmp_path: Path):
    with pytest.raises(DataError, match=r"tools\.py: does not import"):
        write(content(tools="import no_such_package"), tmp_path, finish)
    assert list(tmp_path.iterdir()) == []


def test_without_tools_nothing_was_reached_and_nothing_missed(tmp_path: Path):
    imported = write(content(tools="raise SystemExit", unavailable="no tools"), tmp_path, finish)
    assert imported.row()["reached"] is None
    assert (imported.replay, imported.missed, imported.outcomes) == ("unavailable", {}, {"unlabelled": 1})
