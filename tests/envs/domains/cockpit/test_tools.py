from __future__ import annotations

from typing import Any

import pytest

from antiphon.clock import VirtualClock
from antiphon.envs.domain import open_domain
from antiphon.envs.episode import Episode
from antiphon.envs.task import Requestor
from antiphon.messages import ToolCall

CAR = open_domain("cockpit")


def begin(db: str) -> Episode:
    return Episode(CAR, next(task for task in CAR.tasks if task.db == f"@dbs/{db}.json"), VirtualClock())


def call(episode: Episode, tool: str, who: Requestor = "assistant", /, **arguments: Any) -> Any:
    return episode.call(ToolCall("c", tool, arguments), who).value


def test_battery_and_time_on_arrival_are_worked_out():
    # 46 % for 184 km is a quarter of a percent per km: 172 km take 43, and 118 minutes from 17:58 end at 19:56.
    assert call(begin("motorway"), "plan_route", place_id="P01") == {
        "place_id": "P01", "name": "Rosa Park Hotel", "charger_id": "", "arrives": "19:56",
        "battery_on_arrival": 3,
    }  # fmt: skip
    # Charged to 80 %, the 84 km from the stop take 21; charging takes 25 minutes.
    charged = call(begin("motorway"), "plan_route", place_id="P01", charger_id="E03")
    assert (charged["arrives"], charged["battery_on_arrival"]) == ("20:21", 59)
    assert call(begin("low"), "plan_route", place_id="P06")["battery_on_arrival"] == 0


def test_planning_changes_nothing_and_starting_replaces_the_route():
    episode = begin("junction")
    before = episode.db
    call(episode, "plan_route", place_id="P03")
    assert episode.db is before
    assert call(episode, "start_route", place_id="P03")["arrives"] == "18:42"
    assert episode.db["route"]["place_id"] == "P03"
    assert call(episode, "cancel_route") == {"route": None}
    assert call(episode, "cancel_route") == {"error": "no route is active"}


def test_one_charging_stop_of_five_may_be_used_on_the_way_to_the_hotel():
    chargers = call(begin("motorway"), "find_chargers", place_id="P01")["chargers"]
    good = [
        each["charger_id"]
        for each in chargers
        if each["works"] and each["free_stalls"] and each["report_minutes_old"] <= 30
    ]
    assert ([each["charger_id"] for each in chargers], good) == (["E01", "E02", "E03", "E04", "E05"], ["E03"])
    ages = {each["report_minutes_old"] for each in chargers if each["works"] and each["free_stalls"]}
    assert ages == {95, 12, 31}


def test_names_that_sound_alike_are_found_together():
    def names(tool: str, key: str, **query: str) -> list[str]:
        return [each["name"] for each in call(begin("junction"), tool, **query)[key]]

    assert names("find_contacts", "contacts", name="morgan") == ["Lee Morgan", "Leigh Morgan", "Lea Morgan"]
    assert names("find_contacts", "contacts", name="小张") == ["张山", "张珊", "章珊"]
    assert names("find_contacts", "contacts", name="王芳") == ["王芳", "王方"]
    assert names("find_contacts", "contacts", name="Reed") == ["Tom Reed"]
    assert names("find_places", "places", query="Rosa Park") == ["Rosa Park Hotel", "Hotel Rosa Park"]
    assert names("find_places", "places", query="书香") == ["书香园书店", "书香苑茶馆"]


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("set_temperature", {"seat": "driver", "celsius": 30}, "30.0 degrees cannot be set; 16 to 28 in steps of 0.5 can"),
        ("set_temperature", {"seat": "driver", "celsius": 21.3}, "21.3 degrees cannot be set; 16 to 28 in steps of 0.5 can"),
        ("set_temperature", {"seat": "trunk", "celsius": 21}, "seat: 'trunk' is not among the choices: driver, passenger, rear_left, rear_right"),
        ("set_window", {"window": "sunroof", "open_percent": 101}, "a window cannot be open by 101 percent; 0 to 100 can be set"),
        ("set_fan", {"level": 8}, "no fan level 8; there are 0 to 7"),
        ("set_seat_heating", {"seat": "driver", "level": 4}, "no heating level 4; there are 0 to 3"),
        ("set_volume", {"level": 31}, "no volume 31; there are 0 to 30"),
        ("play_audio", {"title": " "}, "nothing to play was named"),
        ("show_video", {"title": "Moby", "screen": "rear"}, "no 'Moby' in the library; there are: Paper Whale, Paper Whales, 小鹿学飞"),
        ("find_contacts", {"name": " "}, "no contact ' '"),
        ("find_places", {"query": "nowhere"}, "no place 'nowhere'"),
        ("place_call", {"contact_id": "C02", "phone": "mobile"}, "Leigh Morgan has no mobile phone; there are: work"),
        ("place_call", {"contact_id": "C99", "phone": "work"}, "no contact 'C99'"),
        ("send_arrival", {"contact_id": "C07"}, "no route is active, so there is no arrival time"),
        ("start_route", {"place_id": "P01", "charger_id": "E08"}, "no charging station 'E08' on the way to Rosa Park Hotel"),
        ("delete_profile", {"profile_id": "D9"}, "no profile 'D9'"),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_an_error_and_changes_nothing(
    tool: str, arguments: dict[str, Any], error: str
):
    episode = begin("motorway")
    before = episode.db
    assert call(episode, tool, **arguments) == {"error": error}
    assert episode.db is before
