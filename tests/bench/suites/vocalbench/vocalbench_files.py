"""Invented texts in the shape and number of the English VocalBench."""

from __future__ import annotations

from typing import Any

from antiphon.bench.suites.vocalbench.subsets import SUBSETS
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS

DETAIL = {"Paralinguistic": "Plain repeat", "Content": "Num", "Style": "Instruction"}


def entry(name: str, number: int, **more: Any) -> dict[str, Any]:
    """An entry of the published shape: lists as text, where the published files have text."""
    made: dict[str, Any] = {
        "Set": name, "Qid": f"{name}-{number:04d}", "Audio": f"{name}/{number}.wav", "Question": f"Question {number}?",
        "Answer": "yes", "Source": "ours", "Topic": "Art",
        "Context": "[{'from': 'user', 'value': \"It's A.\"}, {'from': 'assistant', 'value': 'Yes.'}]",
        "Question_emo": "sad", "Score": "[1, 2, 3, 5, 2]",
    }  # fmt: skip
    return made | more


def entries(name: str) -> list[dict[str, Any]]:
    """As many as the published file has, in its categories."""
    subset = SUBSETS[name]
    if name == "robust":
        levels = [
            (kind, f"dropping_{round(float(level[9:]) * 100)}" if level.startswith("dropping_") else level, n)
            for kind, each in CONDITIONS.items() for level in each for n in range(100)
        ]  # fmt: skip
        return [
            entry(name, at, Question=f"Question {2 * n}?", Category=kind, Level=level)
            for at, (kind, level, n) in enumerate(levels)
        ]
    kinds = [kind for kind, count in subset.categories.items() for _ in range(count)]
    return [
        entry(
            name,
            at,
            Category=kinds[at] if kinds else "GR",
            **{"Sub-category": DETAIL.get(kinds[at])} if kinds else {},
        )
        for at in range(subset.count)
    ]
