from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.calibration.calibrate import Calibration
from antiphon.bench.rating.ballots import ballots
from antiphon.bench.rating.ratings import open_box
from antiphon.clock import VirtualClock
from antiphon.jsonl import read_records
from tests.bench.bench_runs import perform, script
from tests.cli.commands import antiphon

pytestmark = pytest.mark.usefixtures("own_cache")

ROWS = (
    '{"question": "首都？", "answer": "北京", "response": "是北京。", "label": true}\n'
    '{"question": "首都？", "answer": "北京", "response": "是上海。", "label": false}\n'
)


def labels(folder: Path, rows: str = ROWS) -> Path:
    path = folder / "mine.jsonl"
    path.write_text(rows, encoding="utf-8")
    return path


def test_a_judge_is_measured_on_ones_own_labels(tmp_path: Path) -> None:
    judge = script(
        tmp_path / "judge.jsonl", {"match": "回答：是北京", "text": "正确"}, {"match": "*", "text": "错误"}
    )
    out = tmp_path / "out"
    done = antiphon(
        "judge", "calibrate", labels(tmp_path), "--judge", judge, "--out", out, "--swap", "--json"
    )
    assert done.code == 0
    (found,) = done.json["calibrations"]
    assert (found["set"], found["prompt"].split("@")[0]) == ("mine", "knowledge")
    assert (found["agreement"]["exact"]["k"], found["agreement"]["kappa"]) == (2, 1.0)
    assert found["swapped"]["k"] == 2
    assert read_records(out / "calibration.jsonl", Calibration)[0].labelled == 2
    done = antiphon("judge", "calibrate", labels(tmp_path), "--judge", judge, "--out", out)
    assert "kappa 1.000 (almost perfect)" in done.out
    assert done.out.splitlines()[-1] == f"Answers and figures: {out / 'calibration.jsonl'}"


def test_a_prompt_file_of_ones_own_with_its_words(tmp_path: Path) -> None:
    prompt = tmp_path / "polite.txt"
    prompt.write_text("Is this polite? {response}\nyes or no", encoding="utf-8")
    judge = script(tmp_path / "judge.jsonl", {"match": "*", "text": "no"})
    command = ("judge", "calibrate", labels(tmp_path), "--judge", judge, "--out", tmp_path / "out", "--json")
    found = antiphon(*command, "--prompt", prompt, "--choices", "yes,no").json["calibrations"][0]
    assert found["prompt"].startswith("polite@")
    assert found["agreement"]["specificity"]["value"] == 1.0
    assert found["agreement"]["sensitivity"]["value"] == 0.0


def test_a_dry_run_asks_nobody_and_writes_nothing(tmp_path: Path) -> None:
    uri = "openai+http://127.0.0.1:9/v1#judge"
    out = tmp_path / "out"
    command = ("judge", "calibrate", labels(tmp_path), "--judge", uri, "--repeat", "3", "--out", out)
    done = antiphon(*command, "--dry-run", "--price", "1,1")
    assert (done.code, out.exists()) == (0, False)
    assert "2 verdicts: 6 calls; about" in done.out


@pytest.mark.parametrize(
    ("rows", "options", "complaint"),
    [
        (None, (), "nothing to compare with: give a JSONL file of labelled replies, or --eva FOLDER"),
        (ROWS, ("--prompt", "knowlege"), "no prompt 'knowlege'; there are: creativity, "),
        ('{"question": "q", "response": "r", "label": true}\n', (), "have no `answer` in every row"),
        (ROWS, ("--prompt", "single_round"), "prompt single_round asks for a score from 1 to 5"),
    ],
)
def test_what_cannot_be_compared_is_said_in_one_line(
    tmp_path: Path, rows: str | None, options: tuple[str, ...], complaint: str
) -> None:
    given = () if rows is None else (labels(tmp_path, rows),)
    done = antiphon("judge", "calibrate", *given, "--judge", "scripted:", "--out", tmp_path / "out", *options)
    assert done.code in (1, 2)
    assert complaint in done.complaint


def test_raters_and_judge_are_compared(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    judge = script(tmp_path / "judge.jsonl", {"match": "*", "text": "否"})
    antiphon("judge", folder.path, "--judge", judge)
    refused = antiphon("judge", "agreement", folder.path)
    assert (refused.code, "nobody has rated replies" in refused.complaint) == (2, True)
    todo = ballots([folder], ["refusal_rate", "accuracy"], None, 0)
    for rater, value in (("ann", True), ("bob", False)):
        with open_box([folder], todo, rater, VirtualClock()) as box:
            for one in todo:
                box.rate(one.id, value if one.top is None else 3)
    done = antiphon("judge", "agreement", folder.path)
    assert "refusal_rate, yes/no: judge against ann" in done.out
    found = antiphon("judge", "agreement", folder.path, "--json").json["comparisons"]
    refusal = {(one["given"], one["truth"]): one["agreement"] for one in found if "refusal" in one["metric"]}
    assert {pair: (one["n"], one["exact"]["k"]) for pair, one in refusal.items()} == {
        ("judge", "ann"): (1, 0),
        ("judge", "bob"): (1, 1),
        ("bob", "ann"): (1, 0),
    }


def test_what_cannot_be_rated_is_said_before_anything_is_served(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    refused = antiphon("judge", "rate", folder.path, "--metric", "rtf")
    assert (refused.code, "no metric to rate 'rtf'; there are: accuracy, " in refused.complaint) == (2, True)
    refused = antiphon("judge", "rate", folder.path, "--rater", "../me")
    assert (refused.code, "must be a plain name" in refused.complaint) == (2, True)
    refused = antiphon("judge", "rate", tmp_path / "none")
    assert (refused.code, "no run in" in refused.complaint) == (2, True)
