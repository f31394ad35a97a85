from __future__ import annotations

import json
from pathlib import Path

import pytest

from antiphon.bench.items import Item
from antiphon.bench.suites.outputs import Output, read_outputs, read_rows
from antiphon.errors import ConfigError, DataError

ITEMS = [Item(f"k-{n}", "chinese_knowledge", "zh", "？", "答") for n in range(3)]


def outputs(folder: Path, text: str, subset: str = "chinese_knowledge") -> Path:
    (folder / "json").mkdir(exist_ok=True)
    path = folder / "json" / f"{subset}.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_lines_and_wavs_become_outputs_in_the_items_order(tmp_path: Path):
    outputs(
        tmp_path,
        '{"Qid": "k-1", "Response": "乙", "Response_hyp": "已"}\n\n{"Qid": "k-0", "Response": "甲"}',
    )
    wav = tmp_path / "wav" / "chinese_knowledge" / "k-1.wav"
    wav.parent.mkdir(parents=True)
    wav.write_bytes(b"RIFF")
    assert read_outputs(tmp_path, ITEMS) == [
        Output(ITEMS[0], "甲", None, None),
        Output(ITEMS[1], "乙", wav, "已"),
        Output(ITEMS[2], None, None, None),
    ]


def test_an_array_is_read_too(tmp_path: Path):
    outputs(tmp_path, json.dumps([{"Qid": "k-2", "Response": ""}], indent=1))
    assert read_outputs(tmp_path, ITEMS[2:]) == [Output(ITEMS[2], "", None, None)]


def test_a_twin_is_found_under_its_published_name(tmp_path: Path):
    twin = Item("a_en-0", "cs_knowledge_en", "en", "?", "x", extra={"Qid": "a-0"})
    outputs(tmp_path, '{"Qid": "a-0", "Response": "yes"}', "cs_knowledge_en")
    assert read_outputs(tmp_path, [twin]) == [Output(twin, "yes", None, None)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"Qid": "k-0"}\n{"Qid": ', "chinese_knowledge.json:2: not JSON"),
        ('{"Qid": "k-0"}\n3', "chinese_knowledge.json:2: must be an object, not int"),
        ('{"Response": "x"}', "chinese_knowledge.json:1 Qid: is missing"),
        ('{"Qid": "k-0", "Response": 3}', "chinese_knowledge.json:1 Response: must be a text"),
        ('[{"Qid": 3}]', r"chinese_knowledge.json \[0\].Qid: is missing or no text"),
        ('{"Qid": "k-0"}\n{"Qid": "k-0"}', "row 2 answers 'k-0' a second time"),
        ('{"Qid": "other-0"}', "answers none of the 3 items asked for; it begins with other-0"),
        ("", "answers none of the 3 items"),
    ],
)
def test_bad_outputs_are_named(tmp_path: Path, text: str, problem: str):
    outputs(tmp_path, text)
    with pytest.raises(DataError, match=problem):
        read_outputs(tmp_path, ITEMS)


def test_a_subset_without_outputs_is_named(tmp_path: Path):
    outputs(tmp_path, "{}", "safety")
    with pytest.raises(ConfigError, match="no outputs for 'chinese_knowledge'; there are: safety"):
        read_outputs(tmp_path, ITEMS)


def test_the_published_sample_reads_in_both_layouts(data: Path):
    folder = data / "vocalbench-zh" / "model-output-qwen3-omni"
    if not folder.is_dir():
        pytest.skip(f"no published outputs in {folder}")
    inferred, heard = read_rows(folder / "inference.jsonl"), read_rows(folder / "asr.json")
    texts = {row["Qid"]: row["Response"] for row in inferred}
    assert all(texts[row["Qid"]] == row["Response"] and row["Response_hyp"] for row in heard)
    assert len(heard) >= 5
