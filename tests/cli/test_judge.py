from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.folder import judged_of, load
from tests.bench.bench_runs import kept, perform, row, script
from tests.bench.endpoint import listening
from tests.cli.commands import antiphon

PAID = "openai+http://127.0.0.1:9/v1#judge"  # nobody listens there: a dry run asks nobody

pytestmark = pytest.mark.usefixtures("own_cache")


def test_a_kept_run_is_judged_and_nothing_else_changes(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    before = kept(folder.path)
    judge = script(tmp_path / "judge.jsonl", {"match": "*", "text": "是"})
    done = antiphon("judge", folder.path, "--judge", judge, "--json")
    assert done.code == 0
    found = row(load(folder.path).scores, "starter-safety-000", "refusal_rate")
    assert (found.value, found.evidence["answer"]) == (1.0, "是")
    changed = {name for name, data in kept(folder.path).items() if before.get(name) != data}
    assert changed == {
        "judgements.jsonl", "judgements.stage.json", "run.json", "scores.jsonl", "summaries.jsonl",
    }  # fmt: skip


def test_another_judges_verdicts_are_kept_apart_and_found_again(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    lenient = script(tmp_path / "lenient.jsonl", {"match": "*", "text": "是"})
    strict = script(tmp_path / "strict.jsonl", {"match": "*", "text": "否"})
    antiphon("judge", folder.path, "--judge", lenient)
    first = kept(folder.path)
    antiphon("judge", folder.path, "--judge", strict)
    assert row(load(folder.path).scores, "starter-safety-000", "refusal_rate").value == 0.0
    antiphon("judge", folder.path, "--judge", lenient)
    assert kept(folder.path) == first


def test_a_verdict_is_paid_for_once_and_one_that_failed_is_asked_again(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    with listening() as endpoint:
        endpoint.reply, endpoint.faults = "是", ["500"]
        first = antiphon("judge", folder.path, "--judge", endpoint.uri, "--json")
        failures, verdicts = judged_of(folder)
        assert (first.code, len(failures), len(verdicts)) == (0, 1, 15)
        antiphon("judge", folder.path, "--judge", endpoint.uri)
        failures, verdicts = judged_of(folder)
        assert (len(failures), len(verdicts), endpoint.asked.total()) == (0, 16, 17)
        folder.judgements.unlink()
        antiphon("judge", folder.path, "--judge", endpoint.uri)  # from the cache
        assert (len(judged_of(folder)[1]), endpoint.asked.total()) == (16, 17)


def test_a_judge_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    before = kept(folder.path)
    done = antiphon("judge", folder.path, "--judge", "whisper:base")
    assert (done.code, done.complaint.startswith("antiphon: no chat scheme 'whisper:'")) == (2, True)
    assert kept(folder.path) == before


def test_a_budget_of_calls_stops_and_the_same_command_goes_on(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    with listening() as endpoint:
        endpoint.reply = "是"
        command = ("judge", folder.path, "--judge", endpoint.uri)
        done = antiphon(*command, "--max-judge-calls", "5")
        failures, verdicts = judged_of(folder)
        assert (done.code, endpoint.asked.total(), len(verdicts), len(failures)) == (0, 5, 5, 11)
        assert "16 verdicts: 16 calls; about" in done.err
        missed = {key.split(" ")[0] for key in failures}
        accuracies = [one for one in load(folder.path).scores if one.metric == "accuracy"]
        assert {one.status for one in accuracies if one.item in missed} == {"not judged"}
        assert row(load(folder.path).scores, "starter-safety-000", "refusal_rate").reason == (
            "not asked: the judge's 5 calls are made; `antiphon judge` goes on"
        )
        antiphon(*command, "--max-judge-calls", "5")
        assert (endpoint.asked.total(), len(judged_of(folder)[1])) == (10, 10)
        antiphon(*command)
        assert (endpoint.asked.total(), len(judged_of(folder)[1])) == (16, 16)
        whole = kept(folder.path)
    other = perform(tmp_path / "other")
    with listening() as endpoint:
        endpoint.reply = "是"
        antiphon("judge", other.path, "--judge", endpoint.uri)
    same = ("judgements.jsonl", "scores.jsonl", "summaries.jsonl")
    for name in same:
        text = kept(other.path)[name].decode()
        assert whole[name].decode().split('"judge":')[0] == text.split('"judge":')[0]


def test_what_a_keyword_settles_does_not_count_while_its_subset_is_not_judged(tmp_path: Path) -> None:
    script_of = {"match": "*", "text": "是北京。", "audio": {"tone_s": 1}}
    folder = perform(tmp_path / "run", script(tmp_path / "system.jsonl", script_of), limit=32)
    judge = script(tmp_path / "judge.jsonl", {"match": "*", "text": "否"})
    antiphon("judge", folder.path, "--judge", judge, "--max-judge-calls", "0")
    settled = row(load(folder.path).scores, "starter-chinese_knowledge-000", "accuracy")
    assert (settled.value, settled.status) == (None, "not judged")
    assert settled.reason == "1 replies of this subset were not asked about; `antiphon judge` goes on"
    antiphon("judge", folder.path, "--judge", judge)
    assert row(load(folder.path).scores, "starter-chinese_knowledge-000", "accuracy").value == 1.0


def test_a_dry_run_counts_panel_repetition_and_cache(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    before = kept(folder.path)
    judge = script(tmp_path / "judge.jsonl", {"match": "*", "text": "是"})
    panel = ("judge", folder.path, "--judge", judge, "--judge", PAID, "--repeat", "3")
    found = antiphon(*panel, "--dry-run", "--price", "1,10", "--json").json
    assert (found["verdicts"], found["calls"], found["cached"], found["paid"]) == (16, 16 * 6, 0, 16 * 3)
    assert found["usd"] == pytest.approx(
        (found["tokens_sent"] / 2 * 1 + found["tokens_given"] / 2 * 10) / 1e6, rel=1e-3
    )
    assert kept(folder.path) == before
    antiphon("judge", folder.path, "--judge", judge)
    found = antiphon("judge", folder.path, "--judge", judge, "--dry-run", "--json").json
    assert (found["verdicts"], found["calls"], found["usd"]) == (0, 0, 0.0)  # the run has them all
    folder.judgements.unlink()
    found = antiphon("judge", folder.path, "--judge", judge, "--dry-run", "--json").json
    assert (found["calls"], found["cached"], found["usd"]) == (0, 16, 0.0)


def test_a_panel_keeps_every_answer_and_says_how_far_it_agrees(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    says = {"lenient": ("是", "好。[4]"), "strict": ("否", "差。[1]"), "third": ("是", "中。[3]")}
    judges = [
        script(tmp_path / f"{name}.jsonl", {"match": "方括号", "text": score}, {"match": "*", "text": word})
        for name, (word, score) in says.items()
    ]
    done = antiphon("judge", folder.path, *(part for judge in judges for part in ("--judge", judge)))
    assert done.code == 0
    results = load(folder.path)
    assert results.manifest.judge is not None
    assert results.manifest.judge.startswith("panel of 3: scripted:")
    assert results.manifest.instruments.panel == (judges[1], judges[2])
    rows = {one.item: one for one in judged_of(folder)[1]}
    refusal = rows["starter-safety-000"]
    assert (refusal.verdict, [one.answer for one in refusal.opinions]) == (True, ["是", "否", "是"])
    score = rows["starter-creativity-000"]
    assert (score.verdict, [one.verdict for one in score.opinions]) == (3.0, [4.0, 1.0, 3.0])
    page = folder.report.read_text(encoding="utf-8")
    assert "judges agree, refusal_rate" in page
    assert "all in 0 of 1 (0%)" in page
    before = kept(folder.path)
    antiphon("judge", folder.path, *(part for judge in judges for part in ("--judge", judge)))
    assert kept(folder.path) == before


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--budget", "1"), "--budget 1 needs --price IN,OUT"),
        (("--max-judge-calls", "-1"), "must not be negative"),
        (("--max-judge-calls", "1", "--workers", "2"), "a budget is kept by one process"),
        (("--repeat", "0"), "--repeat must be at least 1, not 0"),
    ],
)
def test_a_budget_that_cannot_hold_is_refused(
    tmp_path: Path, options: tuple[str, ...], complaint: str
) -> None:
    folder = perform(tmp_path / "run")
    judge = script(tmp_path / "judge.jsonl", {"match": "*", "text": "是"})
    before = kept(folder.path)
    done = antiphon("judge", folder.path, "--judge", judge, *options)
    assert (done.code, complaint in done.complaint) == (2, True)
    assert kept(folder.path) == before
