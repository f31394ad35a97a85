from __future__ import annotations

from pathlib import Path
from typing import Any

from antiphon.envs.evolve.labels import Labelled
from antiphon.envs.evolve.triage import repair, suggestions, triage
from tests.envs.desk import LEND, REFUSE, open_desk


def decided(folder: Path, label: str, task: dict[str, Any]) -> Any:
    domain = open_desk(folder, task)
    passed = {"solved": 4, "frontier": 2, "failed": 0, "unknown": 0}[label]
    labels = {task["task_id"]: Labelled(task["task_id"], label, passed, 4)}  # pyright: ignore[reportArgumentType]
    return triage(domain, labels)[task["task_id"]]


def test_what_each_label_leads_to(tmp_path: Path):
    fates = {
        label: (found.fate, found.why)
        for label in ("solved", "frontier", "failed", "unknown")
        for found in [decided(tmp_path / label, label, LEND)]
    }
    assert fates == {
        "solved": ("harden", "solved: 4 of 4 passed"),
        "frontier": ("kept", "frontier: 2 of 4 passed"),
        "failed": ("kept", "a valid task that shows a weakness: 0 of 4 passed"),
        "unknown": ("kept", "no label yet: 4 valid rollouts, 0 invalid"),
    }


def test_a_failed_task_that_is_broken_for_good_is_dropped(tmp_path: Path):
    broken = {**LEND, "reference_tool_calls": [{"tool": "lend", "arguments": {"member": "9", "book": "B1"}}]}
    found = decided(tmp_path, "failed", broken)
    assert (found.fate, found.task) == ("dropped", None)
    assert found.why == (
        "0 of 4 passed, and it is broken: reference_tool_calls[0]: lend fails: no member '9'"
    )


def test_an_expected_state_is_taken_from_a_reference_that_holds(tmp_path: Path):
    broken = {**LEND, "expected_db": {"loans": {"L101": {"member": "4712", "book": "B1", "weeks": 1}}}}
    found = decided(tmp_path, "failed", broken)
    assert found.fate == "repaired"
    assert found.why.startswith("expected state taken from the reference (was: expected_db: ")
    assert found.task.expected_db == LEND["expected_db"]


def test_steps_that_fail_and_change_nothing_are_left_out(tmp_path: Path):
    steps = [{"tool": "find", "arguments": {"title": "Emmma"}}, *LEND["reference_tool_calls"]]
    task, done = repair(*one(tmp_path, {**LEND, "reference_tool_calls": steps}))
    assert done == ["1 failing reference steps left out"]
    assert task is not None
    assert [step.arguments for step in task.reference_tool_calls] == [
        {"title": "Emma"},
        {"member": "4711", "book": "B1"},
    ]


def one(folder: Path, task: dict[str, Any]) -> Any:
    domain = open_desk(folder, task)
    return domain, domain.tasks[0]


def test_clauses_that_the_rules_do_not_say_are_left_out_unless_a_refusal_rests_on_them(tmp_path: Path):
    clauses = [*LEND["clauses"], "Smile."]
    task, done = repair(*one(tmp_path / "a", {**LEND, "clauses": clauses}))
    assert done == ["1 clauses left out that the rules do not say"]
    assert task is not None
    assert task.clauses == tuple(LEND["clauses"])
    assert repair(*one(tmp_path / "b", {**REFUSE, "clauses": ["Smile."]})) == (None, [])


def test_facts_that_the_prompt_lacks_are_told(tmp_path: Path):
    facts = [*LEND["script"]["facts"], {"name": "mood", "value": "good", "say": "cheerful"}]
    task, done = repair(*one(tmp_path, {**LEND, "script": {**LEND["script"], "facts": facts}}))
    assert done == ["1 facts added to the prompt"]
    assert task is not None
    assert task.user_system_prompt == f"{LEND['user_system_prompt']} mood: cheerful."


def test_defects_that_come_again_and_again_suggest_a_look_at_the_template():
    failures = [("limit", (f"assertions[{at}]", f"no {at}")) for at in range(3)] + [("near", ("db", "x"))]
    assert suggestions(failures) == [
        "limit: 3 proposals failed at assertions, the first with: no 0; look at its template, or at the check if "
        "these tasks are right"
    ]
