from __future__ import annotations

import pytest

from antiphon.ids import rng
from benchmarks import scoring


def test_ready_pairs_cost_what_the_figures_say() -> None:
    pairs = [(["ni3", "hao3", "ma"], ["ni3", "hao4", "ma"])] * 200
    found = scoring.scoring(pairs)
    assert (found["mean_syllables"], found["rates_equal"]) == (3.0, True)
    assert found["pooled_rate"] == pytest.approx(1 / 3)
    assert found["times_faster_than_jiwer"] > 1


def test_pairs_are_as_long_as_their_replies_and_keywords_get_a_replys_length() -> None:
    texts = ["少林"] * 50 + ["今天天气很好" * 10] * 50
    pairs = scoring.pairs_of(texts, rng(1, "test"))
    assert {len(one) for one, _ in pairs[:50]} <= set(scoring.GOLDEN_LENGTHS)
    assert {len(one) for one, _ in pairs[50:]} == {60}
    assert all(one != two for one, two in pairs[:50])
