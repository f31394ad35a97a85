from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from antiphon.bench.suites.vocalbench.load import load
from antiphon.bench.suites.vocalbench.subsets import SUBSETS
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS
from antiphon.errors import ConfigError, DataError
from tests.bench.suites.vocalbench.vocalbench_files import entries, entry

if TYPE_CHECKING:
    from pathlib import Path


def test_the_table_adds_up_to_the_published_count() -> None:
    assert sum(subset.count for subset in SUBSETS.values() if subset.counted) == 9_400
    assert all(sum(subset.categories.values()) in (0, subset.count) for subset in SUBSETS.values())


def test_a_whole_set_loads_in_english(published: Path) -> None:
    items = load(published)
    assert len(items) == len({item.id for item in items}) == 9_400
    assert {item.language for item in items} == {"en"}
    heard = next(item for item in items if item.subset == "multi_round")
    assert [turn.text for turn in heard.history] == ["It's A.", "Yes."]
    assert next(item for item in items if item.subset == "emotion").extra["Score"] == [1, 2, 3, 5, 2]


def test_conditions_are_spelt_as_in_mandarin(published: Path) -> None:
    items = load(published, ["robust", "single_round"])
    levels = Counter((item.category, item.extra["Level"]) for item in items if item.subset == "robust")
    assert levels == {(kind, level): 100 for kind, each in CONDITIONS.items() for level in each}
    clusters = Counter(item.cluster for item in items if item.subset == "robust")
    assert set(clusters.values()) == {36}
    assert "single_round-0198" in clusters


def test_a_lost_item_and_a_torn_list_are_noticed(published: Path, tmp_path: Path) -> None:
    path = tmp_path / "safety.json"
    path.write_text(json.dumps(entries("safety")[1:]), encoding="utf-8")
    with pytest.raises(DataError, match=r"has 399 items where the published set has 400"):
        load(tmp_path, ["safety"])
    torn = [entry("emotion", 0, Score="[1, 2")]
    (tmp_path / "emotion.json").write_text(json.dumps(torn), encoding="utf-8")
    with pytest.raises(DataError, match=r"\[0\].Score: cannot be read as a list: '\[1, 2'"):
        load(tmp_path, ["emotion"])
    with pytest.raises(ConfigError, match=r"no subset 'emotions'; there are: creativity, "):
        load(tmp_path, ["emotions"])
