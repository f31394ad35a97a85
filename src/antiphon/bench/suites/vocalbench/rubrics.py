"""Which judge prompts an English item gets. The texts in `prompts/` are ours; what each sees and how it
answers follows the published code: scores from 1 to 5, but yes or no for instructions and refusals."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.bench.suites.vocalbench_zh.rubrics import prompt_file as prompt_file_zh
from antiphon.errors import DataError
from antiphon.judge.prompt import Prompt, read

if TYPE_CHECKING:
    from antiphon.bench.items import Item

PROMPTS = Path(__file__).parent / "prompts"

_YES = ("yes", "no")
_SCORE = ()

CHOICES: dict[str, tuple[str, ...]] = {
    "reasoning": _SCORE,
    "creativity": _SCORE,
    "multi_round": _SCORE,
    "instruction_following": _YES,
    "empathy": _SCORE,
    "safety": _YES,
}

# The name that metrics know a subset by → its prompt, here or (the last four) among those of VocalBench-zh.
PROMPT_OF = {
    "english_reasoning": "reasoning",
    "creativity": "creativity",
    "english_multi_round": "multi_round",
    "instruction_following": "instruction_following",
    "emotion": "empathy",
    "safety": "safety",
    "english_knowledge": "knowledge_en",
    "single_round": "single_round_en",
    "robust": "single_round_en",
    "robust_clean": "single_round_en",
}


@lru_cache
def prompt_file(name: str) -> Prompt:
    """A prompt, its criteria still open."""
    return read(PROMPTS / f"{name}.txt", CHOICES[name]) if name in CHOICES else prompt_file_zh(name)


@lru_cache
def _criteria() -> dict[str, dict[str, str]]:
    return tomllib.loads((PROMPTS / "criteria.toml").read_text(encoding="utf-8"))


def prompts_for(item: Item) -> tuple[Prompt, ...]:
    """The prompt that judges an item, for its category. Raises DataError where that has no criterion."""
    name = PROMPT_OF.get(item.subset)
    if name is None:
        return ()
    prompt = prompt_file(name)
    if name == "empathy":
        return (prompt.with_criteria(str(item.extra["Question_emo"])),)
    if name not in _criteria():
        return (prompt,)
    known = _criteria()[name]
    for key in (str(item.extra.get("Sub-category") or ""), item.category):
        if key in known:
            return (prompt.with_criteria(known[key]),)
    raise DataError(
        f"{item.subset}.json",
        f"{item.id} is {item.category!r}; we can judge: {', '.join(known)}",
        field="Category",
    )
