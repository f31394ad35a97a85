from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from antiphon.envs.task import Assertion, ReferenceCall, read_json, read_tasks, task_of
from antiphon.errors import DataError
from antiphon.partner.script import Fact
from tests.envs.desk import LEND, REFUSE


def test_a_task_has_the_papers_fields_and_the_extensions():
    task = task_of(LEND, "all.json")
    assert task.reference_tool_calls[1] == ReferenceCall("lend", {"member": "4711", "book": "B1"})
    assert task.checks[2] == Assertion("Must tell the loan.", "says", {"forms": [["L101"]], "after": "lend"})
    assert task.script is not None
    assert task.script.facts == (Fact("member", "4711", "4711", ("number",)),)
    assert (task.changes_state, task_of(REFUSE, "x").changes_state) == (True, False)


def test_an_assertion_may_be_plain_words():
    assert task_of(LEND | {"assertions": ["Must be kind."]}, "x").checks == (Assertion("Must be kind."),)


def test_a_tasks_version_changes_with_any_word_of_it():
    one = task_of(LEND, "x").version
    assert task_of(dict(LEND), "elsewhere").version == one
    assert task_of(LEND | {"user_system_prompt": "Another."}, "x").version != one


def test_a_changed_copy_has_its_own_version():
    task = task_of(LEND, "x")
    assert (task.version, len(task.checks)) == (task.version, 3)
    changed = msgspec.structs.replace(task, assertions=("Must be kind.",))
    assert (changed.version == task.version, len(changed.checks)) == (False, 1)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"task_id": None}, "t.json task 1 task_id: Expected `str`, got `null`"),
        ({"expected_outcome": "maybe"}, "t.json lend_emma expected_outcome: Invalid enum value 'maybe'"),
        ({"colour": 1}, "t.json lend_emma: Object contains unknown field `colour`"),
        ({"reference_tool_calls": [{"tool": 3}]}, "t.json lend_emma reference_tool_calls[0].tool: Expected `str`, got `int`"),
        ({"user_system_prompt": "  "}, "t.json lend_emma user_system_prompt: is empty"),
        ({"expected_absent": ["loans"]}, "t.json lend_emma expected_absent[0]: 'loans' is no path; it begins with a slash, as /holds/HD1"),
    ],
)  # fmt: skip
def test_what_is_wrong_names_file_task_and_field(change: dict[str, Any], told: str):
    with pytest.raises(DataError) as caught:
        task_of(LEND | change, "t.json")
    assert str(caught.value) == told


def test_one_bad_task_does_not_hide_the_others(tmp_path: Path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps([LEND, {"task_id": "broken"}, REFUSE, 7]))
    found = [each.task_id if not isinstance(each, DataError) else str(each) for each in read_tasks(path)]
    assert found == [
        "lend_emma",
        f"{path} broken: Object missing required field `db`",
        "refuse_second",
        f"{path} task 4: Expected `object`, got `int`",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1,\n"b": }', ":2: not JSON: Expecting value"),
        ('{"a": NaN}', ": not JSON: NaN is no JSON number"),
        ('{"a": 1, "a": 2}', ": not JSON: the key 'a' comes twice"),
        ("[" * 100_000, ": not JSON: "),
    ],
)
def test_bad_json_is_one_line(tmp_path: Path, text: str, problem: str):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        read_json(path)
    assert str(caught.value).startswith(f"{path}{problem}")
    assert "\n" not in str(caught.value)
