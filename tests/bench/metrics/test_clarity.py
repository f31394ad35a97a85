from __future__ import annotations

import pytest

from antiphon.bench.metrics.clarity import clarity_metrics
from antiphon.bench.suite import Evidence
from antiphon.score import Score
from antiphon.stats import summarise
from tests.bench.bench_evidence import ENGLISH, ITEM, named, spoken


def score(evidence: Evidence, name: str = "syllable_error_rate") -> Score:
    return named(clarity_metrics("strict"), name).score(evidence)


def test_one_syllable_of_four_heard_wrongly_is_a_quarter() -> None:
    found = score(spoken(text="你好世界", heard="你好时界"))
    assert (found.value, found.weight) == (0.25, 4.0)


def test_a_homophone_is_no_error_and_another_tone_is_one() -> None:
    assert score(spoken(text="是北京", heard="事北京")).value == 0.0
    assert score(spoken(text="妈妈骂马", heard="妈妈骂骂")).value == 0.25


def test_one_word_of_five_heard_wrongly_is_a_fifth() -> None:
    found = score(spoken(ENGLISH, "It is in northern China.", "it is in Northern chyna"), "word_error_rate")
    assert (found.value, found.weight) == (0.2, 5.0)


def test_rates_are_pooled_over_units_and_not_averaged_over_replies() -> None:
    long = score(spoken(text="中国的首都是北京" * 2, heard="中国的首都是北京" * 2))  # 0 of 16
    short = score(spoken(text="北京", heard="南京"))  # 1 of 2
    total = summarise([long, short])
    assert total.value == pytest.approx(1 / 18)
    assert total.value != pytest.approx((0 + 1 / 2) / 2)


def test_silence_misses_every_syllable() -> None:
    assert score(spoken(text="你好世界", heard="")).value == 1.0


@pytest.mark.parametrize(
    ("evidence", "status", "reason"),
    [
        (spoken(duration_s=0), "excluded", "the reply has no speech"),
        (spoken(text="", heard="你好"), "excluded", "the reply has no words of its own to compare with"),
        (spoken(text="……", heard="你好"), "excluded", "the reference has no tonal syllable"),
        (
            spoken(heard=None),
            "invalid",
            "the reply's speech was not recognised; `antiphon score` tries again",
        ),
    ],
)
def test_nothing_to_compare_is_no_perfect_score(evidence: Evidence, status: str, reason: str) -> None:
    found = score(evidence)
    assert (found.value, found.status, found.reason) == (None, status, reason)


def test_each_language_has_its_own_unit() -> None:
    covers = {
        metric.info.name: [metric.covers(item) for item in (ITEM, ENGLISH)]
        for metric in clarity_metrics("strict")
    }
    assert covers == {"syllable_error_rate": [True, False], "word_error_rate": [False, True]}
