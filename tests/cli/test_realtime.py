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


def test_people_are_heard_and_the_oracle_stands_beside(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, own_cache: Path
):
    heard = (
        "simulate", "--set", "fdb-like", "--sessions", "2", "--observations", "real", "--vad", "energy",
        "--synthesizer", "scripted:?rate_hz=16000", "--transcriber", "scripted:?text=Why?",
    )  # fmt: skip
    ticks = tmp_path / "ticks.jsonl"
    assert run(*heard, "--ticks", str(ticks)) == 0
    out, err = capsys.readouterr()
    assert "sessions: 2/2" in err
    lines = out.splitlines()
    assert lines[0] == "fdb-like, scripted, seed 0, policy default, observations real"
    assert any(line.startswith("oracle, same sessions: 1.0000 (2 of 2)") for line in lines)
    assert any("1000 ms a call (declared), language recognised, speakers unknown" in line for line in lines)
    rows = [json.loads(line) for line in ticks.read_text("utf-8").splitlines()]
    assert {row["session"] for row in rows} == {"fdb-like-0", "fdb-like-1"}
    assert "Why?" in {row.get("heard") for row in rows}
    assert run(*heard, "--json") == 0
    out, err = capsys.readouterr()
    assert err == ""
    found = json.loads(out)
    assert found["ears"]["scripted"] is True
    assert found["oracle"]["session_level"] == {"rate": 1.0, "passed": 2, "n": 2}


def test_options_of_the_sound_need_sound(capsys: pytest.CaptureFixture[str]):
    assert run("simulate", "--set", "fdb-like", "--vad", "energy", "--rate", "1.1") == 2
    assert "--rate, --vad: only with --observations real, not oracle" in capsys.readouterr().err


def test_a_kept_session_is_printed_in_ticks(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert (
        run(
            "simulate",
            "--set",
            "multi-party",
            "--sessions",
            "1",
            "--out",
            str(tmp_path),
            "--ticks",
            str(tmp_path / "t"),
        )
        == 0
    )
    capsys.readouterr()
    kept = tmp_path / "multi-party-0.jsonl"
    assert run("ticks", str(kept)) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    by_script = [json.loads(line) for line in (tmp_path / "t" / kept.name).read_text("utf-8").splitlines()]
    assert [row.get("agent") for row in rows] == [row.get("agent") for row in by_script]
    said = ["".join(row.get("user", {}).get("text", "") for row in each) for each in (rows, by_script)]
    assert said[0].split() == said[1].split()
    assert run("ticks", str(kept), "--tau") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["tick_id"] == 0


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


def test_lines_of_ones_own_are_learned_and_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "acts.npz"
    lines = tmp_path / "mine.tsv"
    ours = Path("examples/lines.tsv").read_text(encoding="utf-8").splitlines()
    lines.write_text("\n".join(f"{line} {n}" for line in ours for n in "abcd"), encoding="utf-8")
    assert run("learn", str(lines), "--only", "--out", str(out), "--folds", "3", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["lines"], told["held_out"]["n"]) == (4 * len(ours), 4 * len(ours))
    policy = f"default?acts={out}"
    assert run("simulate", "--set", "semantic-control", "--sessions", "1", "--policy", policy, "--json") == 0
    assert json.loads(capsys.readouterr().out)["policy"] == policy


def test_a_line_that_is_none_exits_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    lines = tmp_path / "mine.tsv"
    lines.write_text("ask\tWhat now?\n", encoding="utf-8")
    assert run("learn", str(lines), "--out", str(tmp_path / "a.npz")) == 1
    assert "mine.tsv:1: unknown act 'ask'; there are: request, others" in capsys.readouterr().err
    assert not (tmp_path / "a.npz").exists()
