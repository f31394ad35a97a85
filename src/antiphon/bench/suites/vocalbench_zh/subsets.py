"""The subsets of VocalBench-zh: how many items each holds, by category. Data, each with its source."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

PAPER = "arXiv 2511.08230"


@dataclass(frozen=True, slots=True)
class Subset:
    """One JSON file: its size, and the size of each category where the file names any."""

    count: int
    categories: Mapping[str, int] = field(default_factory=dict[str, int])
    counted: bool = True


_SNR = tuple(f"snr_{db}" for db in (-5, 0, 5, 10, 15, 20))

# 36 conditions of 100 items (paper: appendix E, robustness; the level names are the data's).
CONDITIONS: dict[str, tuple[str, ...]] = {
    "white_noise": _SNR,
    "background_noise": _SNR,
    "reverberation": tuple(f"rt60_{tenths:02d}" for tenths in (5, 10, 15, 20, 25, 30)),
    "farfield": tuple(f"filter_{hz}hz" for hz in range(100, 900, 100)),
    "packet_loss": tuple(f"dropping_{share:.2f}" for share in (0.1, 0.3, 0.5, 0.7, 0.9)),
    "distortion": tuple(f"clipping_{share:.4f}" for share in (0.0001, 0.001, 0.01, 0.1, 0.5)),
}

# The six that count (table 15): −5 dB, RT60 3 s, 400 Hz, 70 % lost, clipped at 1e-4.
SCORED_CONDITIONS = frozenset(
    {
        ("white_noise", "snr_-5"),
        ("background_noise", "snr_-5"),
        ("reverberation", "rt60_30"),
        ("farfield", "filter_400hz"),
        ("packet_loss", "dropping_0.70"),
        ("distortion", "clipping_0.0001"),
    }
)

_CODE_SWITCHING = {"Integrated": 61, "Acoustic": 183, "Semantic": 118}

SUBSETS: dict[str, Subset] = {
    # Section 3.2 and B.1: three domains of 1,000.
    "chinese_knowledge": Subset(1000),
    "foreign_knowledge": Subset(1000),
    "general_knowledge": Subset(1000),
    # Section 3.2, B.2 and table 7: eight base, one mathematical and six cultural categories.
    "reasoning": Subset(
        851,
        {
            "Graphological": 50,
            "Anachronisms": 20,
            "Movie Recommendation": 20,
            "Natural Language Inference": 20,
            "Reading Comprehension": 20,
            "Sequence Understanding": 20,
            "Analogical": 29,
            "Causal": 72,
            "Common_sense": 90,
            "Conflict": 47,
            "Deductive/Inductive": 75,
            "Hypothesis": 61,
            "Story": 50,
            "Counter Proposition": 8,
            "Math": 269,
        },
    ),
    # B.3 and table 8; "Achient" is how the data spells it.
    "creativity": Subset(
        240,
        {
            "Narratives": 40,
            "Argumentative": 40,
            "Descriptive": 30,
            "Role Play": 40,
            "Achient Poetry Appreciation": 35,
            "Achient Format Writing": 30,
            "Modern Poem Appreciation": 10,
            "Modern Poem Writing": 15,
        },
    ),
    # B.4.
    "single_round": Subset(200, {"Suggestion": 100, "Guidance": 100}),
    # Tables 3 and 9.
    "multi_round": Subset(
        400,
        {
            "GR": 44,
            "IC": 33,
            "AR": 42,
            "FR": 20,
            "MR": 20,
            "CC": 20,
            "TS": 26,
            "CR": 20,
            "SA": 37,
            "SI": 39,
            "CM": 20,
            "PI": 43,
            "SC": 36,
        },
    ),
    # Tables 4, 10 and 11.
    "instruction_following": Subset(
        1000,
        {
            "Paralinguistic": 200,
            "Content": 300,
            "Style": 200,
            "Situation": 100,
            "Format": 100,
            "Mandarin specific": 100,
        },
    ),
    # B.7 and table 12: five emotions of 100.
    "emotion": Subset(500),
    # B.8.
    "safety": Subset(400),
    # B.9 and table 13 (the corpus of CS3-Bench, arXiv 2510.07881).
    "cs_knowledge": Subset(362, _CODE_SWITCHING),
    "cs_knowledge_en": Subset(362, _CODE_SWITCHING),
    "cs_open_ended": Subset(200),
    # Table 15.
    "robust": Subset(3600, {name: 100 * len(levels) for name, levels in CONDITIONS.items()}),
    # The clean side of table 15; not among the paper's 11,115 items.
    "robust_clean": Subset(100, {"Suggestion": 50, "Guidance": 50}, counted=False),
}

GROUPS: dict[str, tuple[str, ...]] = {
    "knowledge": ("chinese_knowledge", "foreign_knowledge", "general_knowledge"),
    "code_switching": ("cs_knowledge", "cs_knowledge_en", "cs_open_ended"),
}

# Reasoning without one right answer: scored 1-5, over 3 counts as right (appendix C.1).
OPEN_REASONING = frozenset({"Analogical", "Causal", "Conflict", "Hypothesis", "Story"})


def expand(names: Collection[str] | None) -> list[str]:
    """Subset and group names as subsets in table order; None means all that the paper counts.

    Raises ConfigError for a name that is neither.
    """
    if names is None:
        return [name for name, subset in SUBSETS.items() if subset.counted]
    wanted: set[str] = set()
    for name in names:
        if name not in SUBSETS and name not in GROUPS:
            raise unknown("subset", name, {*SUBSETS, *GROUPS}, "vocalbench-zh has no other")
        wanted.update(GROUPS.get(name, (name,)))
    return [name for name in SUBSETS if name in wanted]
