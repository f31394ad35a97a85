from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.folder import judged_of, load
from tests.bench.bench_runs import kept, perform, row, script
from tests.bench.endpoint import listening
from tests.cli.commands import antiphon

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
