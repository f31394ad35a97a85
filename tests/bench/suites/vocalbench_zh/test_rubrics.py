from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.items import Item
from antiphon.bench.suites.published import SHAPES
from antiphon.bench.suites.starter.load import load as load_starter
from antiphon.bench.suites.vocalbench_zh.load import load
from antiphon.bench.suites.vocalbench_zh.rubrics import (
    CHOICES,
    PROMPTS,
    PROMPTS_OF,
    prompt_file,
    prompt_named,
    prompts_for,
)
from antiphon.errors import DataError

FIELDS = {"question": "问", "answer": "答", "response": "回", "history": "史"}


def test_every_prompt_file_is_in_the_table_and_reads():
    assert {path.stem for path in PROMPTS.glob("*.txt")} == set(CHOICES)
    versions = {prompt_file(name).version for name in CHOICES}
    assert len(versions) == len(CHOICES)


def test_every_published_shape_has_prompts():
    assert set(PROMPTS_OF) == set(SHAPES)
    assert {name for names in PROMPTS_OF.values() for name in names} | {"reasoning_open"} == set(CHOICES)


def test_the_embedded_judge_can_be_asked_where_a_fact_is_compared_with_a_reference():
    fit = {name for name, choices in CHOICES.items() if choices and prompt_file(name).compares}
    assert fit == {"knowledge", "knowledge_en"}


def test_every_starter_item_can_be_judged():
    for item in load_starter():
        for prompt in prompts_for(item):
            assert "{" not in prompt.fill(FIELDS)


def test_every_published_item_can_be_judged(data: Path):
    folder = data / "vocalbench-zh"
    if not folder.is_dir():
        pytest.skip(f"no VocalBench-zh in {folder}")
    names = [name for name in SHAPES if not name.startswith(("robust", "english"))]
    for item in load(folder, names):
        assert all("{" not in prompt.fill(FIELDS) for prompt in prompts_for(item))


@pytest.mark.parametrize(("category", "name"), [("Math", "reasoning_closed"), ("Causal", "reasoning_open")])
def test_reasoning_without_one_answer_is_scored(category: str, name: str):
    item = Item("r-0", "reasoning", "zh", "？", "答", category=category)
    assert [prompt.name for prompt in prompts_for(item)] == [name]


def test_criteria_follow_the_finer_category_first():
    def asked(category: str, detail: str | None) -> str:
        extra = {"Sub-category": detail}
        item = Item("i-0", "instruction_following", "zh", "？", category=category, extra=extra)
        return prompt_named("instruction_following", item).fill(FIELDS)

    assert "条目数量" in asked("Content", "Num")
    assert "回答的格式与要求完全一致" in asked("Format", None)
    assert "方言" in asked("Mandarin specific", "Dialect")


def test_a_category_without_criteria_is_named():
    with pytest.raises(DataError, match="c-0 is 'Opera'; we can judge: Narratives"):
        prompts_for(Item("c-0", "creativity", "zh", "？", category="Opera"))
