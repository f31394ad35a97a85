"""`antiphon run`: options, what it prints, its exit codes; `running.py` does the work."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.bench.folder import load
from tests.bench.bench_runs import own_suite, script
from tests.bench.suites.full_duplex.duplex import OVERLAP, folder
from tests.cli.commands import SCRIPTED, Done, antiphon

pytestmark = pytest.mark.usefixtures("own_cache")


def run(out: Path, *options: str | Path, system: str = "scripted:echo") -> Done:
    return antiphon(
        "run", "--system", system, *SCRIPTED, "--limit", "3", "--balanced", "--out", out, *options
    )


def test_a_run_prints_its_numbers_its_warnings_and_where_the_report_is(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run(out)
    assert done.code == 0
    lines = done.out.splitlines()
    assert any(line.startswith("Real-time factor") and "0.33" in line for line in lines)
    assert "Accuracy: 3 not judged (no judge was given; add --judge URI)" in lines
    assert "Note: The system is scripted: it recites, and measures nothing about any model." in lines
    assert lines[-1] == f"Report: {out}/report/index.html   (again: antiphon report {out} --open)"
    assert [line.partition(":")[0] for line in done.err.splitlines()] == [
        "questions", "replies", "transcripts", "scripted",
    ]  # fmt: skip
    assert (out / "report" / "index.html").stat().st_size > 10_000


def test_a_program_gets_one_object_and_nothing_else(tmp_path: Path) -> None:
    done = run(tmp_path / "run", "--json")
    assert (done.code, done.err) == (0, "")
    assert (done.json["run"], done.json["report"]) == (
        str(tmp_path / "run"), str(tmp_path / "run" / "report" / "index.html"),
    )  # fmt: skip
    rtf = next(row for row in done.json["summaries"] if (row["metric"], row["subset"]) == ("rtf", "all"))
    assert (rtf["value"], rtf["n"]) == (pytest.approx(1 / 3), 3)


def test_a_second_run_needs_resume_and_then_costs_nothing(tmp_path: Path) -> None:
    first = run(tmp_path / "run", "--json")
    again = run(tmp_path / "run")
    assert again.code == 2
    assert again.complaint.endswith(
        "holds a run already; add --resume to go on with it, or choose another --out"
    )
    resumed = run(tmp_path / "run", "--resume", "--json")
    assert resumed.json == first.json


def test_without_a_name_a_run_is_kept_under_its_suite_and_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = antiphon("run", "--system", "scripted:echo?seconds=1", *SCRIPTED, "--limit", "1", "--json")
    assert done.json["run"] == "runs/starter-scripted-echo-seconds-1"


def test_the_page_opens_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    run(tmp_path / "run", "--open")
    assert opened == [(tmp_path / "run" / "report" / "index.html").as_uri()]


def test_a_users_own_suite_runs_from_its_folder(tmp_path: Path) -> None:
    suite = own_suite(
        tmp_path / "clinic", {"Question": "哪里痛？", "Answer": "头部", "Audio": "0.wav"}, {}, subset="triage"
    )
    (suite / "suite.toml").write_text(
        'name = "clinic"\nmetrics = ["keyword_accuracy", "rtf"]\n[subsets.triage]\nlike = "general_knowledge"\n',
        encoding="utf-8",
    )
    write(suite / "audio" / "0.wav", Clip([0.5, -0.5] * 8_000, 16_000))
    system = script(
        tmp_path / "s.jsonl", {"match": "第1题", "text": "是北京。"}, {"match": "*", "text": "脚。"}
    )
    options = ("--system", system, "--suite", suite, *SCRIPTED, "--out", tmp_path / "run")
    silent = antiphon("run", *options)
    assert silent.code == 2
    assert "1 of 2 questions have no recording (first: q-1); add --speak-missing" in silent.complaint
    done = antiphon("run", *options, "--speak-missing", "--json")
    assert done.code == 0
    found = {
        (row["metric"], row["subset"]): (row["value"], row["n"], row.get("excluded", 0))
        for row in done.json["summaries"]
    }
    assert found == {
        ("keyword_accuracy", "triage"): (0.5, 2, 0),
        ("rtf", "triage"): (None, 0, 2),  # replies in words only
    }
    results = load(tmp_path / "run")
    assert results.manifest.suite == "clinic"
    assert [take.query_s for take in results.takes.values()] == [1.0, 0.24]


def test_vocalbench_zh_runs_on_its_real_texts_and_says_that_they_were_spoken(
    tmp_path: Path, data: Path
) -> None:
    texts = data / "vocalbench-zh"
    if not texts.is_dir():
        pytest.skip(f"no {texts}")
    options = ("--suite", "vocalbench-zh", "--data", texts, "--subset", "chinese_knowledge", "--limit", "20")
    command = ("run", "--system", "scripted:echo", *options, *SCRIPTED, "--out", tmp_path / "run")
    assert antiphon(*command).complaint.startswith("antiphon: 1000 of 1000 questions have no recording")
    done = antiphon(*command, "--speak-missing")
    assert done.code == 0
    assert "Note: 20 of 20 questions have no recording: a synthesizer spoke them." in done.out.splitlines()
    results = load(tmp_path / "run")
    assert len(results.takes) == 20
    assert {take.query_speech for take in results.takes.values()} == {"synthetic"}
    assert results.takes["chinese_knowledge-0000"].replies[0].text == results.items[0].question


def test_a_dry_run_writes_nothing_and_says_items_time_and_cost(tmp_path: Path) -> None:
    embedded = antiphon("run", "--limit", "24", "--balanced", "--dry-run", "--out", tmp_path / "run")
    assert embedded.code == 0
    first, *_, spoken, time, cost = embedded.out.splitlines()
    assert first == "starter with cascade:: 24 items"
    assert (spoken, cost) == ("questions to speak: 24", "cost: up to 0.00 USD")
    assert time.startswith("time: about ")
    dear = antiphon(
        "run", "--system", "openai:gpt", "--judge", "openai:gpt", "--price", "2.5,10", "--dry-run", "--json"
    )
    assert dear.json["items"] == 74
    assert dear.json["seconds"] is None
    assert 0 < dear.json["usd"] < 5
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--price", "five"], "--price takes two numbers, USD per million tokens in and out, not 'five'"),
        (["--limit", "0"], "--limit must be at least 1, not 0"),
        (["--in-flight", "0"], "in_flight must be at least 1, not 0"),
        (
            ["--suite", "nosuch"],
            "no suite 'nosuch'; there are: full-duplex, starter, vocalbench, vocalbench-zh; or give the folder",
        ),
        (["--subset", "nosuch"], "no subset 'nosuch'; there are: "),
        (["--suite", "vocalbench-zh"], "vocalbench-zh needs --data FOLDER with its JSON files"),
        (["--scorer", "scripted:?names=b"], "--scorer scripted: is given twice"),
        (["--suite", "full-duplex"], "full-duplex has several sets; add --version 1.0, 1.5, 3.0, open"),
        (
            ["--suite", "full-duplex", "--version", "1.5"],
            "full-duplex 1.5 needs --data FOLDER with user_interr",
        ),
        (["--judge", "llama:"], "llama: judges no better than chance; use embedded: or another model"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_before_anything_is_written(
    tmp_path: Path, options: list[str], problem: str
) -> None:
    done = run(tmp_path / "run", *options)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith(f"antiphon: {problem}")
    assert not (tmp_path / "run").exists()


def test_a_run_without_any_reply_fails_after_its_report(tmp_path: Path) -> None:
    system = script(tmp_path / "s.jsonl", {"match": "*", "error": {"problem": "400: no such voice"}})
    done = run(tmp_path / "run", "--json", system=system)
    assert done.code == 1
    name = load(tmp_path / "run").manifest.system
    assert done.err == (
        f"antiphon: {system}: no reply to any of 3 items (first: {name}: 400: no such voice); "
        "mend that and choose another --out\n"
    )
    assert json.loads(done.out)["run"] == str(tmp_path / "run")


def test_a_panel_within_a_budget_is_part_of_a_run_and_resumed_with_it(tmp_path: Path) -> None:
    words = {"yes": "正确", "no": "错误", "also": "正确。"}
    judges = [
        script(tmp_path / f"{name}.jsonl", {"match": "*", "text": word}) for name, word in words.items()
    ]
    panel = (*(part for judge in judges for part in ("--judge", judge)), "--repeat", "2")
    part = _judged(tmp_path / "part", *panel, "--max-judge-calls", "7")
    found = [one for one in load(part).summaries if one.metric == "accuracy" and one.subset != "all"]
    # Six calls give the first verdict; the seventh is kept for the next time.
    assert [(one.value, one.not_judged) for one in found] == [(1.0, 0), (None, 1), (None, 1)]
    _judged(tmp_path / "part", *panel, "--resume")
    whole = _judged(tmp_path / "whole", *panel)
    assert load(part).summaries == load(whole).summaries
    assert {one.value for one in load(part).summaries if one.metric == "accuracy"} == {1.0}
    assert load(part).manifest.instruments.repeat == 2


def _judged(out: Path, *options: str) -> Path:
    assert run(out, *options).code == 0
    return out


def test_a_dry_run_of_a_live_suite_counts_what_a_judge_would_be_asked_at_most(tmp_path: Path) -> None:
    folder(tmp_path / "user_backchannel" / "3", {"metadata.json": OVERLAP}, "input.wav", "clean_input.wav")
    live = ["--suite", "full-duplex", "--version", "1.5", "--data", str(tmp_path), "--system", "engine:"]
    asked = antiphon("run", *live, "--judge", "scripted:echo", "--dry-run", "--json").json
    assert (asked["items"], asked["judge_calls"], asked["usd"]) == (1, 1, 0.0)
