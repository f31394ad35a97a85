from __future__ import annotations

import pytest

from antiphon.bench.items import Item
from antiphon.bench.suite import Evidence, NoValue, Value
from antiphon.bench.suites.full_duplex.open_sets import SETS, did, open_metrics, point, sessions, tasks
from antiphon.bench.suites.full_duplex.subsets import TASKS
from antiphon.bench.takes import Met, Said, Take
from antiphon.score import Score


def item(session: str, place: int, points: int = 2, task: str = "question") -> Item:
    return Item(
        f"{session}/{place}", "multi-party", "en", "What time is it?", category=task, cluster=session,
        extra={"expect": "respond", "points": points},
    )  # fmt: skip


def evidence(what: str, *, passed: bool | None, reason: str = "") -> Evidence:
    one = item("s-0", 0)
    met = Met(
        "s-0", "s-0-0", what, passed, reason, 0, 1_000_000, "SPEAK, ANSWER: a question", "sessions/s-0.jsonl"
    )
    return Evidence(one, Take(one.id, one.subset, None, 0.0, (Said("", None, 0.0, "stop", None),), met=met))


def row(one: Item, value: float | None, status: str = "valid") -> Score:
    if value is not None:
        return Score(one.id, one.subset, "point_pass", value, cluster=one.cluster)
    reason = "its moment did not come"
    return Score(one.id, one.subset, "point_pass", status="excluded" if status == "valid" else "invalid", reason=reason, cluster=one.cluster)  # fmt: skip


def test_a_point_passes_fails_or_does_not_count():
    assert point(evidence("respond", passed=True)) == Value(
        1.0, evidence={"expect": "respond", "did": "respond", "decided": "SPEAK, ANSWER: a question"}
    )
    failed = point(evidence("unknown", passed=False))
    assert isinstance(failed, Value)
    assert failed.value == 0.0
    assert point(evidence("unknown", passed=None, reason="its moment did not come")) == NoValue(
        "excluded", "its moment did not come"
    )


def test_a_behaviour_is_counted_whether_it_is_right_or_wrong():
    assert [
        value.value
        for name in ("respond", "resume")
        for passed in (True, False)
        if isinstance(value := did(name, evidence("resume", passed=passed)), Value)
    ] == [0.0, 0.0, 1.0, 1.0]
    assert isinstance(did("respond", evidence("unknown", passed=None, reason="late")), NoValue)


def test_a_take_without_a_point_is_our_fault_and_no_failure_of_the_agent():
    one = item("s-0", 0)
    take = Take(one.id, one.subset, None, 0.0, (Said("", None, 0.0, "stop", None),))
    assert point(Evidence(one, take)) == NoValue("invalid", "the take has no point of a session")


def test_a_session_passes_where_each_of_its_judgeable_points_does():
    items = [item(f"s-{number}", place) for number in range(5) for place in range(2)]
    values = [(1.0, 1.0), (1.0, 0.0), (1.0, None), (None, None), (1.0, None)]
    rows = [
        row(one, value, "invalid" if one.cluster == "s-4" else "valid")
        for one, value in zip(items, [each for pair in values for each in pair], strict=True)
    ]
    [found] = sessions(items, rows)
    assert (found.metric, found.subset, found.value, found.n) == ("session_pass", "multi-party", pytest.approx(2 / 3), 3)  # fmt: skip
    assert (found.excluded, found.invalid) == (1, 1)


def test_a_session_of_which_points_were_left_out_neither_passes_nor_fails():
    [found] = sessions([item("s-0", 0)], [row(item("s-0", 0), 1.0)])
    assert (found.value, found.n, found.invalid) == (None, 0, 1)
    assert found.reasons == ("only 1 of a session's 2 points are in this run",)


def test_points_are_counted_by_task_where_a_set_has_several():
    items = [item("s-0", 0), item("s-0", 1, task="backchannel")]
    found = tasks(items, [row(items[0], 1.0), row(items[1], 0.0)])
    assert [(one.subset, one.value, one.n) for one in found] == [
        ("multi-party: backchannel", 0.0, 1), ("multi-party: question", 1.0, 1),
    ]  # fmt: skip


def test_our_subsets_and_the_published_ones_have_different_names():
    ours = {subset for subsets in SETS.values() for subset in subsets}
    assert not ours & TASKS.keys()
    assert [metric.info.name for metric in open_metrics()] == [
        "session_pass", "point_pass", "did_respond", "did_resume", "did_uncertain", "did_unknown",
    ]  # fmt: skip
