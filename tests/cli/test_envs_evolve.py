from __future__ import annotations

import json
from pathlib import Path

from tests.cli.commands import antiphon
from tests.envs.evolve.test_code_agent import GOOD
from tests.envs.evolve.test_run import DESK, SOLVED
from tests.envs.evolve.worlds import files_reply, run_of, script_of


def solved(folder: Path) -> Path:
    return run_of(folder / "run", DESK, {task.task_id: SOLVED for task in DESK.tasks})


def test_evolve_says_what_it_made_and_that_it_is_scripted(tmp_path: Path):
    asked = ("envs", "evolve", DESK.name, "--run", solved(tmp_path), "--out", tmp_path / "out")
    done = antiphon(*asked)
    assert done.code == 0
    assert "Tasks played: 31 solved\n" in done.out
    assert "  new rule: An entry in holds may have: " in done.out
    assert "  distractor tool: draft_place_hold\n" in done.out
    assert (
        "Difficulty is that of scripted agents, and says nothing about a model (--system URI).\n" in done.out
    )
    assert f"Generation 1: {tmp_path / 'out' / 'flight_search_desk_g1'}" in done.out
    row = antiphon(*asked, "--json").json
    assert (row["generation"], row["labels"]["solved"]) == (1, 31)
    assert row["uses"]["training"] > 5


def test_a_code_agent_adds_tasks(tmp_path: Path):
    task = {
        "task_id": "unsupported_upgrade", "db": "@dbs/main.json", "expected_outcome": "unsupported", "asks_for": "upgrade_seat",
        "user_system_prompt": "You are Daniel Kim. You want an upgrade to first class with your miles.",
        "assertions": [{"text": "Must say where.", "predicate": "says", "arguments": {"forms": [["website", "app"]]}}],
        "script": {"opening": "Upgrade me with my miles, please.", "done": ["website", "app"], "goodbye": "Fine. Bye."},
    }  # fmt: skip
    reply = files_reply({"tasks/new.json": json.dumps([task])})
    done = antiphon(
        "envs", "evolve", DESK.name, "--run", solved(tmp_path), "--out", tmp_path / "out", "--propose",
        script_of(tmp_path / "agent.jsonl", {"match": "*", "text": reply}),
        "--system", "reference:?flaw=hangs_up", "--trials", "2", "--json",
    )  # fmt: skip
    assert done.code == 0
    lineage = Path(done.json["folder"]) / "lineage.jsonl"
    rows = [json.loads(line) for line in lineage.read_text("utf-8").splitlines()]
    (row,) = (each for each in rows if each["task"] == "unsupported_upgrade")
    assert (row["use"], row["label"]) == ("training", "failed")
    assert row["by"].startswith("scripted:agent.jsonl")


def test_create_lists_domains_and_reasons_and_fails_when_there_is_none(tmp_path: Path):
    seeds = tmp_path / "seeds.json"
    tool = {"name": "find", "description": "", "inputSchema": {"type": "object"}}
    seeds.write_text(
        json.dumps([{"name": "Good", "tools": [tool]}, {"name": "Bad", "tools": [tool]}]), "utf-8"
    )
    agent = script_of(
        tmp_path / "agent.jsonl", {"match": "Server: Good", "text": files_reply(GOOD)}, {"match": "*", "text": "No."}
    )  # fmt: skip
    asked = ("envs", "create", seeds, "--by", agent, "--tasks", "4", "--rounds", "0")
    both = antiphon(*asked, "--out", tmp_path / "both")
    assert both.code == 0
    assert both.err.splitlines()[0].startswith("Generated code is kept in by: privileges, limits, ")
    first, second = both.out.splitlines()
    assert first.startswith(f"{tmp_path / 'both' / 'good'}: 3 tools, 4 tasks, by scripted:agent.jsonl")
    assert second == "bad: rejected after 0 rounds: the first line must be '=== NAME' of a file, and is 'No.'"
    none = antiphon(*asked, "--out", tmp_path / "bad", "--server", "Bad", "--json")
    assert (none.code, none.json[0]["accepted"]) == (1, False)


def test_rollouts_without_verdicts_name_the_next_step(tmp_path: Path):
    done = antiphon("envs", "evolve", DESK.name, "--run", tmp_path, "--out", tmp_path / "out")
    assert done.code == 2
    assert f"antiphon envs score {tmp_path}" in done.complaint
