"""The creation pipeline on the embedded models: translated, reworded, spoken and heard for real."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from antiphon.audio.files import read
from antiphon.bench.create.created import dataset_path
from antiphon.bench.create.pipeline import create
from antiphon.bench.create.plan import Plan
from antiphon.bench.suites.folder import load_folder
from antiphon.stage.progress import Silent
from tests.bench.create.studio import source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = (
    {"id": "q1", "question": "What is the capital of France?", "answer": "Paris", "subset": "foreign_knowledge"},
    {"id": "q2", "question": "中国最长的河流是哪一条？", "options": ["黄河", "长江", "珠江"], "answer": "B", "subset": "chinese_knowledge"},
    {"id": "q3", "question": "怎么做番茄炒蛋？", "answer": "先炒蛋，再炒番茄。", "subset": "single_round", "category": "Guidance"},
)  # fmt: skip


@pytest.mark.weights
@pytest.mark.timeout(900)
def test_three_questions_become_a_dataset_that_is_heard_as_written(
    weights: Callable[..., list[Path]], tmp_path: Path
):
    weights("qwen2.5-coder-1.5b", "kokoro", "whisper-base")
    plan = Plan(str(source(tmp_path, ROWS)), "trial", voices="zf_xiaoyi,zm_yunxi")
    created = asyncio.run(create(plan, tmp_path / "out", lambda _: Silent()))
    drafts = {draft.id: draft for draft in created.drafts}
    assert drafts["q2"].options == ()
    assert drafts["q2"].answer == "长江"
    assert all(draft.question for draft in created.drafts)
    for draft in created.drafts:
        if draft.language == "zh":  # a translation that cannot be read is held in its own language
            assert draft.spoken is not None
            assert draft.spoken.equal or any(mark.stage == "speech" for mark in draft.marks)
    items = load_folder(dataset_path(created.folder)).items
    assert "chinese_knowledge-q2" in {item.id for item in items}
    assert all(read(str(item.audio)).duration_s > 0.5 for item in items)
    card = (dataset_path(created.folder) / "README.md").read_text("utf-8")
    assert "qwen2.5-coder-1.5b" in card
    assert "Preset voices stand in for prompt clips" in card
