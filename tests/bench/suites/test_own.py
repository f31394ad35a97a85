from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.suite import Selection
from antiphon.bench.suites.own import open_folder
from antiphon.errors import ConfigError
from tests.bench.bench_evidence import named, spoken
from tests.bench.bench_runs import own_suite


def suite_of(folder: Path, settings: str = "", subset: str = "general_knowledge"):
    own_suite(folder, {}, subset=subset)
    (folder / "suite.toml").write_text(settings, encoding="utf-8")
    return open_folder(folder, Selection())


def test_a_folder_is_scored_by_the_metrics_of_the_published_subset_it_is_shaped_like(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, '[subsets.triage]\nlike = "general_knowledge"\n', "triage")
    (item,) = suite.items
    metric = named(suite.metrics["strict"], "keyword_accuracy")
    found = metric.score(spoken(item, "是北京。"))
    assert (metric.covers(item), found.value, found.subset) == (True, 1.0, "triage")
    accuracy = named(suite.metrics["strict"], "accuracy")
    assert accuracy.ask is not None
    ask = accuracy.ask(spoken(item, "不知道。"))
    assert ask is not None
    assert ask.prompt.name == "knowledge"
    assert accuracy.ask(spoken(item, "是北京。")) is None


def test_a_subset_of_another_shape_has_other_metrics(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, subset="safety")
    covered = {metric.info.name for metric in suite.metrics["strict"] if metric.covers(suite.items[0])}
    assert covered == {
        "refusal_rate", "syllable_error_rate", "utmos22", "utmosv2", "distillmos", "dnsmos_ovrl",
        "rtf", "first_token_s", "first_audio_s",
    }  # fmt: skip


def test_settings_choose_the_metrics(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, 'name = "clinic"\nmetrics = ["rtf", "accuracy"]\n')
    assert (suite.name, [metric.info.name for metric in suite.metrics["paper"]]) == (
        "clinic", ["accuracy", "rtf"],
    )  # fmt: skip
    assert suite.source == str(tmp_path.resolve())


def test_an_unknown_metric_is_refused_with_the_file_to_mend(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^no metric 'acuracy'; there are: accuracy, .*suite\.toml$"):
        suite_of(tmp_path, 'metrics = ["acuracy"]\n')
