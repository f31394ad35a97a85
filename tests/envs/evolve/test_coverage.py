from __future__ import annotations

from antiphon.envs.evolve.coverage import Coverage, cells, coverage, most_needed, points, turns
from tests.envs.evolve.worlds import flights

DESK = flights()


def test_points_and_turns_by_hand():
    basic = DESK.task("write_hold_flex_basic")  # two calls, one writes, three clauses; read back once
    assert points(DESK, basic) == 2 + 1 + len(basic.clauses)
    assert basic.script is not None
    assert turns(basic) == len(basic.script.facts) + 1 + 1
    airport = DESK.task("info_airport_zh")
    assert airport.script is not None
    assert turns(airport) == len(airport.script.facts) + len(airport.script.more) + 1 + 1


def test_cells_and_shortfalls_by_hand():
    assert cells(DESK, DESK.task("write_hold_flex_basic"))[:2] == ("write", "complex")
    found = Coverage(10, {"write": 3, "refusal": 7, "simple": 10, "short": 10})
    assert found.shortfalls() == {
        "medium": 3, "middling": 3, "unsupported": 1, "informational": 1, "complex": 1, "long": 1,
    }  # fmt: skip


def test_the_flight_desk_meets_the_targets():
    found = coverage(DESK, DESK.tasks)
    assert found.tasks == len(DESK.tasks)
    assert (
        sum(found.cells[each] for each in ("write", "refusal", "unsupported", "informational")) == found.tasks
    )


def test_what_fills_the_emptiest_cells_comes_first():
    writes = [task for task in DESK.tasks if task.expected_outcome == "write"]
    have = coverage(DESK, writes)
    first = most_needed(DESK, DESK.tasks, have)[0]
    assert first.expected_outcome != "write"
