from __future__ import annotations

import pytest

from antiphon.envs.check import check_task
from antiphon.envs.evolve.limits import (
    Limit,
    candidates,
    choose,
    language_of,
    ordinal,
    refusal,
    refused,
    spellings,
    standing,
    written,
)
from antiphon.envs.evolve.proposal import as_task
from tests.envs.evolve.worlds import flights

DESK = flights()
LIMIT = Limit("holds", "amount", 990.0)


def test_a_limit_allows_its_value_and_forbids_more():
    assert [LIMIT.broken_by({"amount": value}) for value in (989, 990.0, 990.01)] == [False, False, True]
    assert LIMIT.broken_by({"weight": 1}) is None
    assert LIMIT.broken_by({"amount": "991"}) is None
    day = Limit("holds", "date", "2026-08-20")
    assert [day.broken_by({"date": each}) for each in ("2026-08-20", "2026-08-21")] == [False, True]
    assert day.broken_by({"date": 20260821}) is None


def test_the_rule_is_a_sentence_in_the_language_of_the_rules():
    assert language_of(DESK.rules) == "en"
    assert language_of("本台办理航班查询和票价保留（fare hold）。") == "zh"
    assert LIMIT.sentence("en") == (
        "An entry in holds may have: amount at most 990. Refuse a request above that, and tell the caller this limit."
    )
    assert Limit("holds", "expiry_date", "2026-08-20").sentence("zh") == (
        "holds 中新记录的 expiry date 不得晚于 2026-08-20。更晚的一律拒绝，并告知对方这个上限。"
    )


def test_what_a_reference_writes_is_found_by_step():
    assert [
        (at, table, entry["flight_no"])
        for at, table, entry in written(DESK, DESK.task("write_hold_out_and_back"))
    ] == [
        (1, "holds", "SK2859"),
        (2, "holds", "SK2815"),
    ]  # fmt: skip
    assert (
        written(DESK, DESK.task("write_release_by_description")) == []
    )  # it changes an entry and makes none


@pytest.mark.parametrize(
    ("task", "most", "expected"),
    [
        ("write_hold_flex_basic", 990.0, "allowed"),  # 990: at the limit
        ("write_hold_flex_basic", 989.0, "forbidden"),
        ("write_hold_out_and_back", 980.0, "mixed"),  # 990 and 975
        ("write_release_then_hold_zh", 300.0, "mixed"),  # the release comes first, and stays right
        ("write_release_by_description", 100.0, "free"),
        ("info_cheapest_day", 1.0, "free"),
        ("refuse_third_hold", 1040.0, "free"),  # it wants 1040
        ("refuse_third_hold", 1039.0, "mixed"),  # two reasons would be right
    ],
)  # fmt: skip
def test_how_a_limit_touches_a_task(task: str, most: float, expected: str):
    assert standing(Limit("holds", "amount", most), DESK, DESK.task(task)) == expected


def test_what_a_refused_caller_wants_is_learnt_from_other_tasks():
    ((table, entry),) = refused(DESK, DESK.task("refuse_third_hold"))
    assert (table, entry["flight_no"], entry["amount"]) == ("holds", "SK2895", 1040.0)
    assert refused(DESK, DESK.task("refuse_sold_out")) == []  # the call would fail
    assert refused(DESK, DESK.task("write_hold_flex_basic")) == []


def test_candidates_forbid_some_and_allow_as_many():
    found = list(candidates(DESK, DESK.tasks, []))
    assert LIMIT in found
    for limit in found:
        stands = [standing(limit, DESK, task) for task in DESK.tasks]
        assert 0 < stands.count("forbidden") <= stands.count("allowed")


def test_no_limit_touches_what_is_not_solved():
    highest = DESK.task("write_hold_similar_number")  # 1040, the one that 990 forbids
    solved = [task for task in DESK.tasks if task is not highest]
    assert LIMIT not in list(candidates(DESK, solved, [highest]))
    assert all(
        standing(limit, DESK, highest) in ("free", "allowed") for limit in candidates(DESK, solved, [highest])
    )


def test_at_most_one_limit_a_field_is_chosen():
    listed = [Limit("a", "x", 1.0), Limit("a", "x", 2.0), Limit("a", "y", 3.0), Limit("b", "x", 4.0)]
    assert choose(listed, 2, [1, 0, 3, 2]) == [listed[1], listed[3]]
    assert choose(listed, 0, [0, 1, 2, 3]) == []


def test_a_forbidden_write_becomes_a_refusal_that_holds():
    from dataclasses import replace

    parent = DESK.task("write_hold_similar_number")
    rule = LIMIT.sentence("en")
    made = refusal(LIMIT, DESK, parent, rule, "new")
    task = as_task(made)
    assert (task.expected_outcome, task.expected_db, task.clauses) == ("refusal", {}, (rule,))
    assert [step.tool for step in task.reference_tool_calls] == ["search_flights"]
    assert task.user_system_prompt.startswith(parent.user_system_prompt)
    assert (
        made.temptation["task"]["expected_outcome"] == "write"
    )  # who has not read the new rule does as before
    harder = replace(DESK, rules=f"{DESK.rules}\n- {rule}", tasks=(*DESK.tasks, task))
    assert check_task(harder, task) == []
    assert [field for field, _ in check_task(DESK, task)] == ["clauses[0]"]  # the old rules do not say it


def test_limits_are_said_as_people_say_them():
    assert spellings(1040.0, "en") == ["1040"]
    assert spellings("2026-08-22", "en") == ["August 22", "August 22nd", "22 August", "22nd of August", "2026-08-22"]  # fmt: skip
    assert spellings("2026-08-22", "zh") == ["8月22日", "8月22号", "2026-08-22"]
    assert [ordinal(each) for each in (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 30)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "30th",
    ]  # fmt: skip
