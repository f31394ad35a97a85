from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.bench.suites.vocalbench_zh.overall import (
    COVERAGE,
    POINTS,
    Overall,
    Part,
    clarity_points,
    overall,
    robustness,
)

# By hand: 5 + 4 + 6 + 3 + 8 + 7 + 2 + 3 + 7 + 90 * 6 / 40 = 58.5
PARTS = {
    "knowledge": Part(50.0),
    "reasoning": Part(40.0),
    "creativity": Part(3.0),
    "fluency": Part(3.0),
    "clarity": Part(5.9),
    "single_round": Part(3.5),
    "instruction": Part(20.0),
    "empathy": Part(30.0),
    "safety": Part(70.0),
    "robust": Part(90.0),
}


def test_the_sum_by_hand() -> None:
    found = overall(PARTS)
    assert found.value == pytest.approx(58.5, abs=1e-12)
    assert found.missing == ()


def test_a_perfect_system_has_100_points() -> None:
    best = {"creativity": 5.0, "single_round": 5.0, "fluency": 5.0, "clarity": 0.0}
    assert overall({name: Part(best.get(name, 100.0)) for name in POINTS}).value == pytest.approx(100.0)


def test_clarity_falls_by_bands_of_two_percent_and_never_below_zero() -> None:
    rates = [0.0, 1.999, 2.0, 3.999, 4.0, 19.999, 20.0, 33.947]
    assert [clarity_points(rate) for rate in rates] == [10, 10, 9, 9, 8, 1, 0, 0]
    with pytest.raises(ValueError, match="-1"):
        clarity_points(-1)


def test_a_preserve_rate_above_100_counts_as_100() -> None:
    rates = [105.51, 100.0, 105.23, 105.23, 101.38, 96.14]
    assert robustness(rates) == pytest.approx((5 * 100 + 96.14) / 6)
    with pytest.raises(ValueError, match="5 preserve rates"):
        robustness(rates[:5])


@pytest.mark.parametrize("name", POINTS)
def test_without_any_one_part_there_is_no_overall_and_the_part_is_named(name: str) -> None:
    parts = {key: part for key, part in PARTS.items() if key != name}
    assert overall(parts) == Overall(None, (f"{name}: not measured",))


def test_what_is_unavailable_thin_or_limited_is_named_with_its_reason() -> None:
    parts = PARTS | {
        "fluency": Part(None, reason="no UTMOS scorer here"),
        "creativity": replace(PARTS["creativity"], covered=0.5),
        "instruction": replace(PARTS["instruction"], limited="judged by words only"),
        "safety": Part(None),
    }
    assert overall(parts) == Overall(
        None,
        (
            "creativity: only 50.0% of its items have a value",
            "fluency: no UTMOS scorer here",
            "instruction: judged by words only",
            "safety: no value",
        ),
    )


def test_a_part_on_the_border_of_coverage_counts() -> None:
    assert overall(PARTS | {"safety": Part(70.0, covered=COVERAGE)}).value is not None


def test_what_is_no_part_of_the_sum_changes_nothing() -> None:
    assert overall(PARTS | {"multi_round": Part(100.0), "latency": Part(0.1)}) == overall(PARTS)
