from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pypinyin import Style, lazy_pinyin
from pypinyin.phrases_dict import phrases_dict

from antiphon.ids import rng
from antiphon.text.readings import Readings, packaged

if TYPE_CHECKING:
    from pathlib import Path


def pypinyins(han: str) -> list[str]:
    return lazy_pinyin(han, style=Style.TONE3, errors=list)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def small() -> Readings:
    phrases = {"银行": [["yín"], ["háng"]], "行长": [["háng"], ["zhǎng"]], "行长之路上": [["x"]] * 5}
    return Readings(phrases, {ord("银"): "yín", ord("行"): "xíng,háng", ord("长"): "cháng", ord("之"): "zhī"})


def test_the_longest_phrase_decides_and_the_rest_is_read_alone(small: Readings) -> None:
    assert small.syllables("银行行长") == ["yin2", "hang2", "hang2", "zhang3"]
    assert small.syllables("长行") == ["chang2", "xing2"]


def test_the_first_phrase_wins_over_a_later_one(small: Readings) -> None:
    assert small.syllables("银行长") == ["yin2", "hang2", "chang2"]


def test_an_unfinished_phrase_falls_back_to_the_longest_finished_one(small: Readings) -> None:
    assert small.syllables("行长之") == ["hang2", "zhang3", "zhi1"]


def test_a_character_without_a_reading_stands_for_itself(small: Readings) -> None:
    assert small.syllables("长路") == ["chang2", "路"]
    assert small.syllables("") == []


def test_an_end_that_only_begins_a_phrase_is_read_alone_as_pypinyin_does() -> None:
    ends = Readings({"甲乙丙丁": [["a"]] * 4, "乙丙": [["yì"], ["bìng"]]}, {0x4E59: "yǐ", 0x4E19: "bǐng"})
    assert ends.syllables("甲乙丙") == ["甲", "yi3", "bing3"]
    assert ends.syllables("乙丙甲") == ["yi4", "bing4", "甲"]


def test_readings_that_another_library_loads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from pypinyin.constants import PHRASES_DICT

    before = packaged().syllables("银行")
    packaged.cache_clear()
    monkeypatch.setitem(PHRASES_DICT, "银行", [["yín"], ["xíng"]])
    assert pypinyins("银行") == ["yin2", "xing2"]
    assert packaged().syllables("银行") == before == ["yin2", "hang2"]


def test_random_han_is_read_exactly_as_pypinyin_reads_it() -> None:
    generator = rng(0, "readings")
    phrases = list(phrases_dict)
    rare = [(0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00), (0x20000, 0x33000), (0x3007, 0x3008)]

    def piece() -> str:
        phrase = phrases[int(generator.integers(len(phrases)))]
        kind = generator.random()
        if kind < 0.4:
            return phrase
        if kind < 0.8:  # cut phrases, at the end above all, are where segmenters differ
            return phrase[: int(generator.integers(1, len(phrase) + 1))]
        low, high = rare[int(generator.integers(len(rare)))]
        return chr(int(generator.integers(low, high)))

    texts = ["".join(piece() for _ in range(int(generator.integers(1, 9)))) for _ in range(1500)]
    assert [text for text in texts if packaged().syllables(text) != pypinyins(text)] == []


@pytest.mark.slow
def test_the_published_texts_are_read_exactly_as_pypinyin_reads_them(data: Path) -> None:
    folder = data / "vocalbench-zh"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    files = [path for path in folder.glob("*.json") if path.stem != "robust_clean"]
    entries = [entry for path in files for entry in json.loads(path.read_text("utf-8"))]
    assert len(entries) == 11_115
    texts = {entry["Question"] + entry.get("Answer", "") + entry.get("Answer_zh", "") for entry in entries}
    differing = [text for text in texts if packaged().syllables(text) != pypinyins(text)]
    assert differing == []
