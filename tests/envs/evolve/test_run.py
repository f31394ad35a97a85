from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.check import check_folder
from antiphon.envs.domain import open_domain
from antiphon.envs.evolve.assess import SCRIPTED_PANEL, Assessed
from antiphon.envs.evolve.generation import Lineage, generation_of, training_tasks
from antiphon.envs.evolve.labels import Labelled
from antiphon.envs.evolve.mutate import Measure
from antiphon.envs.evolve.proposal import Proposal, as_json
from antiphon.envs.evolve.run import Evolution, cases_of, evolve
from antiphon.envs.hard_cases import HardCase, read_cases
from antiphon.errors import ConfigError
from antiphon.jsonl import read_records
from antiphon.stage.map import Settings
from tests.envs.desk import LEND, REFUSE, open_desk, write
from tests.envs.evolve.test_code_agent import BUY
from tests.envs.evolve.worlds import flights, run_of

DESK = flights()
SOLVED = [True, True, True]


def evolution(folder: Path, passes: dict[str, list[bool | None]] | None = None, **more: Any) -> Evolution:
    """The flight desk with every task solved, but for those that `passes` names."""
    trials = {task.task_id: SOLVED for task in DESK.tasks} | (passes or {})
    return Evolution(DESK.name, run_of(folder / "run", DESK, trials), folder / "out", **more)


async def test_a_generation_is_a_domain_that_holds_with_other_outcomes_where_the_rules_forbid(tmp_path: Path):
    found = await evolve(evolution(tmp_path))
    assert found.folder == tmp_path / "out" / "flight_search_desk_g1"
    assert found.labels == {"solved": 31, "frontier": 0, "failed": 0, "unknown": 0}
    assert check_folder(str(found.folder)).defects == ()
    made = open_domain(str(found.folder))
    rows = {each.task: each for each in found.lineage}
    new = [rows[task.task_id] for task in made.tasks if rows[task.task_id].use == "training"]
    assert {each.mutation for each in new} >= {"limit", "stale_status", "near_duplicate"}
    for each in new:
        outcomes = (DESK.task(each.parent).expected_outcome, made.task(each.task).expected_outcome)
        assert outcomes == (("write", "refusal") if each.mutation == "limit" else (outcomes[0], outcomes[0]))
        assert SCRIPTED_PANEL in each.why
    assert training_tasks(found.folder) == [each.task for each in new]
    assert {row.use for row in found.lineage if row.parent == row.task} == {"retired", "kept"}
    assert read_records(found.folder / "lineage.jsonl", Lineage) == list(found.lineage)


async def test_frontier_and_weakness_are_kept_broken_ones_repaired_or_dropped(tmp_path: Path):
    folder = write(
        tmp_path,
        {**LEND, "task_id": "frontier"},
        {**LEND, "task_id": "weakness"},
        {**LEND, "task_id": "mended", "expected_db": {"loans": {"L101": {"member": "4712", "book": "B1", "weeks": 1}}}},
        {**REFUSE, "task_id": "broken", "clauses": ["Smile."]},
        {**REFUSE, "task_id": "unknown"},
        {**REFUSE, "task_id": "solved"},
    )  # fmt: skip
    domain = open_domain(str(folder))
    trials = {
        "frontier": [True, False], "weakness": [False, False], "mended": [False, False], "broken": [False, False],
        "unknown": [None, None, True], "solved": [True, True],
    }  # fmt: skip
    found = await evolve(Evolution(str(folder), run_of(tmp_path / "run", domain, trials), tmp_path / "out"))
    assert {each.task: each.use for each in found.lineage} == {
        "frontier": "training", "weakness": "training", "mended": "kept", "broken": "dropped", "unknown": "kept",
        "solved": "retired",
    }  # fmt: skip
    why = {each.task: each.why for each in found.lineage}
    assert why["weakness"] == "a valid task that shows a weakness: 0 of 2 passed"
    assert why["broken"].startswith("0 of 2 passed, and it is broken: clauses[0]")
    assert why["mended"].startswith("expected state taken from the reference")
    assert why["solved"] == "solved: 2 of 2 passed"
    labels = read_records(tmp_path / "out" / "labels.jsonl", Labelled)
    assert [(each.task, each.label, each.invalid) for each in labels][4:] == [("unknown", "unknown", 2), ("solved", "solved", 0)]  # fmt: skip


async def test_a_second_generation_follows_from_the_first(tmp_path: Path):
    first = await evolve(evolution(tmp_path / "a"))
    domain = open_domain(str(first.folder))
    trials = {task.task_id: SOLVED for task in domain.tasks}
    weak = training_tasks(first.folder)[0]
    run = run_of(tmp_path / "b", domain, trials | {weak: [False, False]})
    second = await evolve(Evolution(str(first.folder), run, tmp_path / "out"))
    assert (second.generation, second.folder.name) == (2, "flight_search_desk_g2")
    assert generation_of(second.folder) == 2
    assert check_folder(str(second.folder)).defects == ()
    assert weak in training_tasks(second.folder)
    assert "draft_draft_place_hold" not in open_domain(str(second.folder)).tools


async def test_hard_cases_grow_and_guide(tmp_path: Path):
    plan = evolution(tmp_path, {"write_hold_zh_similar_name": [False, False]}, measure=Measure(0, 0))
    (case,) = cases_of(plan)
    assert case == HardCase(
        "wrote nothing or the wrong thing", 2, {"write_hold_zh_similar_name": 2}, {"similar_name": 2, "spoken_number": 2},
        "terminal state: it is not there", 1,
    )  # fmt: skip
    found = await evolve(plan)
    assert read_cases(found.folder / "hard_cases.jsonl") == [case]
    made = {each.parent: each.mutation for each in found.lineage if each.mutation}
    assert made["write_hold_flex_basic"] == "near_duplicate"  # similar names are what fails


async def test_an_unfit_proposal_is_rejected_with_its_reason(tmp_path: Path):
    unfit = Proposal(as_json(DESK.task("refuse_saver")) | {"task_id": "unfit", "clauses": ["Smile."]}, "", "proposed", "scripted:agent")  # fmt: skip
    found = await evolve(evolution(tmp_path, proposals=(unfit,)))
    (row,) = (each for each in found.lineage if each.task == "unfit")
    assert (row.use, row.by) == ("rejected", "scripted:agent")
    assert row.why == "construction: tasks/new.json unfit clauses[0]: rules.md does not say 'Smile.'"
    assert "unfit" not in {task.task_id for task in open_domain(str(found.folder)).tasks}


async def test_a_proposed_task_is_admitted_when_a_system_finds_it_hard(tmp_path: Path):
    home = write(tmp_path)
    domain = open_domain(str(home))
    script = {"opening": "I want to buy Emma.", "done": ["cannot be bought"], "goodbye": "Bye."}
    fit = Proposal({**BUY, "script": script}, "", "proposed", "scripted:agent")
    run = run_of(tmp_path / "run", domain, {"lend_emma": [True, False], "refuse_second": [True, False]})
    plan = Evolution(str(home), run, tmp_path / "out", "reference:?flaw=hangs_up", trials=2, proposals=(fit,))
    found = await evolve(plan)
    (row,) = (each for each in found.lineage if each.task == "buy")
    assert (row.use, row.label) == ("training", "failed")
    solved = await evolve(replace(plan, system="reference:", out=tmp_path / "other"))
    (row,) = (each for each in solved.lineage if each.task == "buy")
    assert (row.use, row.why) == ("rejected", "difficulty: scripted:reference solves it: 2 of 2")


async def test_what_overlaps_with_evaluation_data_enters_no_training_set(tmp_path: Path):
    with pytest.raises(ConfigError, match="no task is left in flight_search_desk_g1: overlap: "):
        await evolve(evolution(tmp_path, against=(DESK.name,)))


async def test_rollouts_of_another_domain_or_version_are_refused(tmp_path: Path):
    run = run_of(tmp_path / "run", open_desk(tmp_path), {"lend_emma": [True]})
    with pytest.raises(ConfigError, match=r"are of desk .*, and flight_search_desk is"):
        await evolve(Evolution(DESK.name, run, tmp_path / "out"))


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from antiphon.envs.evolve import assess
from antiphon.envs.evolve.run import Evolution, evolve

left = int(sys.argv[3])
real = assess.Assessor.assess

async def until(self, proposal):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return await real(self, proposal)

assess.Assessor.assess = until
asyncio.run(evolve(Evolution("flight_search_desk", Path(sys.argv[1]), Path(sys.argv[2]))))
"""


def killed_after(done: int, run: Path, out: Path) -> int:
    """The exit status of a turn whose process is killed when so many proposals are assessed."""
    command = [sys.executable, "-c", KILLED, str(run), str(out), str(done)]
    return subprocess.run(command, env=os.environ, timeout=50, check=False).returncode


async def test_killed_and_called_again_it_gives_what_an_undisturbed_turn_gives(tmp_path: Path):
    plan = evolution(tmp_path)
    out = tmp_path / "killed"
    for done in (2, 3):
        assert killed_after(done, plan.run, out) == -signal.SIGKILL
        assert not (out / "flight_search_desk_g1").exists()
    found = await evolve(replace(plan, out=out))
    assert found.reused == 5
    assert found.made == len(read_records(out / "assessed.jsonl", Assessed)) - 5
    undisturbed = await evolve(plan)
    assert found.lineage == undisturbed.lineage
    assert content(found.folder) == content(undisturbed.folder)


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


async def test_workers_give_the_same_generation(tmp_path: Path):
    plan = evolution(tmp_path, most=4)
    alone = await evolve(plan)
    both = await evolve(replace(plan, out=tmp_path / "both", how=Settings(workers=2)))
    assert both.lineage == alone.lineage
