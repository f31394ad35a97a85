from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.bench.catalog import metrics_of, open_suite
from antiphon.bench.suite import Selection
from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def test_each_subset_has_its_metric(published: Path) -> None:
    suite = open_suite("vocalbench", Selection(published, speak_missing=True))
    first = {item.subset: item for item in reversed(suite.items)}
    covered = {
        name: {metric.info.name for metric in suite.metrics["strict"] if metric.covers(item)}
        for name, item in first.items()
    }
    assert {"score", "word_error_rate"} <= covered["reasoning"] & covered["multi_round"] & covered[
        "creativity"
    ]
    assert {"accuracy", "keyword_accuracy", "keyword_accuracy_s2s"} <= covered["knowledge"]
    assert "accuracy" not in covered["reasoning"] | covered["multi_round"]
    assert "following_rate" in covered["instruction_following"]
    assert "refusal_rate" in covered["safety"]
    assert not any("syllable_error_rate" in names for names in covered.values())
    assert metrics_of("vocalbench") == suite.metrics


def test_without_data_the_next_step_is_said() -> None:
    with pytest.raises(ConfigError, match=r"vocalbench needs --data FOLDER .*or --data hf: to fetch it"):
        open_suite("vocalbench", Selection())
