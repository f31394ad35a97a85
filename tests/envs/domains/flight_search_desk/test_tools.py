from __future__ import annotations

import json
from typing import Any

import pytest

from antiphon.clock import VirtualClock
from antiphon.envs.contract import contract_of
from antiphon.envs.domain import open_domain
from antiphon.envs.episode import Episode
from antiphon.envs.recital import recite
from antiphon.envs.verdict import check, decide
from antiphon.messages import ToolCall

DESK = open_domain("flight_search_desk")
EMILY = "4155501234"


def call(name: str, db: str = "main", **arguments: Any) -> Any:
    task = next(task for task in DESK.tasks if task.db == f"@dbs/{db}.json")
    return Episode(DESK, task, VirtualClock()).call(ToolCall("c", name, arguments)).value


def test_the_database_is_the_papers_completed():
    db = DESK.dbs["main.json"]
    assert (len(db["flights"]), len(db["airports"]), db["current_date"]) == (16, 4, "2026-08-12")
    assert db["flights"]["SK2859@2026-08-20"]["fares"] == {"saver": 640.0, "standard": 780.0, "flex": 990.0}
    assert db["holds"] == {
        "HD482901": {
            "user_id": "U70001", "flight_no": "SK2859", "date": "2026-08-15", "origin": "SFO", "dest": "NRT",
            "fare_class": "flex", "amount": 955.0, "status": "active", "created_date": "2026-08-05",
            "expiry_date": "2026-08-08",
        }
    }  # fmt: skip


def test_the_papers_task_expects_the_papers_state():
    task = DESK.task("write_hold_flex_basic")
    hold = task.expected_db["holds"]["HD482902"]
    assert hold == {
        "user_id": "U70001", "flight_no": "SK2859", "date": "2026-08-20", "origin": "SFO", "dest": "NRT",
        "fare_class": "flex", "amount": 990.0, "status": "active", "created_date": "2026-08-12",
        "expiry_date": "2026-08-15",
    }  # fmt: skip
    assert contract_of(DESK, task).permitted == {f"/holds/HD482902/{field}" for field in hold}


@pytest.mark.parametrize("task", DESK.tasks, ids=lambda task: task.task_id)
def test_the_reference_passes_and_leaving_out_its_last_act_does_not(task: Any):
    contract = contract_of(DESK, task)
    trace = recite(Episode(DESK, task, VirtualClock()))
    assert decide(check(contract, trace)).passed is True
    silent = Episode(DESK, task, VirtualClock())
    silent.say("user", task.script.opening)
    assert decide(check(contract, silent.finish("partner_hung_up"))).passed is False


def test_both_languages_and_the_hard_parts_of_speech_are_there():
    assert {task.language for task in DESK.tasks} == {"en", "zh"}
    tags = {tag for task in DESK.tasks for tag in task.tags}
    assert {"spoken_number", "similar_name", "similar_number", "negation", "date_edge"} <= tags


def test_two_airports_answer_to_tokyo():
    assert [each["code"] for each in call("find_airport", query="tokyo")["airports"]] == ["NRT", "HND"]
    assert [each["code"] for each in call("find_airport", query="羽田")["airports"]] == ["HND"]
    assert call("find_airport", query=" ") == {"error": "no airport matches ' '"}


def test_a_round_trip_gives_both_ways():
    found = call(
        "search_flights", origin="PVG", dest="NRT", depart_date="2026-08-18", trip_type="round_trip",
        return_date="2026-08-25",
    )  # fmt: skip
    assert [flight["flight_no"] for flight in found["flights"]] == ["SK1306", "SK1360"]
    assert [flight["flight_no"] for flight in found["return_flights"]] == ["SK1307"]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("search_flights", {"origin": "LAX", "dest": "NRT", "depart_date": "2026-08-20", "trip_type": "one_way"}, "no airport 'LAX'; there are: SFO, NRT, HND, PVG"),
        ("search_flights", {"origin": "SFO", "dest": "NRT", "depart_date": "2026-08-01", "trip_type": "one_way"}, "2026-08-01 has passed; today is 2026-08-12"),
        ("search_flights", {"origin": "SFO", "dest": "NRT", "depart_date": "20 August", "trip_type": "one_way"}, "'20 August' is no date as YYYY-MM-DD"),
        ("search_flights", {"origin": "SFO", "dest": "NRT", "depart_date": "2026-08-20", "trip_type": "round_trip"}, "flight back: '' is no date as YYYY-MM-DD"),
        ("search_flights", {"origin": "SFO", "dest": "NRT", "depart_date": "2026-08-20", "trip_type": "round_trip", "return_date": "2026-08-19"}, "the return date 2026-08-19 is before the departure on 2026-08-20"),
        ("search_flights", {"origin": "SFO", "dest": "NRT", "depart_date": "2026-08-20", "trip_type": "multi"}, "trip_type: 'multi' is not among the choices: one_way, round_trip"),
        ("price_grid", {"origin": "SFO", "dest": "NRT", "first_date": "2026-08-20", "last_date": "2026-10-20", "fare_class": "flex"}, "the range is 61 days; it may be 0 to 14"),
        ("list_holds", {"phone": "1"}, "no account with phone '1'"),
        ("place_hold", {"phone": "1", "flight_no": "SK2859", "depart_date": "2026-08-20", "fare_class": "flex"}, "no account with phone '1'"),
        ("place_hold", {"phone": EMILY, "flight_no": "SK1", "depart_date": "2026-08-20", "fare_class": "flex"}, "no flight SK1 on 2026-08-20"),
        ("place_hold", {"phone": EMILY, "flight_no": "SK2859", "depart_date": "2026-08-21", "fare_class": "flex"}, "no flex seat is left on SK2859 on 2026-08-21"),
        ("release_hold", {"phone": EMILY, "hold_ref": "HD482904"}, "this account has no hold 'HD482904'"),
    ],
)  # fmt: skip
def test_failures_are_data(name: str, arguments: dict[str, Any], error: str):
    assert call(name, "busy", **arguments) == {"error": error}


def test_the_grid_shows_days_without_a_seat_as_none():
    found = call(
        "price_grid",
        origin="SFO",
        dest="NRT",
        first_date="2026-08-20",
        last_date="2026-08-22",
        fare_class="flex",
    )
    assert found["lowest_fare"] == {"2026-08-20": 990.0, "2026-08-21": None, "2026-08-22": None}


def test_the_tools_do_not_keep_the_rules_for_the_agent():
    held = call("place_hold", phone=EMILY, flight_no="SK2859", depart_date="2026-08-20", fare_class="saver")
    assert held["hold_ref"] == "HD482902"
    assert json.dumps(held).count("640.0") == 1


def test_a_released_hold_is_not_released_again():
    assert call("release_hold", "busy", phone="13912345678", hold_ref="HD482907") == {
        "error": "hold HD482907 is released already"
    }
