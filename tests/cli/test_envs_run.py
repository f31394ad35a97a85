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


def test_a_domain_is_played_judged_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "run"
    assert run("run", str(write(tmp_path, LEND)), "--out", str(out), "--trials", "2") == 0
    told = capsys.readouterr()
    assert "2 of 2" in told.out
    assert f"antiphon envs score {out}" in told.out.replace("\n", " ")
    assert "episodes: 2/2" in told.err
    assert (out / "report" / "index.html").is_file()


def test_json_is_one_object_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "run"
    arguments = [
        "run",
        str(write(tmp_path, LEND)),
        "--system",
        "reference:?flaw=hangs_up",
        "--out",
        str(out),
        "--json",
    ]
    assert run(*arguments) == 0
    told = capsys.readouterr()
    assert told.err == ""
    found = json.loads(told.out)
    assert (found["system"], found["stops"]) == ("scripted:reference?flaw=hangs_up", {"agent_hung_up": 1})
    assert found["groups"][0]["passed"] == 0
    assert run("score", str(out), "--json") == 0
    assert json.loads(capsys.readouterr().out) == found


def test_an_episode_that_cannot_pass_any_more_is_stopped_where_that_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    for flaw, stops, passed in (
        ("?flaw=extra_write", {"unreachable": 31}, 0),
        ("", {"partner_hung_up": 31}, 31),
    ):
        out = str(tmp_path / f"run{passed}")
        arguments = [
            "run",
            "flight_search_desk",
            "--stop-early",
            "--system",
            f"reference:{flaw}",
            "--out",
            out,
            "--json",
        ]
        assert run(*arguments) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["stops"], found["groups"][0]["passed"]) == (stops, passed)


def test_a_spoken_run_defaults_to_a_system_that_hears(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    home = str(write(tmp_path, LEND))
    hearing = "cascade:?transcriber=scripted:&chat=reference:&synthesizer=scripted:"
    arguments = [
        "run",
        home,
        "--spoken",
        "--synthesizer",
        "scripted:",
        "--out",
        str(tmp_path / "run"),
        "--json",
    ]
    assert run(*arguments, "--system", hearing) == 0
    assert (
        "synthetic speech: every turn of the partner is spoken by scripted:"
        in json.loads(capsys.readouterr().out)["labels"]
    )
    assert run(*arguments[:-3], "--out", str(tmp_path / "other"), "--system", "reference:") == 2
    assert "reads text only; to have it hear, put it behind a recogniser" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--task", "nothing"], "no task of desk 'nothing'; there are: lend_emma"),
        (["--noise", "white_noise:snr_db=5"], "noise and telephone are for speech; add --spoken"),
        (["--system", "reference:?flaw=lazy"], "no flaw 'lazy'; there are: "),
        (["--trials", "0"], "at least 1"),
        (["--max-turns", "0"], "max_turns must be at least 1, not 0"),
        (["--temperature", "-1"], "temperature must be at least 0, not -1"),
        (["--judge", "nowhere:"], "no chat scheme 'nowhere:'"),
    ],
)
def test_what_cannot_be_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
):
    assert run("run", str(write(tmp_path, LEND)), "--out", str(tmp_path / "run"), *arguments) == 2
    told = capsys.readouterr().err
    assert complaint in told
    assert "Traceback" not in told


def test_a_run_that_is_there_is_gone_on_with_only_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    home, out = str(write(tmp_path, LEND)), str(tmp_path / "run")
    assert run("run", home, "--out", out) == 0
    assert run("run", home, "--out", out) == 2
    assert "add --resume" in capsys.readouterr().err
    assert run("run", home, "--out", out, "--resume", "--trials", "2") == 0
    assert "1 reused" in capsys.readouterr().err
    assert run("score", str(tmp_path / "nothing")) == 2
