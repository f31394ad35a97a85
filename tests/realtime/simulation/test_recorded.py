from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.errors import DataError
from antiphon.realtime.policy.policies import policy_named
from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.policy.semantic import BySemantics
from antiphon.realtime.sets.multi_party import multi_party
from antiphon.realtime.simulation.oracle import Oracle
from antiphon.realtime.simulation.recorded import Header, read, replay, timed, times, write
from antiphon.realtime.simulation.simulate import Simulation
from antiphon.realtime.turn_policy import NeverAnswer


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    session = multi_party(0, 0).session
    done = Simulation(session, policy_named("default"), Oracle(), 0).run()
    path = tmp_path / "session.jsonl"
    write(path, Header(session.id, "default", 0, session.settings.names, scripted=True), done.log)
    return path


def test_a_session_is_read_as_it_was_written(kept: Path):
    recorded = read(kept)
    lines = multi_party(0, 0).session.lines
    assert recorded.header.session == "multi-party-0"
    assert recorded.words == {line.id: line.text for line in lines}
    assert set(recorded.decided) == {line.id for line in lines}
    assert all(text in multi_party(0, 0).session.answers.values() for text in recorded.answers.values())


def test_the_same_policy_decides_alike_and_another_does_not(kept: Path):
    recorded = read(kept)
    assert replay(recorded, policy_named("default"))["differences"] == []
    found = replay(recorded, policy_named("never-answer"))
    assert (found["recorded_policy"], found["replayed_policy"], found["utterances"]) == (
        "default",
        "never-answer",
        7,
    )
    assert all(each["replayed"]["reason"] == "never answers" for each in found["differences"])
    assert {each["recorded"]["answer"] for each in found["differences"]} >= {"ANSWER"}


def test_a_policys_times_are_those_it_falls_back_on_too_and_hold_where_a_policy_has_them():
    rules = replace(ByRules(), words_us=7)
    found = times(BySemantics(rules, patience_us=5))
    assert (found["words_us"], found["patience_us"], found["side_us"]) == (7, 5, 10_000_000)
    assert timed(BySemantics(), found) == BySemantics(rules, patience_us=5)
    assert timed(ByRules(), found) == rules
    assert timed(NeverAnswer(), found) == NeverAnswer()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: "", r"session.jsonl:1: is no recorded session"),
        (
            lambda text: text.replace("realtime-session", "other", 1),
            "is 'other' version 1, not 'realtime-session'",
        ),
        (lambda text: text.replace('"in"', "7", 1), "session.jsonl:2: no row of an event log"),
        (
            lambda text: text.replace('"onset_us":', '"onset":', 1),
            "session.jsonl:2 SpeechStarted: Object missing",
        ),
    ],
)
def test_a_broken_file_says_where(kept: Path, change, problem: str):
    kept.write_text(change(kept.read_text("utf-8")), "utf-8")
    with pytest.raises(DataError, match=problem):
        read(kept)


def test_a_missing_file_is_one_line(tmp_path: Path):
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path / "none.jsonl")
