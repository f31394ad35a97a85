from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antiphon.bench.suites.folder import load_folder
from antiphon.errors import ConfigError, DataError

ENTRY: dict[str, Any] = {"Set": "s", "Qid": "a-0", "Question": "哪里痛？", "Answer": "头部"}


def write(folder: Path, name: str, *entries: object) -> None:
    (folder / f"{name}.json").write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")


def settings(folder: Path, text: str) -> None:
    (folder / "suite.toml").write_text(text, encoding="utf-8")


def test_a_file_named_like_a_published_one_needs_no_settings(tmp_path: Path):
    write(tmp_path, "general_knowledge", ENTRY)
    suite = load_folder(tmp_path)
    assert (suite.name, suite.like, suite.metrics) == (
        tmp_path.name, {"general_knowledge": "general_knowledge"}, (),
    )  # fmt: skip
    assert [(item.id, item.language, item.answer) for item in suite.items] == [("a-0", "zh", "头部")]


def test_settings_name_shapes_languages_and_metrics(tmp_path: Path):
    settings(
        tmp_path,
        'name = "clinic"\nmetrics = ["keyword accuracy"]\nlanguage = "zh"\n'
        '[subsets.triage]\nlike = "general_knowledge"\nlanguage = "en"\n',
    )
    write(tmp_path, "triage", {**ENTRY, "Question": "Where does it hurt?"})
    write(tmp_path, "safety", {**ENTRY, "Qid": "b-0"})
    suite = load_folder(tmp_path)
    assert (suite.name, suite.metrics) == ("clinic", ("keyword accuracy",))
    assert suite.like == {"safety": "safety", "triage": "general_knowledge"}
    assert [(item.subset, item.language) for item in suite.items] == [("safety", "zh"), ("triage", "en")]
    assert [item.id for item in load_folder(tmp_path, ["triage"]).items] == ["a-0"]


def test_perturbed_items_find_their_source_in_any_subset_shaped_like_single_rounds(tmp_path: Path):
    settings(tmp_path, '[subsets.calls]\nlike = "single_round"\n[subsets.noisy]\nlike = "robust"\n')
    write(tmp_path, "calls", {**ENTRY, "Category": "Guidance"})
    write(tmp_path, "noisy", {**ENTRY, "Qid": "n-0", "Category": "white_noise", "Level": "snr_5"})
    assert [item.cluster for item in load_folder(tmp_path).items] == [None, "a-0"]


def test_a_file_without_a_shape_names_the_way_out(tmp_path: Path):
    write(tmp_path, "triage", ENTRY)
    with pytest.raises(ConfigError, match=r"no shape 'triage'; there are: .*\[subsets.triage\] like"):
        load_folder(tmp_path)


def test_an_id_in_two_files_is_refused(tmp_path: Path):
    write(tmp_path, "general_knowledge", ENTRY)
    write(tmp_path, "safety", ENTRY)
    with pytest.raises(DataError, match=r"safety.json Qid: 'a-0' stands in general_knowledge.json too"):
        load_folder(tmp_path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = ", "suite.toml: not TOML"),
        ('colour = "red"', "colour: unknown; there are: language, metrics, name, subsets"),
        ('language = "fr"', "language: 'fr' is not among zh, en"),
        ('name = ""', "name: '' does not fit"),
        ("metrics = [1]", "metrics: .* does not fit"),
        ("subsets = 3", "subsets: 3 does not fit"),
        ("[subsets]\na = 3", "subsets.a: must be a table"),
        ("[subsets.a]\nlikes = 'x'", "subsets.a.likes: unknown"),
        ("[subsets.a]\nlanguage = 'fr'", "subsets.a.language: 'fr' is not among"),
    ],
)
def test_bad_settings_are_named(tmp_path: Path, text: str, problem: str):
    settings(tmp_path, text)
    write(tmp_path, "general_knowledge", ENTRY)
    with pytest.raises(DataError, match=problem):
        load_folder(tmp_path)


def test_an_empty_folder_and_an_unknown_subset_are_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="holds no JSON files"):
        load_folder(tmp_path)
    write(tmp_path, "general_knowledge", ENTRY)
    with pytest.raises(ConfigError, match="no subset 'x'; there are: general_knowledge"):
        load_folder(tmp_path, ["x"])
