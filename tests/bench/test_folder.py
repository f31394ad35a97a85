from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.folder import RunFolder, load
from antiphon.bench.items import Item
from antiphon.bench.takes import Heard
from antiphon.errors import ConfigError, DataError
from antiphon.jsonl import dumps, to_row
from antiphon.stage.outcome import Failure
from tests.bench.bench_runs import perform


def test_a_folder_without_a_run_says_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^no run in .*: run.json is missing; `antiphon run` makes one$"):
        load(tmp_path)


def test_a_run_without_scores_says_how_to_finish_it(tmp_path: Path, own_cache: Path) -> None:
    folder = perform(tmp_path / "run")
    folder.scores.unlink()
    with pytest.raises(ConfigError, match=r"has no scores yet; finish it with `antiphon run … --resume`$"):
        load(folder.path)


def test_failures_and_records_of_a_stage_are_told_apart(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    heard = Heard("c1", "ears", "你好")
    rows = [to_row(Failure("c2", "busy", transient=True)), {"key": "c1", **to_row(heard)}]
    folder.transcripts.write_text("".join(dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(DataError):  # the stage's own field is no field of the record
        folder.rows(folder.transcripts, Item)
    assert folder.rows(folder.transcripts, Heard) == ({"c2": "busy"}, [heard])
    assert folder.rows(folder.takes, Heard) == ({}, [])


def test_a_clip_lies_under_its_hash(tmp_path: Path) -> None:
    assert RunFolder(tmp_path).clip("ab12") == tmp_path / "clips" / "ab12.flac"


def test_a_run_is_loaded_as_it_was_made(tmp_path: Path, own_cache: Path) -> None:
    results = load(perform(tmp_path / "run").path)
    assert results.manifest.items == len(results.items) == len(results.takes) == 16
    assert set(results.heard) == {said.clip for take in results.takes.values() for said in take.replies}
    assert {score.metric for score in results.scores} <= set(results.metrics)
