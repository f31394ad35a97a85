from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from antiphon.envs.changes import diff
from antiphon.envs.check import check_task
from antiphon.envs.domain import Domain
from antiphon.envs.evolve.proposal import Proposal, as_task
from antiphon.envs.evolve.records import near_duplicate, stale
from antiphon.ids import rng
from tests.envs.evolve.worlds import flights

DESK = flights()


def joined(proposal: Proposal) -> Domain:
    """The domain with a proposal in it."""
    assert proposal.db is not None
    task = as_task(proposal)
    return replace(DESK, tasks=(*DESK.tasks, task), dbs={**DESK.dbs, f"{proposal.task_id}.json": proposal.db})


def made(proposal: Proposal | None) -> Proposal:
    assert proposal is not None
    return proposal


def added(proposal: Proposal) -> dict[str, Any]:
    task = DESK.task(proposal.parent)
    changes = diff(DESK.initial(task), proposal.db)
    assert all("from" not in change for change in changes.values())
    return {path: change["to"] for path, change in changes.items()}


@pytest.mark.parametrize("seed", range(6))
def test_a_near_duplicate_differs_in_two_digits_and_keeps_the_task_right(seed: int):
    proposal = made(near_duplicate(DESK, DESK.task("write_release_by_description"), "new", rng(seed)))
    ((path, record),) = added(proposal).items()
    assert path == "/users/U70009"
    assert record["user_id"] == "U70009"
    assert sorted(record["phone"]) == sorted("4155509870")
    assert record["phone"] != "4155509870"
    assert record["phone"] not in {user["phone"] for user in DESK.dbs["busy.json"]["users"].values()}
    assert record["name"] != "Daniel Kim"
    assert sum(a != b for a, b in zip(record["name"], "Daniel Kim", strict=True)) == 1
    assert check_task(joined(proposal), as_task(proposal)) == []


def test_who_takes_the_one_for_the_other_is_the_temptation():
    proposal = made(near_duplicate(DESK, DESK.task("write_release_by_description"), "new", rng(0)))
    (record,) = added(proposal).values()
    phones = {step["arguments"]["phone"] for step in proposal.temptation["task"]["reference_tool_calls"]}
    assert phones == {record["phone"]}


def test_a_key_that_holds_the_value_changes_with_it():
    found = [
        added(proposal)
        for seed in range(20)
        if (proposal := near_duplicate(DESK, DESK.task("write_release_then_hold_zh"), "new", rng(seed)))
    ]
    flights_made = [each for each in found if next(iter(each)).startswith("/flights/")]
    assert flights_made
    for each in flights_made:
        ((path, flight),) = each.items()
        assert path == f"/flights/{flight['flight_no']}@2026-08-18"
        assert flight["flight_no"] != "SK1306"


def test_where_nobody_is_identified_there_is_no_near_duplicate():
    assert near_duplicate(DESK, DESK.task("info_airport_zh"), "new", rng(0)) is None
    assert (
        near_duplicate(DESK, DESK.task("info_cheapest_day"), "new", rng(0)) is None
    )  # a date identifies nobody


def test_where_nothing_depends_on_telling_them_apart_there_is_none():
    assert (
        near_duplicate(DESK, DESK.task("refuse_third_hold"), "new", rng(0)) is not None
    )  # it asks for the right call
    assert near_duplicate(DESK, DESK.task("refuse_third_hold_zh"), "new", rng(0)) is None  # any list would do


@pytest.mark.parametrize("seed", range(6))
def test_stale_entries_look_good_and_are_over(seed: int):
    proposal = made(stale(DESK, DESK.task("write_hold_zh_basic"), "new", rng(seed)))
    found = added(proposal)
    assert list(found) == ["/holds/HD482900", "/holds/HD482899"]  # below: new numbers stay as they were
    edge, old = found.values()
    assert edge["expiry_date"] == "2026-08-12"  # today: the rules say "later than today"
    assert "2026-08-06" < old["expiry_date"] < "2026-08-12"
    for each in (edge, old):
        assert (each["user_id"], each["status"], each["fare_class"]) == ("U70004", "active", "flex")
    assert check_task(joined(proposal), as_task(proposal)) == []


def test_where_nothing_expires_nothing_is_stale():
    task = DESK.task("write_hold_zh_basic")
    assert stale(replace(DESK, rules="Be kind."), task, "new", rng(0)) is None
    assert stale(DESK, DESK.task("write_release_by_description"), "new", rng(0)) is None
    assert stale(DESK, DESK.task("info_active_holds"), "new", rng(0)) is None
