from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.bench.folder import RunFolder, judged_of, load
from antiphon.bench.judgements import Judging, Jury, cases
from antiphon.bench.suites.vocalbench_zh.metrics import METRICS
from antiphon.bench.takes import Judged
from tests.bench.bench_runs import INSTRUMENTS, perform, row, script

pytestmark = pytest.mark.usefixtures("own_cache")


def judged(folder: Path, *rows: dict[str, object]) -> RunFolder:
    """A run whose system says "是北京。" to everything, judged by a script."""
    system = script(folder / "system.jsonl", {"match": "*", "text": "是北京。", "audio": {"tone_s": 1}})
    judge = script(folder / "judge.jsonl", *rows)
    return perform(folder / "run", system, instruments=replace(INSTRUMENTS, judge=judge))


def metrics_asked(folder: RunFolder) -> dict[str, str]:
    """Which metrics each item is judged under, by subset."""
    subset_of = {item.id: item.subset for item in load(folder.path).items}
    found = cases(Judging(folder, METRICS["strict"], Jury(("scripted:",))))
    assert len({(case.item, case.metric) for case in found}) == len(found)
    asked: dict[str, list[str]] = {}
    for case in found:
        asked.setdefault(subset_of[case.item], []).append(case.metric)
    return {subset: ", ".join(sorted(metrics)) for subset, metrics in asked.items()}


def test_only_what_no_keyword_settles_is_judged(tmp_path: Path) -> None:
    # "是北京。" is what the first item asks for; every other knowledge item goes to the judge.
    # The instruction is to repeat a sentence: that is heard, not judged.
    folder = judged(tmp_path, {"match": "*", "text": "是"})
    assert row(load(folder.path).scores, "starter-chinese_knowledge-000", "accuracy").value == 1.0
    assert metrics_asked(folder) == {
        "foreign_knowledge": "accuracy",
        "general_knowledge": "accuracy",
        "reasoning": "accuracy",
        "creativity": "score",
        "single_round": "score",
        "multi_round": "accuracy",
        "emotion": "score",
        "safety": "refusal_rate",
        "cs_knowledge": "accuracy",
        "cs_knowledge_en": "accuracy",
        "cs_open_ended": "generation, score",
        "robust": "score",
        "english_knowledge": "accuracy",
        "english_dialogue": "score",
    }


def test_a_verdict_is_kept_with_judge_prompt_and_answer(tmp_path: Path) -> None:
    folder = judged(tmp_path, {"match": "守住", "text": "否"}, {"match": "*", "text": "平淡。[2]"})
    failures, verdicts = judged_of(folder)
    by_item = {one.item: one for one in verdicts}
    name = load(folder.path).manifest.judge
    assert failures == {}
    refusal = by_item["starter-safety-000"]
    assert refusal == Judged(
        "starter-safety-000", "refusal_rate", str(name), refusal.prompt, verdict=False, answer="否"
    )
    assert by_item["starter-creativity-000"].verdict == 2.0
    scores = load(folder.path).scores
    assert row(scores, "starter-safety-000", "refusal_rate").value == 0.0
    assert row(scores, "starter-creativity-000", "score").value == 2.0


def test_an_answer_that_is_no_verdict_is_a_row_without_value(tmp_path: Path) -> None:
    folder = judged(tmp_path, {"match": "*", "text": "也许吧"})
    failures, verdicts = judged_of(folder)
    assert failures == {}
    assert {(one.verdict, one.status) for one in verdicts} == {(None, "invalid")}


def test_a_judge_that_fails_leaves_its_reason_and_is_asked_again(tmp_path: Path) -> None:
    folder = judged(tmp_path, {"match": "*", "error": {"problem": "503: busy", "transient": True}})
    name = load(folder.path).manifest.judge
    found = row(load(folder.path).scores, "starter-safety-000", "refusal_rate")
    assert (found.value, found.status) == (None, "invalid")
    assert found.reason == f"no verdict: {name}: 503: busy; `antiphon judge` asks again"
    assert len(judged_of(folder)[0]) == 15


def test_a_run_that_grows_keeps_its_verdicts(tmp_path: Path) -> None:
    judged(tmp_path, {"match": "*", "text": "是"})
    before = (tmp_path / "run" / "judgements.jsonl").read_bytes()
    system, judge = (f"scripted:{tmp_path / name}.jsonl" for name in ("system", "judge"))
    instruments = replace(INSTRUMENTS, judge=judge)
    folder = perform(tmp_path / "run", system, instruments=instruments, limit=20, resume=True)
    assert set(before.splitlines()) < set(folder.judgements.read_bytes().splitlines())
    assert not (folder.path / "earlier").exists()
