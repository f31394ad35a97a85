from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antiphon.bench.items import Item, Turn
from antiphon.bench.suites.published import SHAPES, link_versions, read_subset, texts_folder
from antiphon.errors import ConfigError, DataError

KNOWN: dict[str, Any] = {
    "Set": "Chinese Knowledge",
    "Qid": "k-0",
    "Audio": "k/0.wav",
    "Question": "首都？",
    "Answer": "北京",
    "Source": "ours",
}


def write(folder: Path, *entries: object) -> Path:
    path = folder / "file.json"
    path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    return path


def read(path: Path, subset: str = "chinese_knowledge", audio: Path | None = None) -> list[Item]:
    return read_subset(path, subset, SHAPES[subset], audio=audio)


def test_an_entry_becomes_an_item(tmp_path: Path):
    assert read(write(tmp_path, {**KNOWN, "Answers": ["北京", "京城"]})) == [
        Item(
            "k-0",
            "chinese_knowledge",
            "zh",
            "首都？",
            "北京",
            source="ours",
            ability="knowledge",
            extra={"Answers": ["北京", "京城"]},
        )
    ]


def test_audio_is_set_only_where_the_file_is(tmp_path: Path):
    path = write(tmp_path, KNOWN, {**KNOWN, "Qid": "k-1", "Audio": "k/1.wav"})
    (tmp_path / "audio" / "k").mkdir(parents=True)
    (tmp_path / "audio" / "k" / "1.wav").write_bytes(b"RIFF")
    items = read(path, audio=tmp_path / "audio")
    assert [item.audio for item in items] == [None, str(tmp_path / "audio" / "k" / "1.wav")]
    assert {item.speech for item in items} == {"synthetic"}


@pytest.mark.parametrize("name", ["../secret.wav", "/etc/passwd", "k/../../x.wav"])
def test_audio_outside_the_folder_is_refused(tmp_path: Path, name: str):
    with pytest.raises(DataError, match=r"\[0\].Audio: .* leaves the audio folder"):
        read(write(tmp_path, {**KNOWN, "Audio": name}), audio=tmp_path)


def test_history_comes_from_the_context(tmp_path: Path):
    entry = {
        **KNOWN,
        "Category": "CM",
        "Context": [{"from": "user", "value": "你好"}, {"from": "assistant", "value": "你好！"}],
    }
    (item,) = read(write(tmp_path, entry), "multi_round")
    assert item.history == (Turn("user", "你好"), Turn("assistant", "你好！"))
    assert item.extra == {}


def test_the_english_twin_gets_an_id_of_its_own(tmp_path: Path):
    entry = {**KNOWN, "Qid": "codeswitching_knowledge-007", "Category": "Acoustic"}
    (item,) = read(write(tmp_path, entry), "cs_knowledge_en")
    assert (item.id, item.cluster, item.language, item.extra) == (
        "codeswitching_knowledge_en-007", "codeswitching_knowledge-007", "en",
        {"Qid": "codeswitching_knowledge-007"},
    )  # fmt: skip


def test_a_perturbed_item_names_its_source(tmp_path: Path):
    entry = {**KNOWN, "Qid": "r-0", "Category": "white_noise", "Level": "snr_5"}
    noisy = read(write(tmp_path, entry, {**entry, "Qid": "r-1", "Question": "别的？"}), "robust")
    clean = Item("s-0", "single_round", "zh", "首都？")
    assert [item.cluster for item in link_versions([*noisy, clean], [clean])] == ["s-0", "别的？", None]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"Question": None}, r"\[1\].Question: must be a str, not NoneType"),
        ({"Question": " "}, r"\[1\].Question: is empty"),
        ({"Answer": 3}, r"\[1\].Answer: must be a str, not int"),
        ({"Qid": "k-0"}, r"\[1\].Qid: repeats 'k-0' of \[0\]"),
        ({"Audio": 7}, r"\[1\].Audio: must be a str, not int"),
        ({"Answers": "北京"}, r"\[1\].Answers: must be a list"),
        ({"Answers": []}, r"\[1\].Answers: must be a list"),
        ({"Answers": ["北京", ""]}, r"\[1\].Answers: holds an empty answer"),
        ({"Context": "no"}, r"\[1\].Context: must be a list, not str"),
        ({"Context": [{"from": "user"}]}, r"\[1\].Context\[0\]: must be an object"),
        ({"Context": [{"from": "robot", "value": "x"}]}, r"\[1\].Context\[0\].from: 'robot' is neither"),
    ],
)
def test_a_bad_entry_is_named_by_file_index_and_field(tmp_path: Path, change: dict[str, Any], problem: str):
    path = write(tmp_path, KNOWN, {**KNOWN, "Qid": "k-1", **change})
    with pytest.raises(DataError, match=problem) as caught:
        read(path)
    assert caught.value.path == str(path)


def test_a_missing_key_is_named(tmp_path: Path):
    entry = {key: value for key, value in KNOWN.items() if key != "Answer"}
    with pytest.raises(DataError, match=r"file.json \[0\].Answer: is missing"):
        read(write(tmp_path, entry))


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"[{]", "file.json:1: not JSON"),
        (b'[\n{"Qid": "a"},\n', "file.json:3: not JSON"),
        (b"{}", "must be an array of objects, not dict"),
        (b"[3]", r"file.json \[0\]: must be an object, not int"),
        (b"[\xff]", "not UTF-8"),
        (b"", "not JSON"),
    ],
)
def test_a_file_that_is_no_array_of_objects_is_refused(tmp_path: Path, data: bytes, problem: str):
    path = tmp_path / "file.json"
    path.write_bytes(data)
    with pytest.raises(DataError, match=problem):
        read(path)


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(DataError, match="no such file"):
        read(tmp_path / "file.json")


def test_texts_lie_in_json_or_in_the_folder_itself(tmp_path: Path):
    assert texts_folder(tmp_path) == tmp_path
    (tmp_path / "json").mkdir()
    assert texts_folder(tmp_path) == tmp_path / "json"
    with pytest.raises(ConfigError, match="no folder"):
        texts_folder(tmp_path / "nowhere")
