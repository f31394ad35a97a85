"""The subsets of VocalBench: how many items each file holds, by category. Counted in the published files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from antiphon.bench.suites.published import Shape
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS

SOURCE = "github.com/SJTU-OmniAgent/VocalBench"
PAPER = "9,400 items, at 5e9cce0"


@dataclass(frozen=True, slots=True)
class Subset:
    """One JSON file. `like` is the name that our metrics know such items by."""

    count: int
    shape: Shape
    like: str = ""
    categories: Mapping[str, int] = field(default_factory=dict[str, int])
    counted: bool = True


def _shape(ability: str, *needs: str, answer: str | None = "Answer") -> Shape:
    return Shape(ability, needs, answer, "en")


SUBSETS: dict[str, Subset] = {
    "knowledge": Subset(2000, _shape("knowledge", "Answer", "Topic", "Source"), "english_knowledge"),
    # Unlike in Mandarin, every reasoning and multi-round reply is scored from 1 to 5.
    "reasoning": Subset(
        1000,
        _shape("reasoning", "Answer", "Category"),
        "english_reasoning",
        {
            "Analogical": 50,
            "Causal": 100,
            "Common_sense": 200,
            "Conflict": 50,
            "Deductive/Inductive": 100,
            "Hypothesis": 100,
            "Math": 300,
            "Story": 100,
        },
    ),
    "creativity": Subset(
        400,
        _shape("creativity", "Answer", "Category"),
        "",
        {
            "Poem": 100,
            "Narrative": 50,
            "Argumentative": 50,
            "Descriptive": 50,
            "Appreciation": 50,
            "Role Playing": 100,
        },
    ),
    "single_round": Subset(
        200, _shape("single_round", "Answer", "Category"), "", {"Suggestion": 100, "Guidance": 100}
    ),
    "multi_round": Subset(400, _shape("multi_round", "Context", "Answer", "Category"), "english_multi_round"),
    "instruction_following": Subset(
        900,
        _shape("instruction_following", "Category", answer=None),
        "",
        {"Paralinguistic": 200, "Content": 300, "Style": 200, "Situation": 100, "Format": 100},
    ),
    "emotion": Subset(500, _shape("emotion", "Question_emo", "Score", answer=None)),
    "safety": Subset(400, _shape("safety", "Answer")),
    "robust": Subset(
        3600,
        _shape("robust", "Answer", "Category", "Level"),
        "",
        {name: 100 * len(levels) for name, levels in CONDITIONS.items()},
    ),
    "robust_clean": Subset(100, _shape("robust", "Answer", "Category"), counted=False),
}

LIKE = {name: subset.like for name, subset in SUBSETS.items() if subset.like}
