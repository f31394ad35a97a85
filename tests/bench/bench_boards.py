"""Runs for the leaderboard, made of records: every item of some subsets, scored alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antiphon.bench.items import Item
from antiphon.bench.results import Results
from antiphon.bench.suites.vocalbench_zh.subsets import SUBSETS
from antiphon.bench.takes import Instruments, Manifest, Take
from antiphon.score import Score

if TYPE_CHECKING:
    from collections.abc import Iterable

PAPERS = Manifest(
    suite="vocalbench-zh",
    source="vocalbench-zh",
    system="openai:some-model",
    system_uri="openai:some-model",
    scoring="paper",
    seed=0,
    items=1,
    instruments=Instruments(),
    transcriber="whisper-large-v3 transformers",
    scorers=("utmos22 strong OOD seed 1", "emotion2vec_plus_large@v2"),
    judge="openai:qwen-max-2025-01-25",
    synthesizer=None,
    warnings=(),
)


def items_of(subset: str) -> list[Item]:
    """All items of a subset, with their categories."""
    sizes = SUBSETS[subset].categories or {"": SUBSETS[subset].count}
    names = [name for name, many in sizes.items() for _ in range(many)]
    return [
        Item(f"{subset}-{number}", subset, "zh", "？", category=name) for number, name in enumerate(names)
    ]


def results(items: Iterable[Item], scores: Iterable[Score], **changes: Any) -> Results:
    """A run with the paper's own instruments, but for `changes` in its manifest."""
    kept = tuple(items)
    takes = {
        item.id: Take(item.id, item.subset, None, 1.0, (), meta={"machine": "NVIDIA L20"}) for item in kept
    }
    return Results(Path("runs/one"), replace(PAPERS, **changes), kept, takes, {}, {}, tuple(scores), (), {})


def judged(subset: str, metric: str, values: list[float], **changes: Any) -> Results:
    """A run of one subset: its first items get the values, in order."""
    items = items_of(subset)
    scores = [Score(item.id, item.subset, metric, value) for item, value in zip(items, values, strict=False)]
    return results(items, scores, **changes)
