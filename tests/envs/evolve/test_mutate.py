from __future__ import annotations

import pytest

from antiphon.envs.domain import OWN
from antiphon.envs.evolve.mutate import Measure, base_name, mutate
from antiphon.errors import ConfigError
from tests.envs.evolve.worlds import flights

DESK = flights()
SOURCE = (OWN / "flight_search_desk" / "tools.py").read_text("utf-8")


def test_the_same_seed_makes_the_same_generation():
    one, two = (mutate(DESK, SOURCE, DESK.tasks, [], 1, seed=5) for _ in range(2))
    assert one == two
    assert mutate(DESK, SOURCE, DESK.tasks, [], 1, seed=6) != one


def test_without_solved_tasks_nothing_is_made_harder():
    made = mutate(DESK, SOURCE, [], DESK.tasks, 1)
    assert (made.proposals, made.changes, made.tools) == ((), (), SOURCE)
    assert made.rules.strip() == DESK.rules


def test_each_new_rule_stands_in_the_rules_and_is_the_clause_of_what_it_forbids():
    made = mutate(DESK, SOURCE, DESK.tasks, [], 1, seed=0)
    forbidden = [each for each in made.proposals if each.mutation == "limit"]
    assert forbidden
    for each in forbidden:
        assert each.task["clauses"] == [each.note]
        assert f"\n- {each.note}\n" in made.rules
        assert each.parent in made.touched
    allowed = [each for each in made.proposals if each.mutation != "limit" and "limit" in each.task["tags"]]
    assert allowed  # at the edge: to refuse is not always right


def test_recorded_failures_decide_what_is_made():
    plain = Measure(limits=0, paragraphs=0)
    stale = mutate(DESK, SOURCE, DESK.tasks, [], 1, guide={"state": 9}, measure=plain)
    near = mutate(DESK, SOURCE, DESK.tasks, [], 1, guide={"similar_name": 9}, measure=plain)
    task = "write_hold_flex_basic"
    assert {each.parent: each.mutation for each in stale.proposals}[task] == "stale_status"
    assert {each.parent: each.mutation for each in near.proposals}[task] == "near_duplicate"


def test_several_harder_tasks_can_come_of_one():
    made = mutate(DESK, SOURCE, [DESK.task("write_hold_zh_basic")], [], 2, measure=Measure(0, 0, 3))
    assert sorted((each.task_id, each.mutation) for each in made.proposals) == [
        ("write_hold_zh_basic_g2_crowd", "distractor_tool"),
        ("write_hold_zh_basic_g2_near", "near_duplicate"),
        ("write_hold_zh_basic_g2_stale", "stale_status"),
    ]


def test_names_lose_the_generation_that_they_had():
    assert [base_name(each) for each in ("write_hold", "write_hold_g1_limit", "a_g12_near3", "desk_g2", "fog_lights")] == [
        "write_hold", "write_hold", "a", "desk", "fog_lights",
    ]  # fmt: skip


def test_a_measure_that_makes_nothing_is_refused():
    with pytest.raises(ConfigError):
        Measure(per_task=0)
    with pytest.raises(ConfigError):
        Measure(limits=-1)
