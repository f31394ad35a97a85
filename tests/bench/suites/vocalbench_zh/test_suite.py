from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
import soundfile

from antiphon.bench.catalog import metrics_of, open_suite
from antiphon.bench.suite import Selection
from antiphon.errors import ConfigError, DataError

if TYPE_CHECKING:
    from pathlib import Path

TOML = '[subsets.sichuan]\nlike = "general_knowledge"\nspeech = "recorded"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A further subset of two questions in dialect; one has its recording."""
    entries = [
        {
            "Set": "Dialect",
            "Qid": f"d-{n}",
            "Question": "啥子？",
            "Answer": "茶",
            "Source": "ours",
            "Audio": f"d/{n}.wav",
        }
        for n in range(2)
    ]
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "sichuan.json").write_text(json.dumps(entries), encoding="utf-8")
    (tmp_path / "suite.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "audio" / "d").mkdir(parents=True)
    soundfile.write(tmp_path / "audio" / "d" / "0.wav", np.zeros(160, np.float32), 16_000)
    return tmp_path


def test_a_further_subset_runs_by_name_with_its_label(folder: Path) -> None:
    suite = open_suite("vocalbench-zh", Selection(folder, ("sichuan",), speak_missing=True))
    assert [(item.subset, item.speech) for item in suite.items] == [
        ("sichuan", "recorded"),
        ("sichuan", "synthetic"),  # no recording: it will be spoken
    ]
    covering = {metric.info.name for metric in suite.metrics["strict"] if metric.covers(suite.items[0])}
    assert {"keyword_accuracy", "syllable_error_rate"} <= covering


def test_its_metrics_are_found_again_while_the_folder_is_there(folder: Path, tmp_path: Path) -> None:
    suite = open_suite("vocalbench-zh", Selection(folder, ("sichuan",), speak_missing=True))
    again = metrics_of(suite.source)["strict"]
    assert [metric.info.name for metric in again if metric.covers(suite.items[0])] == [
        metric.info.name for metric in suite.metrics["strict"] if metric.covers(suite.items[0])
    ]
    with pytest.raises(ConfigError, match=r"the data of this run is gone: no folder"):
        metrics_of(f"vocalbench-zh:{tmp_path / 'gone'}")


def test_a_subset_that_nobody_declared_is_named_with_the_choices(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"no subset 'shanghai'; there are: .*sichuan"):
        open_suite("vocalbench-zh", Selection(folder, ("shanghai",)))


def test_a_label_that_is_none_is_refused(folder: Path) -> None:
    (folder / "suite.toml").write_text(TOML.replace("recorded", "live"), encoding="utf-8")
    with pytest.raises(DataError, match=r"subsets.sichuan.speech: 'live' is neither recorded nor synthetic"):
        open_suite("vocalbench-zh", Selection(folder, ("sichuan",)))
