from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from antiphon.bench.items import Item
from antiphon.bench.metrics.emotions import FIVE
from antiphon.bench.metrics.empathy import EMPATHY, OTHER_CUTS, acoustic_score
from antiphon.bench.suite import Evidence
from antiphon.bench.suites.vocalbench_zh.load import load
from antiphon.score import Score
from tests.bench.bench_evidence import named, spoken, verdict

ANGRY = Item(
    "emotion-000", "emotion", "zh", "凭什么？", extra={"Question_emo": "angry", "Score": [5, 1, 2, 5, 3]}
)


def voice(**probabilities: float) -> dict[str, float]:
    return dict.fromkeys(FIVE, 0.0) | probabilities


def replied(heard: dict[str, float] | None, points: float | None = 4.0, **more: Any) -> Evidence:
    judged = {"score": verdict("score", points)} if points is not None else {}
    return spoken(ANGRY, "太不公平了。", measured=heard or {}, judged=judged, **more)


def score(name: str, evidence: Evidence) -> Score:
    return named(EMPATHY, name).score(evidence)


def test_the_voice_is_rated_by_the_items_own_ratings() -> None:
    # 0.5·5 + 0.25·2 + 0.25·1
    heard = voice(angry=0.5, neutral=0.25, happy=0.25)
    found = score("acoustic_empathy", replied(heard))
    assert found.value == pytest.approx(3.25)
    assert found.evidence == {"heard": heard, "ratings": [5.0, 1.0, 2.0, 5.0, 3.0]}


def test_ratings_go_with_names_not_with_the_scorers_order() -> None:
    assert acoustic_score(voice(surprised=1.0), [1, 2, 3, 4, 5]) == 5
    assert acoustic_score({name: float(name == "angry") for name in reversed(FIVE)}, [1, 2, 3, 4, 5]) == 1


@pytest.mark.parametrize(
    ("points", "heard", "passes"),
    [
        (3.0, voice(surprised=1.0), True),  # both exactly 3
        (2.0, voice(sad=1.0), False),
        (5.0, voice(neutral=1.0), False),
        (3.0, voice(surprised=0.99, happy=0.01), False),  # 2.98: a tiny leak decides
    ],
)
def test_empathy_needs_both_the_words_and_the_voice(
    points: float, heard: dict[str, float], passes: bool
) -> None:
    assert score("empathy_rate", replied(heard, points)).value == float(passes)


def test_a_sum_that_should_be_three_is_three() -> None:
    heard = dict(zip(FIVE, (0.1, 0.1, 0.1, 0.1, 0.6), strict=True))
    assert acoustic_score({name: p / sum(heard.values()) for name, p in heard.items()}, [3] * 5) == 3
    assert acoustic_score(dict.fromkeys(FIVE, 1 / 5), [5, 1, 4, 2, 3]) == 3


def test_each_side_and_the_sum_stand_beside_the_rate() -> None:
    evidence = replied(voice(neutral=1.0), 4.0)
    assert {metric.info.name: metric.score(evidence).value for metric in EMPATHY} == {
        "empathy_rate": 0.0,
        "semantic_empathy_rate": 1.0,
        "empathy": 6.0,
        "acoustic_empathy": 2.0,
        "acoustic_empathy_rate": 0.0,
    }


def test_without_a_scorer_the_voice_is_unavailable_and_the_words_still_count() -> None:
    evidence = replied(None, 4.0)
    statuses = {metric.info.name: metric.score(evidence).status for metric in EMPATHY}
    assert statuses == {
        "empathy_rate": "unavailable",
        "semantic_empathy_rate": "valid",
        "empathy": "unavailable",
        "acoustic_empathy": "unavailable",
        "acoustic_empathy_rate": "unavailable",
    }


def test_without_a_judge_the_voice_still_counts() -> None:
    evidence = replied(voice(sad=1.0), None, gaps={"judge": ("not judged", "no judge")})
    assert score("acoustic_empathy_rate", evidence).value == 1.0
    assert score("empathy_rate", evidence).status == "not judged"


def test_a_verdict_that_could_not_be_read_is_no_failure_of_empathy() -> None:
    judged = {"score": verdict("score", None, status="invalid", problem="no score last")}
    found = score("empathy_rate", spoken(ANGRY, measured=voice(neutral=1.0), judged=judged))
    assert (found.value, found.status, found.reason) == (None, "invalid", "no score last")


@pytest.mark.parametrize("ratings", [[1, 2, 3], [1, 2, 3, 4, "5"], None])
def test_an_item_without_five_ratings_cannot_be_scored(ratings: object) -> None:
    item = Item("e", "emotion", "zh", "？", extra={"Score": ratings})
    found = score("acoustic_empathy", spoken(item, measured=voice(sad=1.0)))
    assert (found.value, found.status) == (None, "invalid")


def test_the_rate_is_shown_at_other_cuts_of_the_voice() -> None:
    metric = named(EMPATHY, "empathy_rate")
    assert metric.derive is not None
    heard = [voice(surprised=1.0), voice(surprised=0.95, happy=0.05), voice(neutral=1.0), voice(sad=1.0)]
    rows = [metric.score(replied(one)) for one in heard]  # 3, 2.9, 2, 5
    found = metric.derive([ANGRY], rows)
    assert [(one.subset, one.value, one.n) for one in found] == [
        ("emotion/voice ≥ 2.5", 0.75, 4),
        ("emotion/voice ≥ 2.75", 0.75, 4),
        ("emotion/voice ≥ 2.9", 0.75, 4),
        ("emotion/voice ≥ 3.1", 0.25, 4),
        ("emotion/voice ≥ 3.25", 0.25, 4),
        ("emotion/voice ≥ 3.5", 0.25, 4),
    ]
    assert len(found) == len(OTHER_CUTS)


def test_no_other_cut_is_shown_where_nothing_was_measured() -> None:
    metric = named(EMPATHY, "empathy_rate")
    assert metric.derive is not None
    assert metric.derive([ANGRY], [metric.score(replied(None))]) == []


def test_a_tiny_leak_from_a_flat_voice_decides_most_published_items(data: Path) -> None:
    folder = data / "vocalbench-zh"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    items = load(folder, ["emotion"])

    def rate(**heard: float) -> float:
        metric = named(EMPATHY, "acoustic_empathy_rate")
        return sum(metric.score(spoken(item, measured=voice(**heard))).value or 0.0 for item in items) / 5

    assert len(items) == 500
    assert (rate(neutral=1.0), rate(neutral=0.9, happy=0.1)) == (pytest.approx(94.6), pytest.approx(42.8))
