from __future__ import annotations

import re
from pathlib import Path

import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.bench.catalog import metrics_of, open_suite
from antiphon.bench.suite import Selection
from antiphon.errors import ConfigError
from tests.bench.bench_runs import own_suite


def test_the_starter_suite_needs_nothing_and_caps_its_replies() -> None:
    suite = open_suite("starter", Selection())
    assert (suite.name, suite.source, suite.max_tokens, suite.spoken_here) == ("starter", "starter", 60, True)
    assert len(suite.items) == 74


def test_subsets_are_chosen_by_name() -> None:
    suite = open_suite("starter", Selection(subsets=("safety", "knowledge")))
    assert {item.subset for item in suite.items} == {
        "safety", "chinese_knowledge", "foreign_knowledge", "general_knowledge", "english_knowledge",
    }  # fmt: skip


def test_an_unknown_suite_names_the_others_and_the_way_to_an_own_one() -> None:
    problem = "no suite 'nosuch'; there are: full-duplex, starter, vocalbench, vocalbench-zh; or give the folder of your own suite"
    with pytest.raises(ConfigError, match=f"^{re.escape(problem)}$"):
        open_suite("nosuch", Selection())


def test_vocalbench_zh_asks_for_its_folder() -> None:
    with pytest.raises(ConfigError, match="vocalbench-zh needs --data FOLDER"):
        open_suite("vocalbench-zh", Selection())


def test_questions_without_a_recording_are_spoken_only_on_request(tmp_path: Path) -> None:
    folder = own_suite(tmp_path, {"Audio": "0.wav"}, {})
    write(folder / "audio" / "0.wav", Clip([0.5, -0.5] * 800, 16_000))
    with pytest.raises(ConfigError, match=r"^1 of 2 questions have no recording \(first: q-1\); add --speak"):
        open_suite(str(folder), Selection())
    suite = open_suite(str(folder), Selection(speak_missing=True))
    assert [item.audio is not None for item in suite.items] == [True, False]


def test_the_metrics_of_a_kept_run_are_found_again_by_its_suite(tmp_path: Path) -> None:
    folder = own_suite(tmp_path / "mine", {})
    (folder / "suite.toml").write_text('metrics = ["keyword_accuracy"]\n', encoding="utf-8")
    source = open_suite(str(folder), Selection(speak_missing=True)).source
    assert [metric.info.name for metric in metrics_of(source)["strict"]] == ["keyword_accuracy"]
    assert metrics_of("starter") == metrics_of("vocalbench-zh")


def test_a_suite_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"the suite of this run is gone: no folder .*gone'; bring it back"):
        metrics_of(str(tmp_path / "gone"))


def test_a_version_of_a_suite_that_has_one_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"--version 1\.5: starter has one set of data; full-duplex has several"
    ):
        open_suite("starter", Selection(version="1.5"))
