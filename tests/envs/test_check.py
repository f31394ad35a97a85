from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.check import check_domain, check_folder, check_task
from antiphon.envs.domain import own_domains
from tests.envs.desk import DB, LEND, PARTNER_TOOLS, REFUSE, RULES, TOOLS, open_desk, write

STEPS: list[Any] = LEND["reference_tool_calls"]
UNSUPPORTED: dict[str, Any] = REFUSE | {
    "task_id": "unsupported", "expected_outcome": "unsupported", "clauses": [], "asks_for": "order_book",
}  # fmt: skip


def test_the_desk_as_it_is_has_no_defect(tmp_path: Path):
    report = check_folder(str(write(tmp_path, LEND, REFUSE, UNSUPPORTED)))
    assert (report.domain, report.tasks, report.defects) == ("desk", 3, ())


@pytest.mark.parametrize("name", own_domains())
def test_our_own_domains_hold_and_have_all_outcomes_in_both_languages(name: str):
    from antiphon.envs.domain import open_domain

    report = check_folder(name)
    assert [defect.line for defect in report.defects] == []
    tasks = open_domain(name).tasks
    assert len(tasks) >= 25
    assert {task.expected_outcome for task in tasks} == {"write", "refusal", "unsupported", "informational"}


FILES: dict[str, tuple[dict[str, str], str]] = {
    "no rules": ({"rules_md": "\n"}, "rules.md: is empty; it goes into the agent's prompt"),
    "tools that do not import": ({"tools_py": "def f(:"}, "tools.py:1: does not import (SyntaxError: "),
    "tools that fail on import": ({"tools_py": "1 / 0"}, "tools.py: does not import (ZeroDivisionError: division by zero)"),
    "no tools": ({"tools_py": "X = 1"}, "tools.py: has no tool; one is a public function f(db, …)"),
    "db is not first": ({"tools_py": "def f(x: int, db: dict):\n    '''F.'''"}, "tools.py: f: its first parameter is not db; helpers begin with an underscore"),
    "a tool says nothing": ({"tools_py": "def f(db: dict): ..."}, "tools.py: f: no docstring; a model sees nothing else of it"),
    "a parameter has no type": ({"tools_py": "def f(db, x):\n    '''F.'''"}, "tools.py: f: x has no annotation"),
    "partner tools that do not import": ({"partner_tools_py": "import nothing_of_the_kind"}, "partner_tools.py: does not import (ModuleNotFoundError: "),
    "predicates that do not import": ({"predicates_py": "x"}, "predicates.py: does not import (NameError: "),
    "a database that is no JSON": ({"dbs__main_json": "{"}, "dbs/main.json:1: not JSON: Expecting property name enclosed in double quotes"),
    "a database that is no object": ({"dbs__main_json": "[]"}, "dbs/main.json: a database is an object, not list"),
    "no current date": ({"dbs__main_json": "{}"}, "dbs/main.json current_date: must say what today is, as YYYY-MM-DD"),
    "a date that is none": ({"dbs__main_json": json.dumps(DB | {"current_date": "today"})}, "dbs/main.json current_date: 'today' is no date as 2026-08-12"),
    "a state against the schema": ({"schema_json": '{"properties": {"books": {"maxProperties": 1}}}'}, "dbs/main.json $.books: "),
    "a schema that is none": ({"schema_json": '{"type": "nothing"}'}, "schema.json $.type: "),
    "settings that are none": ({"domain_toml": "audits = []"}, "domain.toml: Object contains unknown field `audits`"),
    "a path that is none": ({"domain_toml": 'internal = ["members"]'}, "domain.toml: 'members' is no path; it begins with a slash, as /holds/HD1"),
    "tools that leave": ({"tools_py": "raise SystemExit(0)"}, "tools.py: does not import (SystemExit: 0)"),
    "a flag that is none": ({"domain_toml": "[tools.find]\nfast = true"}, "domain.toml: Object contains unknown field `fast` - at `$.tools[...]`"),
    "a flag for no tool": ({"domain_toml": "[tools.land]\nslow = true"}, "tools.py: land: domain.toml says how it behaves, but there is no such tool"),
    "tasks that are no JSON": ({"tasks__all_json": "[{]"}, "tasks/all.json:1: not JSON: "),
    "no task": ({"tasks__all_json": "[]"}, "tasks/: there is no task"),
    "a tool that breaks on what is not there": (
        {"tools_py": TOOLS.replace("    if loan not in db[\"loans\"]:\n        return {\"error\": f\"no loan {loan!r}\"}\n", "")},
        "tools.py give_back: with {'loan': ''}: raised KeyError: ''",
    ),
    "a tool that writes before it fails": (
        {"tools_py": TOOLS.replace("    if book not in", "    db['members'][member]['card'] = 'used'\n    if book not in")},
        "tools.py lend: with {'member': '4711', 'book': ''}: wrote /members/4711/card and then failed: no book ''",
    ),
    "a partner tool that breaks": (
        {"partner_tools_py": PARTNER_TOOLS.replace("    if member not in db[\"members\"]:\n        return {\"error\": f\"no member {member!r}\"}\n", "")},
        "partner_tools.py renew_card: with {'member': ''}: raised KeyError: ''",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_a_defect_of_a_file_is_reported(tmp_path: Path, kind: str):
    files, line = FILES[kind]
    lines = [defect.line for defect in check_folder(str(write(tmp_path, **files))).defects]
    assert any(each.startswith(line) for each in lines), lines
    assert all("\n" not in each for each in lines)


TASKS: dict[str, tuple[dict[str, Any], str]] = {
    "a missing field": ({key: value for key, value in LEND.items() if key != "db"}, "lend_emma: Object missing required field `db`"),
    "an unknown field": (LEND | {"expected": {}}, "lend_emma: Object contains unknown field `expected`"),
    "a field of the wrong type": (LEND | {"expected_db": []}, "lend_emma expected_db: Expected `object`, got `array`"),
    "an unknown outcome": (LEND | {"expected_outcome": "wrote"}, "lend_emma expected_outcome: Invalid enum value 'wrote'"),
    "a database that is not there": (LEND | {"db": "@dbs/x.json"}, "lend_emma db: desk lend_emma: no database '@dbs/x.json'; there are: @dbs/main.json"),
    "an unknown tool": (LEND | {"reference_tool_calls": [*STEPS, {"tool": "land"}]}, "lend_emma reference_tool_calls[2]: land fails: no tool 'land'"),
    "a wrong argument": (LEND | {"reference_tool_calls": [{"tool": "find", "arguments": {"title": 1}}, STEPS[1]]}, "lend_emma reference_tool_calls[0]: find fails: title: Expected `str`, got `int`"),
    "a step that fails": (LEND | {"reference_tool_calls": [*STEPS, {"tool": "give_back", "arguments": {"loan": "4711"}}]}, "lend_emma reference_tool_calls[2]: give_back fails: no loan '4711'"),
    "a step that should fail": (LEND | {"reference_tool_calls": [STEPS[0] | {"expect_error": True}, STEPS[1]]}, "lend_emma reference_tool_calls[0]: find should fail, and succeeds"),
    "a state that is not reached": (LEND | {"expected_db": {"loans": {"L102": {}}}}, "lend_emma expected_db: the reference does not reach it: /loans/L102 must be {}, and is not there"),
    "a record that is still there": (LEND | {"expected_absent": ["/loans/L9"]}, "lend_emma expected_db: the reference does not reach it: /loans/L9 must be absent, and is"),
    "an expectation true from the start": (LEND | {"expected_db": {"loans": {"L9": {"book": "B2"}}}}, "lend_emma expected_db: is true already in the initial state"),
    "a write without an expectation": (LEND | {"expected_db": {}}, "lend_emma expected_db: is empty; a write must say what the state becomes"),
    "a write that writes nothing": (LEND | {"reference_tool_calls": STEPS[:1]}, "lend_emma reference_tool_calls: write nothing, so that no write is permitted"),
    "a refusal that writes": (REFUSE | {"reference_tool_calls": STEPS}, "refuse_second reference_tool_calls: change /loans/L101/book, though the outcome is refusal"),
    "nothing is demanded": (REFUSE | {"assertions": REFUSE["assertions"][1:]}, "refuse_second assertions: none demands anything: an agent that does nothing would pass"),
    "only a prohibition": (REFUSE | {"assertions": ["The agent must not lend."]}, "refuse_second assertions: none demands anything: an agent that does nothing would pass"),
    "no label": (REFUSE | {"expected_outcome": "unlabelled"}, "refuse_second expected_outcome: is unlabelled; say write, refusal, unsupported or informational"),
    "a rule that is not there": (LEND | {"clauses": ["Two loans are allowed."]}, "lend_emma clauses[0]: rules.md does not say 'Two loans are allowed.'"),
    "a refusal without a rule": (REFUSE | {"clauses": []}, "refuse_second clauses: a refusal quotes the rule that forbids"),
    "an unsupported request without its tool": (UNSUPPORTED | {"asks_for": ""}, "unsupported asks_for: an unsupported task names the tool that it would need"),
    "an unsupported request that is supported": (UNSUPPORTED | {"asks_for": "lend"}, "unsupported asks_for: lend is a tool of this domain, so the request is supported"),
    "a tool's name in the prompt": (LEND | {"user_system_prompt": f"{LEND['user_system_prompt']} Do not ask for give_back."}, "lend_emma user_system_prompt: 'give_back' is a name of give_back; a partner must not know it"),
    "an internal value": (LEND | {"user_system_prompt": f"{LEND['user_system_prompt']} Your code is x-ray-9."}, "lend_emma user_system_prompt: 'x-ray-9' is internal (/members/*/secret); a partner must not know it"),
    "what only the episode makes": (LEND | {"script": LEND["script"] | {"goodbye": "So it is L101, bye."}}, "lend_emma script.goodbye: 'L101' is made by /loans during the episode; a partner must not know it"),
    "a fact that the prompt lacks": (LEND | {"user_system_prompt": "You are Ada. You want to borrow Emma."}, "lend_emma script.facts[0]: member: the user_system_prompt does not say '4711'"),
    "an argument that nobody says": (LEND | {"reference_tool_calls": [STEPS[0], {"tool": "lend", "arguments": {"member": "4712", "book": "B1"}}], "expected_db": {"loans": {"L101": {"member": "4712"}}}}, "lend_emma reference_tool_calls[1].arguments.member: '4712' is nothing that the partner says or an earlier call shows"),
    "an unknown predicate": (LEND | {"assertions": [{"text": "x", "predicate": "sais"}]}, "lend_emma assertions[0]: no predicate 'sais'; there are: asked, called, "),
    "a predicate's arguments": (LEND | {"assertions": [{"text": "x", "predicate": "called", "arguments": {"tol": "find"}}]}, "lend_emma assertions[0]: called: "),
    "a predicate about no tool": (LEND | {"assertions": [{"text": "x", "predicate": "called", "arguments": {"tool": "land"}}]}, "lend_emma assertions[0]: called is about land, which is no tool of this domain"),
    "a precondition about no tool": (LEND | {"assertions": [{"text": "x", "when": {"predicate": "called", "arguments": {"tool": "land"}}}]}, "lend_emma assertions[0].when: called is about land, which is no tool of this domain"),
    "a predicate that fails": (LEND | {"assertions": [{"text": "x", "predicate": "says", "arguments": {"forms": [[]]}}]}, "lend_emma assertions[0]: predicate says raised IndexError: list index out of range"),
    "an assertion without words": (LEND | {"assertions": [" "]}, "lend_emma assertions[0]: has no text"),
    "a reference that breaks its own assertions": (LEND | {"assertions": [{"text": "Must never find.", "predicate": "not_called", "arguments": {"tool": "find"}}]}, "lend_emma assertions: the reference itself does not pass: Must never find.: step 2 calls find"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TASKS)
def test_a_defect_of_a_task_is_reported(tmp_path: Path, kind: str):
    task, line = TASKS[kind]
    lines = [defect.line for defect in check_folder(str(write(tmp_path, task))).defects]
    assert any(each.startswith(f"tasks/all.json {line}") for each in lines), lines


def test_a_task_that_stands_twice_is_reported(tmp_path: Path):
    home = write(tmp_path, LEND, REFUSE, tasks__more_json=json.dumps(LEND))
    assert [defect.line for defect in check_folder(str(home)).defects] == [
        "tasks/more.json lend_emma task_id: stands in tasks/all.json too"
    ]


def test_tools_that_remember_make_two_replays_differ(tmp_path: Path):
    remembering = "\n\n_MADE: list[int] = []\n\n\ndef _count() -> int:\n    _MADE.append(1)\n    return 100 + len(_MADE)\n"
    counting = TOOLS.replace("len(db['loans']) + 100", "_count()") + remembering
    assert "_count()}" in counting
    domain = open_desk(tmp_path, LEND, tools_py=counting)
    found = check_task(domain, domain.tasks[0])
    assert [each for each in found if "two replays" in each[1]] == [
        ("reference_tool_calls", "two replays differ at /loans/L102")
    ]


def test_a_task_made_in_memory_is_checked_like_one_of_a_file(tmp_path: Path):
    domain = open_desk(tmp_path, rules_md=RULES.replace("at most one loan", "at most two loans"))
    assert [defect.line for defect in check_domain(domain)] == [
        "tasks/all.json refuse_second clauses[0]: rules.md does not say 'A member may have at most one loan.'"
    ]
