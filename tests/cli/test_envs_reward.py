from __future__ import annotations

import json
from pathlib import Path

import pytest

from antiphon.cli.main import main
from tests.envs.desk import LEND, write


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["envs", *arguments])
    code = stop.value.code
    assert isinstance(code, int)
    return code


@pytest.fixture
def out(tmp_path: Path) -> str:
    folder = str(tmp_path / "run")
    assert run("run", str(write(tmp_path, LEND)), "--out", folder, "--json") == 0
    return folder


def test_the_rewards_of_a_run_are_written_and_summed_up(out: str, capsys: pytest.CaptureFixture[str]):
    assert run("reward", out) == 0
    told = capsys.readouterr().out
    assert "dialogue         1         0   1.000        1                0" in told
    assert f"Rewards: {out}/rewards.jsonl" in told.replace("\n", "")
    assert (Path(out) / "rewards.jsonl").is_file()


def test_json_is_one_object_and_nothing_else(out: str, capsys: pytest.CaptureFixture[str]):
    capsys.readouterr()
    assert run("reward", out, "--level", "dialogue", "--json") == 0
    told = capsys.readouterr()
    assert told.err == ""
    found = json.loads(told.out)
    assert (found["run"], [row["rewards"] for row in found["levels"]]) == (out, [1, 0, 0])


def test_a_rule_on_acknowledging_is_a_part_of_turns(out: str, capsys: pytest.CaptureFixture[str]):
    assert run("reward", out, "--level", "turn", "--acknowledge", "always acknowledge", "--json") == 0
    rows = [json.loads(line) for line in (Path(out) / "rewards.jsonl").read_text("utf-8").splitlines()]
    assert {row["parts"].get("acknowledgement") for row in rows} == {None, 0.0}


def test_a_rule_that_is_none_lists_those_there_are(out: str, capsys: pytest.CaptureFixture[str]):
    assert run("reward", out, "--acknowledge", "sing") == 2
    assert "no rule 'sing'; there are: always acknowledge; never acknowledge" in capsys.readouterr().err


def test_a_folder_without_a_run_is_the_users_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run("reward", str(tmp_path)) == 2
    assert "no rollouts in" in capsys.readouterr().err


def test_a_run_is_continued_judged_and_rewarded(out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    on = str(tmp_path / "on")
    capsys.readouterr()
    assert run("continue", out, "--count", "2", "--out", on, "--json") == 0
    assert json.loads(capsys.readouterr().out)["groups"][0]["passed"] == 4
    assert run("reward", on, "--level", "milestone", "--json") == 0
    assert json.loads(capsys.readouterr().out)["levels"][1] == {
        "level": "milestone", "rewards": 4, "without": 0, "mean": 1.0, "groups": 2, "telling_groups": 0, "reasons": {},
    }  # fmt: skip


def test_continuing_into_the_run_itself_is_the_users_error(out: str, capsys: pytest.CaptureFixture[str]):
    assert run("continue", out, "--out", out) == 2
    assert "choose another --out" in capsys.readouterr().err
