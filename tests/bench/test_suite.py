from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Evidence, Metric, NoValue, Value, known_scoring
from antiphon.errors import ConfigError
from antiphon.score import Score
from tests.bench.bench_evidence import ITEM, spoken

INFO = MetricInfo("words", "Words", "", "higher", 0, "How many.", False)
WORDS = Metric(
    INFO,
    lambda _: True,
    lambda evidence: Value(float(len(evidence.said.text)), 2.0, {"a": 1}),
    ("transcript",),
)


def test_a_value_becomes_a_row_with_its_weight_cluster_and_evidence() -> None:
    item = replace(ITEM, cluster="source-0")
    assert WORDS.score(spoken(item, "北京")) == Score(
        "k-0", "general_knowledge", "words", 2.0, 2.0, cluster="source-0", evidence={"a": 1}
    )


def test_no_value_becomes_a_row_with_its_reason() -> None:
    none = replace(WORDS, measure=lambda _: NoValue("excluded", "mute"))
    assert none.score(spoken()) == Score(
        "k-0", "general_knowledge", "words", status="excluded", reason="mute"
    )


def test_an_item_without_a_take_is_invalid_whatever_else_is_missing() -> None:
    gaps = {"transcript": ("unavailable", "no ears")}
    failed = Evidence(ITEM, None, failure="HTTP 500", gaps=gaps)  # pyright: ignore[reportArgumentType]
    assert (WORDS.score(failed).status, WORDS.score(failed).reason) == ("invalid", "HTTP 500")
    silent = WORDS.score(Evidence(ITEM, None))
    assert (silent.status, silent.reason) == ("invalid", "the item was not performed")


def test_what_a_metric_needs_and_nobody_has_is_its_reason() -> None:
    lacking = spoken(gaps={"transcript": ("unavailable", "no ears"), "judge": ("not judged", "no judge")})
    assert (WORDS.score(lacking).status, WORDS.score(lacking).reason) == ("unavailable", "no ears")


def test_evidence_without_a_take_says_nothing() -> None:
    with pytest.raises(ValueError, match="k-0 has no take"):
        _ = Evidence(ITEM, None).said


def test_an_unknown_scoring_names_both() -> None:
    assert known_scoring("paper") == "paper"
    with pytest.raises(ConfigError, match=r"^no scoring 'papre'; there are: paper, strict$"):
        known_scoring("papre")
