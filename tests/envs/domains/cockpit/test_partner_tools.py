from __future__ import annotations

from typing import Any

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


def test_the_people_in_the_car_do_things_with_their_hands():
    episode = begin("junction")
    assert call(episode, "park_the_car", "user") == {"gear": "P"}
    assert call(episode, "park_the_car", "user") == {"error": "the car is parked already"}
    assert call(episode, "unplug_the_cable", "user") == {"error": "no cable is plugged in"}
    assert call(begin("parked"), "unplug_the_cable", "user") == {"cable_plugged_in": False}
    status = call(episode, "get_status")["status"]
    assert (status["gear"], status["speed_kmh"], status["confirm_pressed"]) == ("P", 0, False)
    call(episode, "press_confirm", "user")
    assert call(episode, "get_status")["status"]["confirm_pressed"] is True
