from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from antiphon.clock import VirtualClock
from antiphon.envs.domain import open_domain
from antiphon.envs.episode import Episode
from antiphon.envs.task import Requestor
from antiphon.messages import ToolCall

DESK = open_domain("clinic_desk_zh")
DB = DESK.dbs["main.json"]
TODAY = date.fromisoformat(DB["current_date"])


def begin() -> Episode:
    return Episode(DESK, DESK.task("write_ordinary_zh"), VirtualClock())


def call(episode: Episode, tool: str, who: Requestor = "assistant", /, **arguments: Any) -> Any:
    return episode.call(ToolCall("c", tool, arguments), who).value


def days_ago(day: str) -> int:
    return (TODAY - date.fromisoformat(day)).days


def test_dates_stand_on_both_sides_of_every_edge():
    no_shows = {
        key: [days_ago(day) for day in patient["no_show_dates"]] for key, patient in DB["patients"].items()
    }
    assert (no_shows["MZ1003"], no_shows["MZ1009"]) == ([90, 51, 15], [91, 56, 30])
    ahead = {key: -days_ago(session["date"]) for key, session in DB["sessions"].items()}
    assert (ahead["S106"], ahead["S113"], ahead["S103"], ahead["S104"]) == (0, 1, 14, 15)
    fourteenth = date.fromisoformat(DB["patients"]["MZ1004"]["birth_date"]).replace(year=2026)
    assert [DB["sessions"][key]["date"] for key in ("S112", "S111")] == ["2026-03-18", fourteenth.isoformat()]
    clocks = {name: db["current_time"] for name, db in DESK.dbs.items()}
    assert clocks == {"main.json": "16:20", "evening.json": "17:00"}


def test_statuses_that_mislead_are_there():
    appointment, session = DB["appointments"]["A7001"], DB["sessions"]["S108"]
    assert (appointment["status"], days_ago(appointment["date"])) == ("已预约", 7)
    assert (session["status"], session["left"]) == ("停诊", 6)


def test_doctors_and_patients_sound_alike():
    found = call(begin(), "find_doctors", name="li min")["doctors"]
    assert [(each["name"], each["department"]) for each in found] == [
        ("李敏", "心内科"), ("黎敏", "心外科"), ("李民", "神经内科"),
    ]  # fmt: skip
    family = call(begin(), "find_patients", phone="13800138001")["patients"]
    assert [each["name"] for each in family] == ["张珊", "李小萌"]
    assert all("id_tail" not in each for each in family)


@pytest.mark.parametrize(
    ("name", "tail", "matches"),
    [("章珊", "482X", True), ("章珊", "482x", True), ("张珊", "482X", False), ("章珊", "4821", False)],
)
def test_identity_is_checked_by_name_and_number_together(name: str, tail: str, matches: bool):
    assert call(begin(), "check_identity", patient_no="MZ1003", name=name, id_tail=tail) == {
        "matches": matches
    }


def test_booking_takes_a_place_and_cancelling_gives_it_back():
    episode = begin()
    booked = call(episode, "book", patient_no="MZ1001", session_no="S105")
    assert (booked["appointment_no"], booked["fee"], booked["paid"]) == ("A7010", 20, False)
    assert episode.db["sessions"]["S105"]["left"] == 8
    assert call(episode, "cancel", appointment_no="A7010") == {
        "appointment_no": "A7010",
        "status": "已取消",
    }
    assert episode.db["sessions"]["S105"]["left"] == 9
    assert call(episode, "cancel", appointment_no="A7010") == {"error": "A7010 的状态是已取消"}


def test_cancelling_an_appointment_of_a_past_session_touches_no_other():
    episode = begin()
    call(episode, "cancel", appointment_no="A7001")
    assert episode.db["sessions"] is begin().db["sessions"]


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("find_patients", {"phone": "1"}, "手机号 1 没有登记"),
        ("check_identity", {"patient_no": "MZ9", "name": "张珊", "id_tail": "4821"}, "没有就诊号 MZ9"),
        ("find_doctors", {"name": " "}, "没有医生  "),
        ("list_sessions", {"department": "眼科", "first_date": "2026-02-30", "last_date": "2026-03-20"}, "2026-02-30 不是 YYYY-MM-DD 格式的日期"),
        ("list_sessions", {"department": "牙科", "first_date": "2026-03-13", "last_date": "2026-03-20"}, "department: '牙科' is not among the choices: 儿科, 心内科, 心外科, 眼科, 神经内科, 骨科"),
        ("book", {"patient_no": "MZ1001", "session_no": "S102"}, "S102 没有余号"),
        ("book", {"patient_no": "MZ1001", "session_no": "S999"}, "没有出诊编号 S999"),
        ("join_waitlist", {"patient_no": "MZ1001", "session_no": "S999"}, "没有出诊编号 S999"),
        ("change_phone", {"patient_no": "MZ1001", "new_phone": "1380013800"}, "1380013800 不是 11 位手机号"),
        ("send_directions", {"patient_no": "MZ9"}, "没有就诊号 MZ9"),
        ("cancel", {"appointment_no": "A1"}, "没有预约号 A1"),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_an_error_and_changes_nothing(
    tool: str, arguments: dict[str, Any], error: str
):
    episode = begin()
    before = episode.db
    assert call(episode, tool, **arguments) == {"error": error}
    assert episode.db is before
