from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.domain import OWN, open_domain
from antiphon.envs.evolve.assess import SCRIPTED_PANEL, Assessed, Assessment, Assessor, construction, opener
from antiphon.envs.evolve.generation import Texts, write_folder
from antiphon.envs.evolve.mutate import Measure, mutate
from antiphon.envs.evolve.proposal import Proposal, as_json
from antiphon.envs.overlap import evaluation
from antiphon.jsonl import from_row
from antiphon.stage.outcome import Made
from tests.envs.evolve.worlds import flights

DESK = flights()
HOME = OWN / "flight_search_desk"
PARENT = DESK.task("write_hold_zh_basic")


def world(folder: Path, *proposals: Proposal, **more: Any) -> Assessor:
    """An assessor of a draft with some proposals and every task of the desk."""
    draft = folder / "draft"
    write_folder(
        HOME, DESK, Texts(DESK.rules, (HOME / "tools.py").read_text("utf-8"), DESK.tasks, proposals), draft
    )
    return Assessor(Assessment(draft, **more), open_domain(str(draft)))  # fmt: skip


def proposal(**changes: Any) -> Proposal:
    task = as_json(PARENT) | {"task_id": "new_hold"} | changes.pop("task", {})
    return replace(
        Proposal(task, PARENT.task_id, "test", "test", temptation={"flaw": "refuses_allowed"}), **changes
    )


async def test_a_task_that_holds_is_admitted_with_its_difficulty(tmp_path: Path):
    one = proposal(note="as it was")
    found = await world(tmp_path, one).assess(one)
    assert found == Assessed(
        "new_hold", PARENT.task_id, "test", "test", True, label="frontier", passed=1, valid=2,
        system=SCRIPTED_PANEL, note="as it was",
    )  # fmt: skip


async def test_a_task_that_does_not_hold_is_stopped_at_construction(tmp_path: Path):
    one = proposal(task={"expected_db": {"holds": {"HD482902": {"amount": 1.0}}}})
    found = await world(tmp_path, one).assess(one)
    assert (found.admitted, found.stopped_at) == (False, "construction")
    assert found.reasons[0] == (
        "tasks/new.json new_hold expected_db: the reference does not reach it: /holds/HD482902/amount must be 1.0, and is 365.0"
    )


async def test_a_broken_database_is_a_defect_of_its_task(tmp_path: Path):
    db = {**DESK.dbs["main.json"], "current_date": "tomorrow"}
    one = proposal(task={"db": "@dbs/new_hold.json"}, db=db)
    found = await world(tmp_path, one).assess(one)
    assert found.stopped_at == "construction"
    assert any("'tomorrow' is no date" in each for each in found.reasons)


async def test_a_change_without_bite_is_stopped_at_the_rollouts(tmp_path: Path):
    one = proposal(temptation={"task": as_json(PARENT)})
    found = await world(tmp_path, one).assess(one)
    assert (found.stopped_at, found.reasons) == (
        "rollout",
        ("the change has no bite: an agent that falls for it passes",),
    )


async def test_a_task_that_wrong_agents_pass_is_stopped_at_the_rollouts(tmp_path: Path):
    airport = DESK.task("info_airport_zh")
    lax = as_json(airport) | {
        "task_id": "lax",
        "assertions": [{"text": "Must be sorry.", "predicate": "says", "arguments": {"forms": [["很抱歉"]]}}],
    }
    one = Proposal(lax, airport.task_id, "test", "test")
    found = await world(tmp_path, one).assess(one)
    assert (found.stopped_at, found.reasons) == (
        "rollout",
        ("an agent with the flaw refuses_allowed passes",),
    )


async def test_a_partner_that_takes_a_right_read_back_for_wrong_fails_the_reference(tmp_path: Path):
    script = as_json(PARENT)["script"]
    wish = {
        "name": "预算",
        "value": "999",
        "say": "999",
        "unlike": ["365"],
    }  # it hears the amount as its budget
    told = f"{PARENT.user_system_prompt}预算：999。"
    one = proposal(task={"script": {**script, "facts": [*script["facts"], wish]}, "user_system_prompt": told})
    found = await world(tmp_path, one).assess(one)
    assert found.stopped_at == "rollout"
    assert found.reasons[0].startswith("the reference agent does not pass: 保留前必须复述航班SK1306")


async def test_a_task_without_script_needs_a_model_to_play_its_partner(tmp_path: Path):
    task = as_json(DESK.task("info_airport_zh")) | {"task_id": "mute"}
    del task["script"]
    one = Proposal(task, "info_airport_zh", "test", "test")
    found = await world(tmp_path, one).assess(one)
    assert (found.stopped_at, found.reasons) == (
        "rollout", ("it has no script, so a scripted partner cannot play it; name a model: --partner URI",),
    )  # fmt: skip


async def test_without_a_system_and_a_temptation_nothing_is_known_of_the_difficulty(tmp_path: Path):
    one = proposal(temptation={})
    found = await world(tmp_path, one).assess(one)
    assert (found.stopped_at, found.label) == ("difficulty", "unknown")
    assert found.reasons == ("nothing is known of its difficulty; name a system to play it: --system URI",)


@pytest.mark.parametrize(
    ("system", "admitted", "label"),
    [("reference:", False, "solved"), ("reference:?flaw=claims_success", True, "failed")],
)
async def test_a_system_decides_where_there_is_one(system: str, admitted: bool, label: str, tmp_path: Path):
    one = proposal()
    found = await world(tmp_path, one, system=system, trials=2).assess(one)
    assert (found.admitted, found.label, found.valid) == (admitted, label, 2)
    assert found.system.startswith("scripted:reference")
    if not admitted:
        assert found.reasons == ("scripted:reference solves it: 2 of 2",)


async def test_what_overlaps_with_evaluation_data_is_left_out(tmp_path: Path):
    one = proposal()
    found = await world(tmp_path, one, kept=evaluation([DESK])).assess(one)
    assert (found.stopped_at, found.admitted) == ("overlap", False)
    assert found.reasons[0].startswith("what the partner says: 100% of its 8-grams stand in evaluation data")


async def test_every_outcome_of_the_stage_is_a_row(tmp_path: Path):
    good, bad = proposal(), proposal(task={"task_id": "bad", "clauses": ["Nobody says this."]})
    world(tmp_path, good, bad)
    async with opener(Assessment(tmp_path / "draft"))() as worker:
        outcomes = await worker([good, bad])
    rows = [from_row(each.row, Assessed) for each in outcomes if isinstance(each, Made)]
    assert [(each.task, each.admitted) for each in rows] == [("new_hold", True), ("bad", False)]


def test_construction_looks_at_the_task_and_its_database_only():
    assert construction(DESK, PARENT) == []


async def test_every_mutation_of_the_flight_desk_holds_or_says_why(tmp_path: Path):
    source = (HOME / "tools.py").read_text("utf-8")
    made = mutate(DESK, source, DESK.tasks, [], 1, measure=Measure(2, 2, 3), seed=3)
    draft = tmp_path / "flight_search_desk_g1"
    write_folder(HOME, DESK, Texts(made.rules, made.tools, [], made.proposals), draft)
    assessor = Assessor(Assessment(draft), open_domain(str(draft)))
    found = [await assessor.assess(each) for each in made.proposals]
    admitted = {each.mutation for each in found if each.admitted}
    assert admitted == {"limit", "near_duplicate", "stale_status", "distractor_tool"}
    refused = {reason for each in found if not each.admitted for reason in each.reasons}
    assert refused <= {"the change has no bite: an agent that falls for it passes"}
