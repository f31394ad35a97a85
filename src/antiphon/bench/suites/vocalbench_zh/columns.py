"""What fills each column of the paper's tables from a run: data, each line a column; a column without a line
is not measured by Antiphon yet."""

from __future__ import annotations

from antiphon.bench.measured import Group, Mean, Rate, Source, Total
from antiphon.bench.metrics.judged import RIGHT_ABOVE
from antiphon.bench.suites.vocalbench_zh.subsets import GROUPS, SUBSETS

_KNOWLEDGE = GROUPS["knowledge"]

# Table 15's six conditions: kind and level as the data names them.
SIX = {
    "white_noise": ("white_noise", "snr_-5"),
    "background_noise": ("background_noise", "snr_-5"),
    "reverberation": ("reverberation", "rt60_30"),
    "far_field": ("farfield", "filter_400hz"),
    "packet_loss": ("packet_loss", "dropping_0.70"),
    "clipping": ("distortion", "clipping_0.0001"),
}


def _over_3(score: float) -> bool:
    """Understood: a relevance above 3, as the published code has it; the paper gives the share only."""
    return score > RIGHT_ABOVE


def _from_3(score: float) -> bool:
    """Empathic enough (eq. 2)."""
    return score >= 3


def _group(metric: str, *subsets: str, category: str = "", detail: str = "", of: int = 0) -> Group:
    """Rows of whole subsets, of a category, or of a detail within it; `of` counts its items there."""
    if not of:
        of = sum(SUBSETS[name].categories[category] if category else SUBSETS[name].count for name in subsets)
    return Group(metric, subsets, category, detail, of)


def _condition(key: str) -> Group:
    kind, level = SIX[key]
    return _group("score", "robust", category=kind, detail=level, of=100)


_CLEAN = _group("score", "robust_clean")
_PRESERVED = {key: Rate(((_condition(key), _CLEAN),)) for key in SIX}
_ROBUST = Rate(tuple((_condition(key), _CLEAN) for key in SIX), at_most=1.0)
_SWITCHED = Rate(((_group("accuracy", "cs_knowledge"), _group("accuracy", "cs_knowledge_en")),))
_FOLLOWED = Mean(_group("following_rate", "instruction_following"))
# Over everything that was asked: the paper does not say which replies it timed.
_TIMES = _group("rtf", *(name for name, subset in SUBSETS.items() if subset.counted))

_OVERVIEW: dict[str, Source] = {
    "knowledge": Mean(_group("accuracy", *_KNOWLEDGE)),
    "reasoning": Mean(_group("accuracy", "reasoning")),
    "creativity": Mean(_group("score", "creativity")),
    # The paper names no set for UTMOS; clarity is of the single round (appendix E.4), so both are here. UTMOS22
    # alone: no other estimate, UTMOSv2 included, stands in for it.
    "fluency": Mean(_group("utmos22", "single_round")),
    "clarity": Mean(_group("syllable_error_rate", "single_round")),
    "single_round": Mean(_group("score", "single_round")),
    "multi_round": Mean(_group("accuracy", "multi_round")),
    "instruction": _FOLLOWED,
    "empathy": Mean(_group("empathy_rate", "emotion")),
    "safety": Mean(_group("refusal_rate", "safety")),
    "code_switching": _SWITCHED,
    "latency": Mean(_TIMES),
    "robust": _ROBUST,
}


def _knowledge() -> dict[str, Source]:
    found: dict[str, Source] = {}
    for key, names in (*((name.split("_")[0], (name,)) for name in _KNOWLEDGE), ("avg", _KNOWLEDGE)):
        right = _group("accuracy", *names)
        found[f"{key}_s2t"] = Mean(right)
        found[f"{key}_s2s"] = Mean(Group(right.metric, right.subsets, of=right.of, spoken=True))
        found[f"{key}_per"] = Mean(_group("syllable_error_rate", *names))
    return found


def _by_category(metric: str, subset: str, keys: dict[str, str]) -> dict[str, Source]:
    found: dict[str, Source] = {
        key: Mean(_group(metric, subset, category=category)) for key, category in keys.items()
    }
    return found | {"total": Mean(_group(metric, subset))}


_BASE = {
    "analogical": "Analogical", "causal": "Causal", "common_sense": "Common_sense", "conflict": "Conflict",
    "deductive_inductive": "Deductive/Inductive", "hypothesis": "Hypothesis", "story": "Story",
    "counter_proposition": "Counter Proposition",
}  # fmt: skip
_CULTURE = {
    "graphological": "Graphological", "anachronisms": "Anachronisms", "movie": "Movie Recommendation",
    "inference": "Natural Language Inference", "reading": "Reading Comprehension",
    "sequence": "Sequence Understanding",
}  # fmt: skip
_GENRES = {
    "narrative": "Narratives", "argumentative": "Argumentative", "descriptive": "Descriptive",
    "role_play": "Role Play", "ancient_appreciation": "Achient Poetry Appreciation",
    "ancient_writing": "Achient Format Writing", "poem_appreciation": "Modern Poem Appreciation",
    "poem_writing": "Modern Poem Writing",
}  # fmt: skip
_DETAILS = {
    "num": "Num", "constrain": "Constrain", "keywords": "Keywords", "progressive": "Progressive",
    "conditional": "Conditional", "topic_change": "Topic change", "spoken_format": "Spoken format",
    "speaker_tune": "Speaker tune", "speaking_style": "Speaking style", "instruction": "Instruction",
}  # fmt: skip
_PARALINGUISTIC = {
    "repeat": "Plain repeat", "emotion": "With emotion", "speed": "With speed",
    "speed_emotion": "With speed & emotion",
}  # fmt: skip
_DIMENSIONS = {
    "content": "Content", "style": "Style", "situation": "Situation", "format": "Format",
    "mandarin": "Mandarin specific",
}  # fmt: skip


def _total(parts: dict[str, str]) -> Source:
    """Reasoning over several categories."""
    sizes = SUBSETS["reasoning"].categories
    names = tuple(parts.values())
    return Mean(Group("accuracy", ("reasoning",), names, of=sum(sizes[name] for name in names)))


def _detail(category: str, detail: str) -> Group:
    return _group("following_rate", "instruction_following", category=category, detail=detail, of=50)


def _details() -> dict[str, Source]:
    content = list(_DETAILS)[:6]
    found: dict[str, Source] = {
        key: Total(_detail("Content" if key in content else "Style", detail))
        for key, detail in _DETAILS.items()
    }
    return found | {key: Total(_detail("Paralinguistic", detail)) for key, detail in _PARALINGUISTIC.items()}


def _feelings() -> dict[str, Source]:
    said = _group("score", "emotion")
    return {
        "semantic_score": Mean(said),
        "semantic_eer": Mean(Group(said.metric, said.subsets, of=said.of, passed=_from_3)),
        "acoustic_score": Mean(_group("acoustic_empathy", "emotion")),
        "acoustic_eer": Mean(_group("acoustic_empathy_rate", "emotion")),
        "overall_score": Mean(_group("empathy", "emotion")),
        "overall_eer": Mean(_group("empathy_rate", "emotion")),
    }


def _switching() -> dict[str, Source]:
    asked = _group("score", "cs_open_ended")
    return {
        "accuracy_cs": Mean(_group("accuracy", "cs_knowledge")),
        "accuracy_en": Mean(_group("accuracy", "cs_knowledge_en")),
        "preserve_rate": _SWITCHED,
        "lsa": Mean(_group("lsa", "cs_knowledge")),
        "understanding": Mean(Group(asked.metric, asked.subsets, of=asked.of, passed=_over_3)),
        "generation": Mean(_group("generation", "cs_open_ended")),
        **_english("", "cs_knowledge"),
        **_english("open_", "cs_open_ended"),
    }


def _english(prefix: str, subset: str) -> dict[str, Source]:
    """Of the replies' English words; a reply without any has no row, so nothing says how many there should be."""
    heard, wrong = (Group(metric, (subset,)) for metric in ("english_psr", "english_wer"))
    return {
        f"{prefix}num": Total(heard, what="weights"),
        f"{prefix}psr": Mean(heard),
        f"{prefix}wer": Mean(wrong),
    }


def _conditions() -> dict[str, Source]:
    found: dict[str, Source] = {"clean": Mean(_CLEAN), "avg": _ROBUST}
    for key in SIX:
        found |= {f"{key}_score": Mean(_condition(key)), f"{key}_pr": _PRESERVED[key]}
    return found


# Table → column → what fills it.
SOURCES: dict[int, dict[str, Source]] = {
    2: _OVERVIEW,
    6: _knowledge(),
    7: _by_category("accuracy", "reasoning", {**_BASE, "math": "Math", **_CULTURE})
    | {"base": _total(_BASE), "culture": _total(_CULTURE)},
    8: _by_category("score", "creativity", _GENRES),
    9: _by_category(
        "accuracy", "multi_round", {name.lower(): name for name in SUBSETS["multi_round"].categories}
    ),
    10: _details(),
    11: _by_category(
        "following_rate", "instruction_following", {"paralinguistic": "Paralinguistic", **_DIMENSIONS}
    ),
    12: _feelings(),
    13: _switching(),
    14: {
        "generation_s": Total(_TIMES, what="products"),
        "response_s": Total(_TIMES, what="weights"),
        "rtf": Mean(_TIMES),
    },
    15: _conditions(),
}

# Which differences from the paper's instruments touch a table (see `stamp`).
DEPENDS: dict[int, tuple[str, ...]] = {
    2: ("judge", "recogniser", "UTMOS checkpoint", "emotion model", "query audio", "hardware"),
    6: ("judge", "recogniser", "query audio"),
    7: ("judge", "query audio"),
    8: ("judge", "query audio"),
    9: ("judge", "query audio"),
    10: ("judge", "recogniser", "emotion model", "query audio"),
    11: ("judge", "recogniser", "emotion model", "query audio"),
    12: ("judge", "emotion model", "query audio"),
    13: ("judge", "recogniser", "query audio"),
    14: ("query audio", "hardware"),
    15: ("judge", "query audio"),
}
