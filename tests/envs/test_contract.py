from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antiphon.envs.contract import contract_of, replay, unmet
from antiphon.envs.task import task_of
from antiphon.errors import DomainError
from tests.envs.desk import LEND, open_desk


def test_the_permitted_writes_are_the_leaf_paths_of_the_replay_without_audit_tables(tmp_path: Path):
    domain = open_desk(tmp_path)
    contract = contract_of(domain, domain.task("lend_emma"))
    assert contract.permitted == {"/loans/L101/member", "/loans/L101/book", "/loans/L101/weeks"}
    assert contract_of(domain, domain.task("refuse_second")).permitted == frozenset()


def test_partner_side_steps_are_part_of_the_reference(tmp_path: Path):
    steps = [{"tool": "renew_card", "arguments": {"member": "4711"}, "requestor": "user"}]
    domain = open_desk(
        tmp_path,
        LEND | {"reference_tool_calls": steps, "expected_db": {"members": {"4711": {"card": "valid"}}}},
    )
    assert contract_of(domain, domain.tasks[0]).permitted == {"/members/4711/card"}


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([{"tool": "land"}], "land fails: no tool 'land'; there are: find, give_back, lend"),
        ([{"tool": "give_back", "arguments": {"loan": "L1"}}], "give_back fails: no loan 'L1'"),
        ([{"tool": "give_back", "arguments": {"loan": "L9"}, "expect_error": True}], "give_back should fail, and succeeds"),
        ([{"tool": "find", "arguments": {"title": 3}}], "find fails: title: Expected `str`, got `int`"),
    ],
)  # fmt: skip
def test_a_step_that_does_not_hold_is_a_problem(tmp_path: Path, steps: list[dict[str, Any]], problem: str):
    domain = open_desk(tmp_path, LEND | {"reference_tool_calls": steps})
    assert replay(domain, domain.tasks[0]).problems == (("reference_tool_calls[0]", problem),)
    with pytest.raises(DomainError, match="lend_emma: its reference does not hold"):
        contract_of(domain, domain.tasks[0])


def test_a_step_that_must_fail_and_does_is_none(tmp_path: Path):
    steps = [
        {"tool": "give_back", "arguments": {"loan": "L1"}, "expect_error": True},
        *LEND["reference_tool_calls"],
    ]
    domain = open_desk(tmp_path, LEND | {"reference_tool_calls": steps})
    assert replay(domain, domain.tasks[0]).problems == ()


@pytest.mark.parametrize(
    ("expected", "absent", "missed"),
    [
        ({"n": 25}, [], []),
        ({"n": 25.0, "deep": {"a": 1}}, [], []),
        ({"n": "25"}, [], ["/n must be '25', and is 25"]),
        ({"on": 1}, [], ["/on must be 1, and is True"]),
        ({"deep": {"b": 2}}, [], ["/deep/b must be 2, and is not there"]),
        ({"list": [1, 2]}, [], []),
        ({"list": [1]}, [], ["/list must be [1], and is [1, 2]"]),
        ({"n": {"a": 1}}, [], ["/n must be an object, and is 25"]),
        ({}, ["/deep/a"], ["/deep/a must be absent, and is 1"]),
        ({}, ["/deep/b", "/list/2", "/n/x"], []),
        ({"deep": {}}, [], []),
    ],
)
def test_the_expected_state_is_a_subset_with_whole_lists(
    expected: dict[str, Any], absent: list[str], missed: list[str]
):
    task = task_of(LEND | {"expected_db": expected, "expected_absent": absent}, "x")
    assert unmet(task, {"n": 25, "on": True, "deep": {"a": 1}, "list": [1, 2]}) == missed
