from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.domain import open_domain
from antiphon.envs.importers import eva
from antiphon.errors import ConfigError, DataError

AGENT = """
role: You are a desk.
instructions: |
  Verify who calls.
tools:
- name: verify
  description: Verify the caller.
  tool_type: auth
  required_parameters:
  - {name: last_name, type: string, description: of the caller}
- name: order
  description: Order a chair.
  tool_type: write
  required_parameters:
  - {name: building, type: string}
  optional_parameters:
  - {name: days, type: string, enum: ["30"]}
- name: attach
  description: Attach a log to a ticket.
  tool_type: write
  required_parameters:
  - {name: ticket_number, type: string}
"""

TOOLS = """
def verify(params, db, call_index):
    db.setdefault("session", {})["name"] = params["last_name"].upper()
    return {"status": "success"}


def order(params, db, call_index):
    if params["building"] != "Headquarters":
        return {"status": "error", "message": f"Building {params['building']!r} not recognized"}
    db["orders"][f"O{call_index}"] = {"at": params["building"], "note": "none", "days": params.get("days")}
    return {"status": "success"}


def attach(params, db, call_index):
    if not params["ticket_number"].startswith("INCf"):
        return {"status": "error", "message": f"Invalid ticket_number {params['ticket_number']!r}: must be INC and a hash"}
    return {"status": "success"}
"""


def call(tool: str, status: str = "success", **params: Any) -> list[dict[str, Any]]:
    return [
        {"event_type": "tool_call", "tool_name": tool, "params": params},
        {"event_type": "tool_response", "tool_name": tool, "response": {"status": status}},
    ]


def record(name: str, trace: list[dict[str, Any]], orders: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "current_date_time": "2026-03-10 09:15 EST",
        "user_goal": {
            "high_level_user_goal": "A chair at <LOC:Headquarters>.",
            "decision_tree": {"must_have_criteria": ["A chair."], "failure_condition": "Hang up."},
            "information_required": {"last_name": "<LAST_NAME>", "wishes": {"first_choice": "red"}},
        },
        "user_config": {"user_persona": "You are brief."},
        "culture_overrides": {"en": {"first_name": "Ann", "last_name": 'O"Hara'}},
        "romanized_culture_overrides": {"en": {"first_name": "Ann", "last_name": 'O"Hara'}},
        "starting_utterances": {"en": "Hi."},
        "ground_truth": {
            "expected_scenario_db": {"orders": orders, "session": {"name": "<LAST_NAME>"}},
            "expected_trace": {"trace": trace},
        },
    }


WHO = call("verify", last_name="<LAST_NAME>")
ORDERED = {"O1": {"at": "Headquarters", "note": None, "days": 30}}
RECORDS = [
    record("reached", [*WHO, *call("order", building="Headquarters", days=30)], ORDERED),
    record("no change", [*WHO, *call("order", "error", building="Nowhere")], {}),
    record("place", [*WHO, *call("order", building="<LOC:Headquarters>")], ORDERED),
    record("old id", [*WHO, *call("attach", ticket_number="INC0048271")], ORDERED),
    record("differs", [*WHO], ORDERED),
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    pytest.importorskip("yaml")
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "itsm_agent.yaml").write_text(AGENT)
    (folder / "itsm_dataset.json").write_text(json.dumps(RECORDS))
    scenarios = tmp_path / "itsm_scenarios"
    scenarios.mkdir()
    for each in RECORDS:
        (scenarios / f"{each['id']}.json").write_text(json.dumps({"_current_date": "", "orders": {}}))
    with tarfile.open(folder / "itsm_scenarios.tar.gz", "w:gz") as archive:
        archive.add(scenarios, "itsm_scenarios")
    return folder


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose packages nobody else's test has loaded."""
    name = f"eva_{abs(hash(tmp_path))}"
    folder = tmp_path / "checkout"
    tools = folder / "src" / name / "assistant" / "tools"
    tools.mkdir(parents=True)
    (tools / "itsm_tools.py").write_text(TOOLS)
    monkeypatch.setattr(eva, "PACKAGES", (name, f"{name}.assistant", f"{name}.assistant.tools"))
    return folder


def test_traces_that_miss_their_state_are_named_with_the_reason(corpus: Path, checkout: Path, tmp_path: Path):
    (found,) = eva.import_eva(corpus, tmp_path / "out", ["itsm"], checkout)
    assert found.missed == {
        "place": "placeholder <LOC:Headquarters> in the arguments of order",
        "old id": "attach names the ticket number INC0048271 of an older numbering",
        "differs": "every step succeeds, and /orders/O1/at differs (3 paths in all)",
    }
    assert found.outcomes == {"unlabelled": 1, "write": 4}
    assert found.failing.keys() == {"place", "old id"}


def test_expected_is_the_records_own_state_in_the_spelling_of_the_tools(
    corpus: Path, checkout: Path, tmp_path: Path
):
    eva.import_eva(corpus, tmp_path / "out", ["itsm"], checkout)
    task = open_domain(str(tmp_path / "out" / "eva_itsm")).task("reached")
    assert task.expected_db == {"orders": {"O1": {"at": "Headquarters", "note": "none", "days": 30}}}
    (verified,) = task.checks
    assert (verified.predicate, verified.arguments) == (
        "called",
        {"tool": "verify", "arguments": {"last_name": 'O"Hara'}},
    )
    assert [
        each.expect_error
        for each in open_domain(str(tmp_path / "out" / "eva_itsm")).task("no change").reference_tool_calls
    ] == [False, True]


def test_the_partner_hears_names_and_places_and_no_name_of_the_interface(corpus: Path, tmp_path: Path):
    eva.import_eva(corpus, tmp_path / "out", ["itsm"])
    (first, *_) = json.loads((tmp_path / "out" / "eva_itsm" / "tasks" / "imported.json").read_text("utf-8"))
    assert first["user_system_prompt"] == (
        "You are brief.\n\nWhat you want: A chair at Headquarters.\n\nMust have criteria:\n- A chair.\n\n"
        'Failure condition:\nHang up.\n\nWhat you know:\n- last name: O"Hara\n- wishes: first choice red'
    )


def test_without_a_checkout_records_import_with_their_states_and_replay_is_unavailable(
    corpus: Path, tmp_path: Path
):
    (found,) = eva.import_eva(corpus, tmp_path / "out", ["itsm"])
    assert (found.tasks, found.replay, found.outcomes) == (5, "unavailable", {"unlabelled": 1, "write": 4})
    assert "git clone" in found.why


def test_what_is_not_eva_is_refused(corpus: Path, tmp_path: Path):
    with pytest.raises(ConfigError, match=r"has no airline_agent\.yaml"):
        eva.import_eva(corpus, tmp_path / "out")
    with pytest.raises(ConfigError, match="is no such checkout"):
        eva.import_eva(corpus, tmp_path / "out", ["itsm"], tmp_path)
    (corpus / "itsm_dataset.json").write_text('[{"id": "1"}]')
    with pytest.raises(DataError, match="record 1: is no record of EVA"):
        eva.import_eva(corpus, tmp_path / "out", ["itsm"])


def test_the_130_records_import(data: Path, tmp_path: Path):
    pytest.importorskip("yaml")
    airline, itsm = eva.import_eva(data / "eva", tmp_path)
    assert (airline.tasks, itsm.tasks) == (50, 80)
    assert (airline.outcomes, itsm.outcomes) == (
        {"unlabelled": 6, "write": 44},
        {"unlabelled": 5, "write": 75},
    )


def test_reference_traces_reach_50_of_50_and_22_of_80(data: Path, tmp_path: Path):
    pytest.importorskip("pydantic")
    if "ANTIPHON_EVA" not in os.environ:
        pytest.skip("EVA's tools are in its repository; set ANTIPHON_EVA to a checkout")
    airline, itsm = eva.import_eva(data / "eva", tmp_path, checkout=Path(os.environ["ANTIPHON_EVA"]))
    assert (len(airline.missed), len(itsm.missed)) == (0, 58)
    assert all("placeholder <LOC:" in why or "of an older numbering" in why for why in itsm.missed.values())
