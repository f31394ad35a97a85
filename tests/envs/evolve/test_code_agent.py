from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antiphon.clock import VirtualClock
from antiphon.envs.evolve.code_agent import (
    Created,
    Effort,
    create_domain,
    filled,
    prompts_version,
    propose_tasks,
)
from antiphon.envs.hard_cases import HardCase
from antiphon.envs.importers.mcp import McpServer
from antiphon.envs.overlap import Evaluation, evaluation
from antiphon.errors import ConfigError
from antiphon.models.ports import Chat
from antiphon.models.scripted import Line, ScriptedChat
from tests.envs.desk import DB, LEND, REFUSE, RULES, TOOLS, open_desk
from tests.envs.evolve.worlds import files_reply

SEED = McpServer("Lending Desk", "Lends books.", ({"name": "lend", "description": "", "parameters": {}},))
BUY = {
    "task_id": "buy", "db": "@dbs/main.json", "user_system_prompt": "You are Ada. You want to buy Emma.",
    "expected_outcome": "unsupported", "asks_for": "sell",
    "assertions": [{"text": "Must say so.", "predicate": "says", "arguments": {"forms": [["cannot be bought"]]}}],
}  # fmt: skip
ASK = {
    "task_id": "ask", "db": "@dbs/main.json", "user_system_prompt": "You are Ada. Is Dune there?",
    "expected_outcome": "informational", "reference_tool_calls": [{"tool": "find", "arguments": {"title": "Dune"}}],
    "assertions": [{"text": "Must name it.", "predicate": "says", "arguments": {"forms": [["Dune"]]}}],
}  # fmt: skip
GOOD = {
    "rules.md": RULES, "tools.py": TOOLS, "dbs/main.json": json.dumps(DB), "domain.toml": 'audit = ["/log"]',
    "tasks/all.json": json.dumps([LEND, REFUSE, BUY, ASK]),
}  # fmt: skip
FOUR = Effort(rounds=2, tasks=4)
NOTHING = Evaluation()


def agent(*replies: str) -> Chat:
    """A scripted code agent that gives one reply after the other."""
    return ScriptedChat("agent", [Line(text=each, times=1) for each in replies], VirtualClock())


async def created(*replies: str, kept: Evaluation = NOTHING) -> tuple[Created, dict[str, str]]:
    return await create_domain(agent(*replies), SEED, FOUR, kept)


async def test_a_domain_that_holds_is_accepted_and_marked_as_generated():
    made, files = await created(files_reply(GOOD))
    assert made == Created("lending_desk", "Lending Desk", "scripted:agent", True, 0, tools=3, tasks=4)
    assert files.keys() == {*GOOD, "generated.json"}
    assert json.loads(files["generated.json"]) == {"by": "scripted:agent", "seed": "Lending Desk"}


async def test_defects_go_back_and_a_mended_domain_is_accepted():
    broken = {
        **GOOD,
        "tools.py": TOOLS.replace('return {"error": f"no loan {loan!r}"}', "raise KeyError(loan)"),
    }
    made, _ = await created("Sure! Here it is.", files_reply(broken), files_reply(GOOD))
    assert (made.accepted, made.rounds) == (True, 2)


async def test_what_does_not_hold_after_the_last_round_is_rejected_with_its_reasons():
    broken = files_reply({**GOOD, "rules.md": "Be kind."})
    made, files = await created(broken, broken, broken)
    assert (made.accepted, made.rounds, files) == (False, 2, {})
    assert made.defects == (
        "tasks/all.json lend_emma clauses[0]: rules.md does not say 'Before lending, read back the title and wait for a yes.'",
        "tasks/all.json refuse_second clauses[0]: rules.md does not say 'A member may have at most one loan.'",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            TOOLS.replace("from typing", "import socket\nfrom typing"),
            "ModuleNotFoundError: No module named 'socket'; there are: __future__",
        ),
        (f"{TOOLS}\nopen('/etc/passwd')\n", "open is not allowed in the sandbox"),
        (
            TOOLS.replace("found = {", "import os; os.fork(); found = {"),
            "os.fork is not allowed in the sandbox",
        ),
    ],
)
async def test_generated_code_runs_in_the_sandbox_only(source: str, words: str):
    reply = files_reply({**GOOD, "tools.py": source})
    made, _ = await created(reply, reply, reply)
    assert not made.accepted
    assert any(words in each for each in made.defects)


@pytest.mark.parametrize(
    "files",
    [
        {"domain.toml": "audit = " + "[" * 50_000},
        {"dbs/main.json": '{"a":' * 900 + "1" + "}" * 900},
        {"dbs/main.json": '{"a":' * 50_000 + "1" + "}" * 50_000},
    ],
)
async def test_files_that_nobody_would_write_are_defects(files: dict[str, str]):
    reply = files_reply({**GOOD, **files})
    made, _ = await created(reply, reply, reply)
    assert not made.accepted
    assert made.defects


async def test_a_domain_needs_enough_tasks_of_every_kind():
    few = files_reply({**GOOD, "tasks/all.json": json.dumps([LEND, REFUSE])})
    made, _ = await created(few, few, few)
    assert made.defects == ("tasks/: 2 tasks; at least 4", "tasks/: no task with the outcome informational, unsupported")  # fmt: skip


async def test_a_copy_of_evaluation_data_is_rejected(tmp_path: Path):
    kept = evaluation([open_desk(tmp_path)])
    reply = files_reply(GOOD)
    made, _ = await created(reply, reply, reply, kept=kept)
    assert not made.accepted
    assert made.defects[0] == "3 of 3 tool names are those of desk: find, give_back, lend"


async def proposed(folder: Path, *replies: Any) -> Any:
    texts = [
        each if isinstance(each, str) else files_reply({"tasks/new.json": json.dumps(each)})
        for each in replies
    ]
    cases = [HardCase("broke: says", 3, {"lend_emma": 3}, {}, "never says L101")]
    return await propose_tasks(agent(*texts), open_desk(folder), cases, 2, FOUR, number=7)  # fmt: skip


async def test_tasks_that_hold_are_proposed(tmp_path: Path):
    batch = await proposed(tmp_path, [BUY, ASK])
    assert (batch.number, batch.by, batch.rounds, batch.rejected) == (7, "scripted:agent", 0, ())
    assert [(each.task_id, each.mutation, each.by) for each in batch.proposals] == [
        ("buy", "proposed", "scripted:agent"), ("ask", "proposed", "scripted:agent"),
    ]  # fmt: skip


async def test_a_task_that_holds_stays_while_another_is_mended(tmp_path: Path):
    batch = await proposed(tmp_path, [BUY, {**ASK, "assertions": []}], [ASK])
    assert sorted(each.task_id for each in batch.proposals) == ["ask", "buy"]
    assert (batch.rounds, batch.rejected) == (1, ())


async def test_an_unfit_task_is_rejected_with_its_reason(tmp_path: Path):
    bad = [{**ASK, "assertions": []}]
    batch = await proposed(tmp_path, bad, bad, bad)
    assert batch.proposals == ()
    assert batch.rejected == ("ask assertions: none demands anything: an agent that does nothing would pass",)


async def test_a_taken_name_and_another_file_are_refused(tmp_path: Path):
    batch = await proposed(tmp_path / "a", [LEND], [LEND], [LEND])
    assert batch.rejected == ("lend_emma: the domain has a task of that name",)
    other = files_reply({"rules.md": "x"})
    batch = await proposed(tmp_path / "b", other, other, other)
    assert batch.rejected == ("one file is asked for, tasks/new.json, and there is rules.md",)


def test_a_prompt_is_filled_and_other_braces_stay():
    text = filled("new_tasks", {"rules": "R {rules}", "count": "5"})
    assert "Rules of the desk:\nR {rules}\n" in text
    assert "Write 5 new tasks." in text
    assert '{"error": "why"}' in filled("new_domain", {"tasks": "8"})
    assert len(prompts_version()) == 12


def test_an_effort_that_cannot_do_is_refused():
    with pytest.raises(ConfigError):
        Effort(tasks=3)
