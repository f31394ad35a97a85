from __future__ import annotations

from typing import Any

from antiphon.clock import VirtualClock
from antiphon.envs.domain import open_domain
from antiphon.envs.episode import Episode
from antiphon.envs.task import Requestor
from antiphon.messages import ToolCall

DESK = open_domain("clinic_desk_zh")


def begin() -> Episode:
    return Episode(DESK, DESK.task("write_ordinary_zh"), VirtualClock())


def call(episode: Episode, tool: str, who: Requestor = "assistant", /, **arguments: Any) -> Any:
    return episode.call(ToolCall("c", tool, arguments), who).value


def test_who_calls_pays_in_the_app_for_the_family_and_for_nothing_past():
    episode = begin()
    assert call(episode, "pay_in_app", "user", phone="13800138001") == {"error": "没有要缴的费用"}
    call(episode, "book", patient_no="MZ1001", session_no="S101")
    call(episode, "book", patient_no="MZ1004", session_no="S112")
    assert call(episode, "pay_in_app", "user", phone="13800138001") == {"paid": 70}
    assert call(episode, "pay_in_app", "user", phone="13700137007") == {"error": "没有要缴的费用"}
