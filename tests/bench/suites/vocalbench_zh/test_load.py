from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from antiphon.bench.suites.vocalbench_zh.load import load
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS, SUBSETS, expand
from antiphon.errors import ConfigError, DataError


@pytest.fixture
def published(data: Path) -> Path:
    folder = data / "vocalbench-zh"
    if not folder.is_dir():
        pytest.skip(f"no VocalBench-zh in {folder}")
    return folder


def test_the_table_adds_up_to_the_papers_count():
    assert sum(subset.count for subset in SUBSETS.values() if subset.counted) == 11_115
    for subset in SUBSETS.values():
        assert sum(subset.categories.values()) in (0, subset.count)
    assert sum(len(levels) for levels in CONDITIONS.values()) == 36


def test_groups_stand_for_their_subsets_in_table_order():
    assert expand(["reasoning", "knowledge", "general_knowledge"]) == [
        "chinese_knowledge", "foreign_knowledge", "general_knowledge", "reasoning",
    ]  # fmt: skip
    assert "robust_clean" not in expand(None)


def test_an_unknown_subset_is_named_with_the_choices(tmp_path: Path):
    with pytest.raises(
        ConfigError, match=r"no subset 'reasonning'; there are: chinese_knowledge, .*reasoning"
    ):
        load(tmp_path, ["reasonning"])


def test_the_published_set_loads_whole(published: Path):
    items = load(published)
    assert len(items) == len({item.id for item in items}) == 11_115
    assert Counter(item.language for item in items) == {"zh": 10_753, "en": 362}
    assert all(item.audio is None and item.speech == "synthetic" for item in items)


def test_every_perturbed_item_has_one_of_a_hundred_sources(published: Path):
    items = load(published, ["robust", "robust_clean", "single_round"])
    singles = {item.id for item in items if item.subset == "single_round"}
    clusters = Counter(item.cluster for item in items if item.subset == "robust")
    assert set(clusters) == {f"single_round-{2 * n:03d}" for n in range(100)} <= singles
    assert set(clusters.values()) == {36}
    assert {i.cluster for i in items if i.subset == "robust_clean"} == set(clusters)


def test_only_the_files_asked_for_are_read(published: Path, tmp_path: Path):
    (tmp_path / "json").mkdir()
    shutil.copy(published / "safety.json", tmp_path / "json")
    assert len(load(tmp_path, ["safety"])) == 400
    with pytest.raises(ConfigError, match=r"has no reasoning.json; give the folder"):
        load(tmp_path, ["reasoning"])


def change(published: Path, folder: Path, name: str, edit) -> Path:
    entries = json.loads((published / f"{name}.json").read_text(encoding="utf-8"))
    edit(entries)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    return path


def test_a_lost_item_is_noticed(published: Path, tmp_path: Path):
    change(published, tmp_path, "safety", lambda entries: entries.pop())
    with pytest.raises(DataError, match=r"safety.json: has 399 items where the published set has 400"):
        load(tmp_path, ["safety"])


def test_a_category_that_moved_is_noticed(published: Path, tmp_path: Path):
    change(published, tmp_path, "reasoning", lambda entries: entries[0].update(Category="Math"))
    with pytest.raises(DataError, match=r"Category: has 49 items of 'Graphological' .* has 50"):
        load(tmp_path, ["reasoning"])


def test_a_level_that_moved_is_noticed(published: Path, tmp_path: Path):
    change(published, tmp_path, "robust", lambda entries: entries[0].update(Level="snr_20"))
    with pytest.raises(DataError, match=r"Level: has 99 items of 'background_noise snr_-5' .* has 100"):
        load(tmp_path, ["robust"])
