from __future__ import annotations

import json
from pathlib import Path

import pytest

from antiphon.bench.metrics.syllable_error import Scoring, syllable_error
from antiphon.errors import ConfigError
from antiphon.score import Score


def test_the_five_golden_items_have_their_published_rates(data: Path) -> None:
    folder = data / "vocalbench-zh" / "model-output-qwen3-omni"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    heard = {row["Qid"]: row for row in json.loads((folder / "asr.json").read_text("utf-8"))}
    published = {row["Qid"]: row["PER"] for row in json.loads((folder / "result.json").read_text("utf-8"))}
    got = {
        item: syllable_error(heard[item]["Response"], heard[item]["Response_hyp"], "paper").value
        for item in published
    }
    assert len(got) == 5
    assert got == pytest.approx(published, rel=0, abs=1e-12)


def test_one_wrong_tone_in_four_syllables_is_a_quarter() -> None:
    got = syllable_error("你好世界", "你号世界")
    assert (got.errors, got.total, got.value) == (1, 4, 0.25)
    assert [step.op for step in got.alignment.steps] == ["equal", "substitute", "equal", "equal"]


@pytest.mark.parametrize("scoring", ["paper", "strict"])
def test_a_homophone_is_no_error_and_a_missing_syllable_is(scoring: Scoring) -> None:
    assert syllable_error("他在这里。", "她在这里", scoring).value == 0
    assert syllable_error("他在这里", "他在这", scoring).value == 0.25


def test_numbers_and_traditional_characters_cost_nothing_in_strict_scoring() -> None:
    reference, hypothesis = "共1,000个，占15%。", "共一千個佔百分之十五"
    assert syllable_error(reference, hypothesis, "strict").value == 0
    assert syllable_error(reference, hypothesis, "paper").errors > 0


def test_english_words_count_in_strict_scoring_only() -> None:
    assert syllable_error("我爱Python", "我爱拍森", "strict").errors == 2
    assert syllable_error("我爱Python", "我爱", "strict").value == 1 / 3
    assert syllable_error("我爱Python", "我爱", "paper").value == 0


@pytest.mark.parametrize("scoring", ["paper", "strict"])
@pytest.mark.parametrize("reference", ["", "Only English.", "！？", "😀"])
def test_a_reference_without_syllables_has_no_rate_and_never_zero(reference: str, scoring: Scoring) -> None:
    got = syllable_error(reference, "你好", scoring)
    assert (got.value, got.reason) == (None, "the reference has no tonal syllable")


def test_silence_is_wholly_wrong() -> None:
    assert syllable_error("你好", "").value == 1


def test_a_loop_of_the_recogniser_counts_above_one() -> None:
    assert syllable_error("好", "好好好好").value == 3


def test_a_row_pools_by_its_weight() -> None:
    got = syllable_error("你好世界", "你号世界")
    score = Score("a", "knowledge", "syllable_error", got.value, weight=got.total)
    assert score.value is not None
    assert score.value * score.weight == got.errors


def test_each_rate_says_what_it_counted() -> None:
    assert syllable_error("好", "好", "paper").by.startswith("paper units, pypinyin 0.")
    assert "wetext" in syllable_error("好", "好", "strict").by
    with pytest.raises(ConfigError, match="no scoring 'loose'; there are: paper, strict"):
        syllable_error("好", "好", "loose")  # type: ignore[arg-type]
