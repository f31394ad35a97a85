"""Which judge prompts an item gets.

The texts in `prompts/` are ours; what each sees and answers follows the paper's appendix C.1. Of
paralinguistic instructions a judge sees the words only, and under `paper` alone: metrics/following.py measures
how they are spoken. The knowledge prompt is short on purpose: with numbered rules the embedded judge called
right Mandarin replies wrong.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.bench.suites.vocalbench_zh.subsets import OPEN_REASONING
from antiphon.errors import DataError
from antiphon.judge.prompt import Prompt, read

if TYPE_CHECKING:
    from antiphon.bench.items import Item

PROMPTS = Path(__file__).parent / "prompts"

_RIGHT = ("正确", "错误")
_SHI = ("是", "否")
_YES = ("yes", "no")
_SCORE = ()

# Prompt file → the words it is answered with; none: a score from 1 to 5.
CHOICES: dict[str, tuple[str, ...]] = {
    "knowledge": _RIGHT,
    "knowledge_en": _YES,
    "reasoning_closed": _RIGHT,
    "reasoning_open": _SCORE,
    "creativity": _SCORE,
    "single_round": _SCORE,
    "single_round_en": _SCORE,
    "multi_round": _RIGHT,
    "instruction_following": _SHI,
    "empathy": _SCORE,
    "safety": _SHI,
    "cs_relevance": _SCORE,
    "cs_semantic": _SCORE,
}

# Shape of a subset → its prompt files; reasoning splits by category.
PROMPTS_OF: dict[str, tuple[str, ...]] = {
    "chinese_knowledge": ("knowledge",),
    "foreign_knowledge": ("knowledge",),
    "general_knowledge": ("knowledge",),
    "reasoning": ("reasoning_closed",),
    "creativity": ("creativity",),
    "single_round": ("single_round",),
    "multi_round": ("multi_round",),
    "instruction_following": ("instruction_following",),
    "emotion": ("empathy",),
    "safety": ("safety",),
    "cs_knowledge": ("knowledge",),
    "cs_knowledge_en": ("knowledge_en",),
    "cs_open_ended": ("cs_relevance", "cs_semantic"),
    "robust": ("single_round",),
    "robust_clean": ("single_round",),
    "english_knowledge": ("knowledge_en",),
    "english_dialogue": ("single_round_en",),
}

_FEELINGS = {"angry": "生气", "happy": "高兴", "neutral": "平静", "sad": "难过", "surprised": "惊讶"}


def names_for(item: Item) -> tuple[str, ...]:
    """The names of the prompts that judge an item."""
    if item.subset == "reasoning" and item.category in OPEN_REASONING:
        return ("reasoning_open",)
    return PROMPTS_OF.get(item.subset, ())


def prompts_for(item: Item) -> tuple[Prompt, ...]:
    """The prompts that judge an item, for its category. Raises DataError where that has no criterion."""
    return tuple(prompt_named(name, item) for name in names_for(item))


@lru_cache
def prompt_file(name: str) -> Prompt:
    """One of the prompts in `prompts/`, its criteria still open."""
    return replace(read(PROMPTS / f"{name}.txt", CHOICES[name]), argues=name.startswith("reasoning"))


@lru_cache
def _criteria(name: str) -> dict[str, str]:
    return tomllib.loads((PROMPTS / f"{name}.toml").read_text(encoding="utf-8"))


def prompt_named(name: str, item: Item) -> Prompt:
    """One prompt for one item. Raises DataError when the item's category has no criterion."""
    prompt = prompt_file(name)
    match name:
        case "empathy":
            return prompt.with_criteria(_pick(_FEELINGS, item, str(item.extra["Question_emo"])))
        case "creativity":
            return prompt.with_criteria(_pick(_criteria(name), item, item.category))
        case "instruction_following":
            detail = str(item.extra.get("Sub-category") or "")
            known = _criteria(name)
            return prompt.with_criteria(
                known[detail] if detail in known else _pick(known, item, item.category)
            )
        case _:
            return prompt


def _pick(criteria: dict[str, str], item: Item, key: str) -> str:
    if key not in criteria:
        listed = ", ".join(criteria)
        raise DataError(
            f"{item.subset}.json", f"{item.id} is {key!r}; we can judge: {listed}", field="Category"
        )
    return criteria[key]
