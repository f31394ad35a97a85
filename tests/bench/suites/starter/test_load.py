from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from antiphon.bench.metrics.keyword import strict_forms, strict_keyword
from antiphon.bench.suites.published import SHAPES
from antiphon.bench.suites.starter.load import SUBSETS, TEXTS, load
from antiphon.errors import ConfigError
from antiphon.text.normalise import comparable

ITEMS = load()
KEYWORD = [item for item in ITEMS if "Answers" in item.extra]


def test_every_subset_has_its_items():
    assert Counter(item.subset for item in ITEMS) == {
        "chinese_knowledge": 5,
        "foreign_knowledge": 5,
        "general_knowledge": 5,
        "reasoning": 8,
        "creativity": 3,
        "single_round": 5,
        "multi_round": 5,
        "instruction_following": 5,
        "emotion": 5,
        "safety": 4,
        "cs_knowledge": 3,
        "cs_knowledge_en": 3,
        "cs_open_ended": 2,
        "robust": 4,
        "english_knowledge": 7,
        "english_dialogue": 5,
    }


def test_all_ten_abilities_and_both_languages_are_there():
    assert len({SHAPES[item.subset].ability for item in ITEMS}) == 10
    assert {item.language for item in ITEMS} == {"zh", "en"}


def test_ids_are_unique_and_ours():
    assert len({item.id for item in ITEMS}) == len(ITEMS)
    assert all(item.id.startswith("starter-") for item in ITEMS)
    assert {item.source for item in ITEMS} == {"antiphon"}


def test_every_file_is_a_subset_and_has_the_published_keys():
    assert {path.stem for path in TEXTS.glob("*.json")} == set(SUBSETS)
    for name in SUBSETS:
        for entry in json.loads((TEXTS / f"{name}.json").read_text(encoding="utf-8")):
            assert {"Set", "Qid", "Audio", "Question", "Source", *SHAPES[name].needs} <= set(entry)
            assert entry["Audio"] == ""


@pytest.mark.parametrize("item", KEYWORD, ids=lambda item: item.id)
def test_a_keyword_is_long_enough_and_not_in_its_own_question(item):
    question = comparable(item.question, item.language)
    for form in strict_forms(item):
        said = comparable(form, item.language)
        assert said not in question
        if item.subset not in ("reasoning", "multi_round"):
            assert len(said) >= 2
    for form in item.extra["Answers"]:
        assert len(comparable(form, item.language)) >= 2


@pytest.mark.parametrize("item", KEYWORD, ids=lambda item: item.id)
def test_a_keyword_item_knows_its_own_answer_and_no_echo(item):
    assert strict_keyword(strict_forms(item), item.answer, item.question, item.language)[0]
    assert not strict_keyword(strict_forms(item), item.question, item.question, item.language)[0]


def test_knowledge_has_keywords_in_every_item():
    known = {"knowledge"}
    assert all("Answers" in i.extra for i in ITEMS if SHAPES[i.subset].ability in known)


def test_perturbed_items_come_from_the_single_rounds():
    by_id = {item.id: item for item in ITEMS}
    noisy = [item for item in ITEMS if item.subset == "robust"]
    assert [(item.category, item.extra["Level"], item.cluster) for item in noisy] == [
        ("white_noise", "snr_5", "starter-single_round-000"),
        ("white_noise", "snr_5", "starter-single_round-002"),
        ("white_noise", "snr_-5", "starter-single_round-000"),
        ("white_noise", "snr_-5", "starter-single_round-002"),
    ]
    assert all(by_id[item.cluster].question == item.question for item in noisy if item.cluster)


def test_sentences_to_repeat_stand_in_their_questions():
    repeats = [item for item in ITEMS if "Target" in item.extra]
    assert [item.extra["Sub-category"] for item in repeats] == ["Plain repeat", "Plain repeat"]
    assert all(item.question.endswith(item.extra["Target"]) for item in repeats)


def test_emotions_are_rated_from_one_to_five_and_their_own_neutral_is_never_worst():
    rated = {item.extra["Question_emo"]: item.extra["Score"] for item in ITEMS if item.subset == "emotion"}
    assert set(rated) == {"angry", "happy", "neutral", "sad", "surprised"}
    assert all(len(score) == 5 and set(score) <= {1, 2, 3, 4, 5} for score in rated.values())
    assert all(score[2] >= 3 for score in rated.values())


def test_subsets_are_chosen_by_file_or_ability():
    assert {item.subset for item in load(["knowledge"])} == {
        "chinese_knowledge", "foreign_knowledge", "general_knowledge", "english_knowledge",
    }  # fmt: skip
    assert [item.subset for item in load(["safety"])] == ["safety"] * 4
    with pytest.raises(ConfigError, match=r"no subset 'reasonning'; there are: .*reasoning"):
        load(["reasonning"])


def test_no_text_is_taken_from_vocalbench(data: Path):
    folder = data / "vocalbench-zh"
    if not folder.is_dir():
        pytest.skip(f"no VocalBench-zh in {folder}")
    theirs: set[str] = set()
    for path in folder.glob("*.json"):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            texts = [value for value in entry.values() if isinstance(value, str)]
            texts += [turn["value"] for turn in entry.get("Context", [])]
            theirs.update(comparable_cheaply(text) for text in texts)
    ours = {item.question for item in ITEMS} | {i.answer for i in ITEMS if i.answer and len(i.answer) > 12}
    ours |= {turn.text for item in ITEMS for turn in item.history}
    assert {text for text in ours if comparable_cheaply(text) in theirs} == set()


def comparable_cheaply(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
