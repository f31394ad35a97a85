from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.envs.domain import Domain
from antiphon.envs.milestones import Milestone, milestones_of, reached, same_call
from tests.envs.desk import LEND, open_desk
from tests.envs.stories import agent, did

FAILS = {"tool": "lend", "arguments": {"member": "9", "book": "B1"}, "expect_error": True}
CARD = {"tool": "renew_card", "arguments": {"member": "4711"}, "requestor": "user"}
CHAIN = [LEND["reference_tool_calls"][0], FAILS, CARD, LEND["reference_tool_calls"][1]]


@pytest.fixture
def desk(tmp_path: Path) -> Domain:
    return open_desk(tmp_path, LEND, LEND | {"task_id": "chain", "reference_tool_calls": CHAIN})


FIND = did("find", title="Emma")
LENT = did("lend", member="4711", book="B1")


def test_each_reference_call_that_must_succeed_is_a_milestone(desk: Domain):
    assert milestones_of(desk, desk.task("chain")) == (
        Milestone(1, 0, "find", {"title": "Emma"}),
        Milestone(2, 2, "renew_card", {"member": "4711"}, "user"),
        Milestone(3, 3, "lend", {"member": "4711", "book": "B1"}, "assistant", {"weeks": 1}),
    )


def test_milestones_are_reached_in_order_with_other_calls_between(desk: Domain):
    ways = milestones_of(desk, desk.task("lend_emma"))
    assert reached(ways, [FIND, agent("Emma?"), did("find", title="Dune"), LENT]) == (0, 3)
    assert reached(ways, [LENT, FIND]) == (1,)
    assert reached(ways, []) == ()


def test_a_failed_call_reaches_nothing(desk: Domain):
    ways = milestones_of(desk, desk.task("lend_emma"))
    assert reached(ways, [did("find", title="Emma", error="down"), LENT]) == ()


def test_arguments_must_be_the_required_ones(desk: Domain):
    lend = milestones_of(desk, desk.task("lend_emma"))[1]
    assert same_call(lend, {"member": "4711", "book": "B1"})
    assert same_call(lend, {"member": "4711", "book": "B1", "weeks": 1})
    assert not same_call(lend, {"member": "4711", "book": "B1", "weeks": 2})
    assert not same_call(lend, {"member": "4711"})
    assert not same_call(lend, {"member": "4712", "book": "B1"})


def test_who_calls_matters(desk: Domain):
    ways = milestones_of(desk, desk.task("chain"))
    mine = did("renew_card", member="4711")
    theirs = did("renew_card", member="4711", role="user")
    assert reached(ways, [FIND, mine]) == (0,)
    assert reached(ways, [FIND, theirs, LENT]) == (0, 1, 2)
