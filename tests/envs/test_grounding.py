from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from antiphon.envs.grounding import Grounding, Known, ground, spoken_dates
from antiphon.envs.task import task_of
from antiphon.messages import ToolSpec
from antiphon.trace import Step
from tests.envs.desk import LEND
from tests.envs.stories import agent, did, partner

FACTS = {
    "opening": "Emma, please.",
    "facts": [{"name": "member", "value": "4711", "say": "forty-seven eleven", "asked": ["number"]}],
}
TASK = task_of(LEND | {"script": FACTS}, "all.json")
RULES = "Flights go to Tokyo Narita (NRT)."
SPEC = ToolSpec(
    "book", "", {
        "type": "object",
        "properties": {
            "to": {"type": "string"}, "day": {"type": "string"}, "fare": {"type": "string", "enum": ["flex", "saver"]},
            "seats": {"type": "integer", "default": 1},
        },
    },
)  # fmt: skip


def known(*steps: Step) -> Known:
    return Known(TASK, RULES, "2026-08-12", steps)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("My number is 415 555-1234.", "4155551234"),
        ("It is four one five five five five one two three four.", "4155551234"),
        ("电话是幺三八零零一三八零零一", "13800138001"),
        ("Flight SK2859, please.", "SK2859"),
        ("章珊，139 1234 5678，482X。", "13912345678"),
        ("章珊，139 1234 5678，482X。", "482X"),
        ("to Lake View", "Lakeview"),
        ("On August 20th.", "2026-08-20"),
        ("The 20th of August.", "2026-08-20"),
        ("八月二十号", "2026-08-20"),
        ("8月20日", "2026-08-20"),
        ("Tomorrow.", "2026-08-13"),
        ("后天吧", "2026-08-14"),
        ("next Thursday", "2026-08-20"),
        ("下周四", "2026-08-20"),
        ("Two seats.", 2),
        ("要两张。", 2),
        ("It's forty-seven eleven.", "4711"),
        ("Please tell them that the baby is asleep", "the baby is asleep in bed"),
    ],
)
def test_what_the_partner_said_in_any_spelling_is_grounded(said: str, value: Any):
    assert known(partner(said)).grounds(value)
    assert not known(partner("Hello.")).grounds(value)


@pytest.mark.parametrize("value", ["4155551235", "SK2858", "2026-08-21", 3, "PVG"])
def test_what_nobody_said_is_not(value: Any):
    heard = partner("415 555 1234, SK2859 on August 20, two seats to Tokyo")
    assert not known(heard).grounds(value)


def test_results_rules_and_today_ground_values():
    shown = Step(
        0, "assistant", call={"id": "c", "name": "find", "arguments": {"q": "x"}},
        result={"value": {"books": {"B1": {"title": "Emma", "price": 25.0}}}},
    )  # fmt: skip
    found = known(shown)
    assert [found.grounds(each) for each in ("B1", "Emma", 25, "NRT", "2026-08-12", "B2")] == [
        True, True, True, True, True, False,
    ]  # fmt: skip


def test_an_error_that_repeats_an_invented_value_grounds_its_choices_only():
    failed = did("find", error="no airport 'XYZ'; there are: SFO, HND", code="XYZ")
    assert not known(failed).grounds("XYZ")
    assert known(failed).grounds("HND")


def test_what_the_agent_says_counts_once_the_partner_agrees():
    offer = agent("That would be B7 then?")
    assert not known(offer).grounds("B7")
    assert not known(offer, partner("No, wait.")).grounds("B7")
    assert known(offer, partner("Yes, please.")).grounds("B7")


def test_by_hand_two_of_three_arguments():
    call = {"name": "book", "arguments": {"to": "NRT", "day": "2026-08-20", "fare": "flex"}}
    assert ground(call, SPEC, known(partner("to Narita"))) == Grounding(2 / 3, (("day", "2026-08-20"),))
    assert ground(call, SPEC, known(partner("on August 20"))) == Grounding(1.0)


def test_choices_and_defaults_of_the_interface_are_free():
    call = {"name": "book", "arguments": {"fare": "saver", "seats": 1}}
    assert ground(call, SPEC, known()) == Grounding(1.0)


def test_a_call_without_arguments_has_nothing_to_ground():
    assert ground({"name": "book", "arguments": {}}, SPEC, known()) == Grounding(None)


def test_lists_and_objects_are_grounded_value_by_value():
    call = {"name": "x", "arguments": {"items": [{"id": "B1"}, {"id": "B2"}]}}
    assert ground(call, None, known(partner("B1, please"))) == Grounding(0.5, (("items", "B2"),))


def test_a_weekday_far_off_says_nothing():
    assert "thursday" in set(spoken_dates(date(2026, 8, 20), date(2026, 8, 12)))
    assert "thursday" not in set(spoken_dates(date(2026, 9, 3), date(2026, 8, 12)))
    assert {"1st of september", "september 1", "九月一日"} <= set(
        spoken_dates(date(2026, 9, 1), date(2026, 8, 12))
    )
