from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.audio.background import open_corpus
from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.bench.catalog import open_suite
from antiphon.bench.folder import RunFolder, load
from antiphon.bench.queries import Query
from antiphon.bench.run import run
from antiphon.bench.suite import Selection, Suite
from antiphon.bench.takes import Take
from antiphon.errors import ConfigError
from antiphon.stage.map import Settings
from antiphon.stage.progress import Silent
from tests.bench.bench_runs import INSTRUMENTS, kept, own_suite, perform, plan, script

pytestmark = pytest.mark.usefixtures("own_cache")


def test_a_run_keeps_items_takes_transcripts_and_scores(tmp_path: Path) -> None:
    results = load(perform(tmp_path / "run").path)
    assert len(results.items) == len(results.takes) == 16
    assert results.failures == {}
    assert {item.subset for item in results.items} >= {
        "chinese_knowledge",
        "multi_round",
        "english_knowledge",
    }
    rtf = next(s for s in results.summaries if s.metric == "rtf" and s.subset == "all")
    assert (rtf.value, rtf.n) == (pytest.approx(1 / 3), 16)


def test_a_scripted_run_says_so(tmp_path: Path) -> None:
    manifest = load(perform(tmp_path / "run").path).manifest
    assert manifest.system.startswith("scripted:")
    assert manifest.meta["machine"] == "scripted"
    assert "The system is scripted: it recites, and measures nothing about any model." in manifest.warnings


def test_two_scripted_runs_are_the_same_byte_for_byte(tmp_path: Path) -> None:
    first, second = (kept(perform(tmp_path / name).path) for name in ("a", "b"))
    assert first == second


def test_workers_and_requests_in_flight_change_no_word_and_no_score_but_times(tmp_path: Path) -> None:
    alone = load(perform(tmp_path / "a").path)
    together = load(perform(tmp_path / "b", how=Settings(in_flight=2, workers=2)).path)
    times = {"rtf", "first_token_s", "first_audio_s"}
    assert [s for s in alone.scores if s.metric not in times] == [
        s for s in together.scores if s.metric not in times
    ]
    excluded = [s for s in together.scores if s.metric == "rtf"]
    assert {(s.status, s.reason) for s in excluded} == {
        ("excluded", "4 requests were in flight; times count only for one")
    }


def test_a_folder_with_a_run_is_not_written_over(tmp_path: Path) -> None:
    perform(tmp_path / "run")
    with pytest.raises(ConfigError, match="holds a run already; add --resume"):
        perform(tmp_path / "run")


def test_a_finished_run_resumes_to_itself(tmp_path: Path) -> None:
    before = kept(perform(tmp_path / "run").path)
    assert kept(perform(tmp_path / "run", resume=True).path) == before


def test_a_run_can_grow_and_keeps_what_it_has(tmp_path: Path) -> None:
    perform(tmp_path / "run", limit=16)
    grown = load(perform(tmp_path / "run", limit=20, resume=True).path)
    assert len(grown.takes) == 20


def test_an_item_that_changed_under_its_name_is_refused(tmp_path: Path) -> None:
    perform(tmp_path / "run")
    wanted = plan(tmp_path / "run", resume=True)
    first, *rest = wanted.suite.items
    changed = replace(wanted.suite, items=(replace(first, question="别的问题？"), *rest))
    with pytest.raises(ConfigError, match=r"1 items are not what they were .*first: starter-chinese"):
        asyncio.run(run(replace(wanted, suite=changed), lambda _: Silent()))


def test_resuming_with_another_system_is_refused_and_names_both(tmp_path: Path) -> None:
    perform(tmp_path / "run")
    with pytest.raises(ConfigError, match=r"scripted:echo 3 s .*scripted:echo 1 s"):
        perform(tmp_path / "run", "scripted:echo?seconds=1", resume=True)


def test_a_failed_reply_is_an_invalid_row_and_no_zero(tmp_path: Path) -> None:
    uri = script(
        tmp_path / "s.jsonl",
        {"match": "法国", "error": {"problem": "HTTP 400: no such voice"}},
        {
            "match": "*",
            "text": "北京是中国的首都。",
            "audio": {"tone_s": 2},
            "first_audio_us": 5,
            "end_us": 9,
        },
    )
    results = load(perform(tmp_path / "run", uri).path)
    row = next(
        s
        for s in results.scores
        if s.item == "starter-foreign_knowledge-000" and s.metric == "keyword_accuracy"
    )
    assert row.status == "invalid"
    assert "HTTP 400: no such voice" in (row.reason or "")
    total = next(s for s in results.summaries if s.metric == "keyword_accuracy" and s.subset == "all")
    assert total.invalid == 1


def test_an_empty_reply_is_invalid(tmp_path: Path) -> None:
    uri = script(tmp_path / "s.jsonl", {"match": "*", "text": ""})
    results = load(perform(tmp_path / "run", uri).path)
    assert set(results.failures.values()) == {"the reply has neither words nor sound"}
    assert {s.status for s in results.scores} <= {"invalid"}


def test_a_reply_without_speech_is_scored_in_words_only(tmp_path: Path) -> None:
    uri = script(tmp_path / "s.jsonl", {"match": "*", "text": "中国的首都是北京。"})
    rows = {
        s.metric: s for s in load(perform(tmp_path / "run", uri).path).scores
        if s.item == "starter-chinese_knowledge-000"
    }  # fmt: skip
    assert rows["keyword_accuracy"].value == 1.0
    assert (rows["syllable_error_rate"].status, rows["syllable_error_rate"].reason) == (
        "excluded", "the reply has no speech",
    )  # fmt: skip
    assert rows["distillmos"].status == "excluded"
    assert rows["rtf"].status == "excluded"


def test_without_a_judge_judged_metrics_are_not_judged(tmp_path: Path) -> None:
    scores = load(perform(tmp_path / "run").path).scores
    judged = [s for s in scores if s.metric in ("accuracy", "refusal_rate", "score", "empathy_rate")]
    assert {(s.status, s.value) for s in judged} == {("not judged", None)}
    assert len(judged) > 10


def test_a_judge_that_cannot_be_read_leaves_invalid_rows(tmp_path: Path) -> None:
    uri = script(tmp_path / "judge.jsonl", {"match": "*", "text": "也许吧"})
    scores = load(perform(tmp_path / "run", instruments=replace(INSTRUMENTS, judge=uri)).path).scores
    refusal = next(s for s in scores if s.metric == "refusal_rate")
    assert (refusal.status, refusal.value) == ("invalid", None)


def test_a_judges_verdict_is_kept_with_prompt_and_answer(tmp_path: Path) -> None:
    uri = script(tmp_path / "judge.jsonl", {"match": "*", "text": "是"})
    scores = load(perform(tmp_path / "run", instruments=replace(INSTRUMENTS, judge=uri)).path).scores
    refusal = next(s for s in scores if s.metric == "refusal_rate")
    assert refusal.value == 1.0
    assert refusal.evidence["answer"] == "是"
    assert refusal.evidence["prompt"].startswith("safety@")


def test_no_items_is_an_error_before_anything_is_written(tmp_path: Path) -> None:
    wanted = plan(tmp_path / "run")
    empty = replace(wanted, suite=replace(wanted.suite, items=()))
    with pytest.raises(ConfigError, match="no items left of suite starter"):
        asyncio.run(run(empty, lambda _: Silent()))
    assert not (tmp_path / "run").exists()


def test_the_robust_items_are_heard_under_noise(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    perform(tmp_path / "run")
    takes = {take.item: take for take in folder.rows(folder.takes, Take)[1]}
    robust = next(take for take in takes.values() if take.subset == "robust")
    # Noise destroys the words that a scripted tone carries, so the echo has nothing to repeat.
    assert robust.replies[0].text != takes["starter-chinese_knowledge-000"].replies[0].text
    assert robust.query_s > 0


def noisy_suite(folder: Path, level: str) -> Suite:
    noisy = own_suite(folder, {"Category": "background_noise", "Level": level}, subset="robust")
    return open_suite(str(noisy), Selection(speak_missing=True))


def test_a_condition_that_is_none_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="q-0: background_noise has no level 'loud'"):
        perform(tmp_path / "run", suite=noisy_suite(tmp_path / "noisy", "loud"))
    assert not (tmp_path / "run").exists()


def test_the_users_noise_is_used_named_and_never_mixed_with_another(tmp_path: Path) -> None:
    write(tmp_path / "noise" / "hum.wav", Clip([0.5, -0.5] * 400, 8_000))
    suite = noisy_suite(tmp_path / "noisy", "snr_5")
    folder = perform(tmp_path / "run", suite=suite, noise=tmp_path / "noise")
    (query,) = folder.rows(folder.queries, Query)[1]
    assert query.disturbed == f"background_noise:snr_db=5,noise={open_corpus(tmp_path / 'noise').name}"
    with pytest.raises(ConfigError, match="noise"):
        perform(tmp_path / "run", suite=suite, resume=True)
