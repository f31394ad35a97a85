from __future__ import annotations

import json
from pathlib import Path

import pytest

from antiphon.cli.main import main


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["realtime", *arguments])
    code = stop.value.code
    assert isinstance(code, int)
    return code


def test_figures_are_one_json_object(capsys: pytest.CaptureFixture[str]):
    assert run("simulate", "--set", "semantic-control", "--sessions", "2", "--seed", "3", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["set"], found["seed"], found["policy"], found["observations"]) == (
        "semantic-control", 3, "default", "oracle",
    )  # fmt: skip
    assert found["scripted"] is True
    assert found["session_level"]["n"] == 2
    assert found["point_level"]["n"] == 6
    assert set(found["tasks"]["the signal"]) >= {"respond", "resume", "uncertain", "unknown"}
    assert len(found["event_log_sha256"]) == 64


def test_rates_are_printed_with_their_counts(capsys: pytest.CaptureFixture[str]):
    assert run("simulate", "--set", "multi-party", "--sessions", "1", "--policy", "never-answer") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "multi-party, scripted, seed 0, policy never-answer, observations oracle"
    assert lines[1] == "sessions  0.0000 (0 of 1)"


def test_a_kept_session_is_replayed_under_another_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run("simulate", "--set", "multi-party", "--sessions", "1", "--out", str(tmp_path)) == 0
    capsys.readouterr()
    assert run("replay", str(tmp_path / "multi-party-0.jsonl"), "--policy", "always-answer") == 0
    assert "7 of 7 utterances decided otherwise (default → always-answer)" in capsys.readouterr().out
    assert run("replay", str(tmp_path / "multi-party-0.jsonl"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["differences"] == []


def test_an_unknown_set_exits_with_2_and_lists_the_sets(capsys: pytest.CaptureFixture[str]):
    assert run("simulate", "--set", "x") == 2
    assert (
        capsys.readouterr().err
        == "antiphon: no set 'x'; there are: fdb-like, multi-party, semantic-control\n"
    )


def test_phrases_of_ones_own_are_checked_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "own.json"
    path.write_text('{"en": {"stops": []}}', encoding="utf-8")
    assert run("simulate", "--set", "fdb-like", "--phrases", str(path)) == 1
    assert (
        capsys.readouterr()
        .err.strip()
        .endswith("own.json en.stops: a list with at least one phrase is wanted")
    )
