from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.bench.items import Item
from antiphon.bench.metrics.robustness import preserve_metrics
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS, SCORED_CONDITIONS
from antiphon.score import Score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.stats import Summary

SIX = sorted(SCORED_CONDITIONS)


def noisy(condition: tuple[str, str], number: int) -> Item:
    kind, level = condition
    return Item(
        f"robust-{kind}-{level}-{number}", "robust", "zh", f"{number}？", category=kind,
        cluster=f"single_round-{number}", extra={"Level": level},
    )  # fmt: skip


def clean(number: int, subset: str = "robust_clean") -> Item:
    if subset == "single_round":
        return Item(f"single_round-{number}", subset, "zh", f"{number}？")
    return Item(f"{subset}-{number}", subset, "zh", f"{number}？", cluster=f"single_round-{number}")


def scored(item: Item, value: float | None, metric: str = "score") -> Score:
    if value is None:
        return Score(
            item.id, item.subset, metric, status="not judged", reason="no judge", cluster=item.cluster
        )
    return Score(item.id, item.subset, metric, value, cluster=item.cluster)


def rates(pairs: list[tuple[Item, Score]], scoring: str = "strict") -> dict[tuple[str, str], Summary]:
    items, scores = [item for item, _ in pairs], [score for _, score in pairs]
    found = [
        summary
        for metric in preserve_metrics("paper" if scoring == "paper" else "strict", SCORED_CONDITIONS)
        for summary in (metric.derive or none)(items, scores)
    ]
    return {(summary.metric, summary.subset): summary for summary in found}


def none(items: Sequence[Item], scores: Sequence[Score]) -> list[Summary]:
    raise AssertionError("a preserve rate is derived")


def run(noisy_value: dict[tuple[str, str], float], subset: str = "robust_clean") -> list[tuple[Item, Score]]:
    """Two questions under each condition, clean scores 4 and 4."""
    items = [(item, scored(item, 4.0)) for number in range(2) if (item := clean(number, subset))]
    for condition, value in noisy_value.items():
        items += [(item, scored(item, value)) for number in range(2) if (item := noisy(condition, number))]
    return items


def test_every_condition_has_its_score_and_its_rate_and_six_make_the_average() -> None:
    values = dict.fromkeys(((kind, level) for kind, levels in CONDITIONS.items() for level in levels), 3.0)
    values[SIX[0]] = 5.0  # 125 %, counted as 100 %
    found = rates(run(values))
    assert len(found) == 36 * 2 + 1
    label = "/".join(("robust", *SIX[0]))
    assert found["score", label].value == 5.0
    assert found["preserve_rate", label].value == 1.25
    average = found["preserve_rate", "robust"]
    assert (average.value, average.n, average.reasons) == (pytest.approx((1 + 5 * 0.75) / 6), 12, ())


def test_single_round_stands_for_the_clean_side_and_only_its_shared_questions() -> None:
    pairs = run(dict.fromkeys(SIX, 2.0), "single_round")
    stranger = clean(7, "single_round")  # an odd item, without a disturbed version
    found = rates([*pairs, (stranger, scored(stranger, 1.0))], "paper")
    assert found["preserve_rate", "robust"].value == 0.5


def test_five_of_six_conditions_make_no_average() -> None:
    found = rates(run(dict.fromkeys(SIX[1:], 4.0)))
    average = found["preserve_rate", "robust"]
    assert (average.value, average.n) == (None, 0)
    assert average.reasons == (
        f"the average needs all 6 scored conditions; not run: {'/'.join(('robust', *SIX[0]))}",
    )
    assert found["preserve_rate", "/".join(("robust", *SIX[1]))].value == 1.0


def test_without_the_clean_side_every_rate_says_how_to_get_it() -> None:
    pairs = [pair for pair in run(dict.fromkeys(SIX, 4.0)) if pair[0].subset == "robust"]
    found = rates(pairs)
    rows = [summary for (metric, _), summary in found.items() if metric == "preserve_rate"]
    assert {summary.value for summary in rows} == {None}
    assert all("add --subset robust_clean or single_round" in summary.reasons[0] for summary in rows)


def test_without_a_judge_the_rows_are_counted_and_nothing_is_zero() -> None:
    pairs = [(item, scored(item, None)) for item, _ in run(dict.fromkeys(SIX, 4.0))]
    average = rates(pairs)["preserve_rate", "robust"]
    assert (average.value, average.not_judged, average.reasons) == (None, 14, ("no judge",))


def test_code_switching_keeps_its_share_of_the_english_accuracy_by_question() -> None:
    mixed = [Item(f"cs-{at}", "cs_knowledge", "zh", "？") for at in range(4)]
    english = [Item(f"en-{at}", "cs_knowledge_en", "en", "?", cluster=f"cs-{at}") for at in range(4)]
    pairs = [(item, scored(item, right, "accuracy")) for item, right in zip(mixed, (1, 0, 0, 1), strict=True)]
    pairs += [
        (item, scored(item, right, "accuracy")) for item, right in zip(english, (1, 1, 1, 1), strict=True)
    ]
    assert rates(pairs)["cs_preserve_rate", "cs_knowledge"].value == 0.5
    pairs[7] = (
        english[3],
        Score("en-3", "cs_knowledge_en", "accuracy", status="invalid", reason="?", cluster="cs-3"),
    )
    assert rates(pairs)["cs_preserve_rate", "cs_knowledge"].value == pytest.approx(
        1 / 3
    )  # cs-3 was right, unpaired
    assert rates(pairs, "paper")["cs_preserve_rate", "cs_knowledge"].value == 0.5
    assert rates(pairs[:4]) == {}


def test_other_runs_have_no_preserve_rate() -> None:
    item = Item("k", "general_knowledge", "zh", "？", "北京")
    assert rates([(item, scored(item, 1.0, "accuracy"))]) == {}
