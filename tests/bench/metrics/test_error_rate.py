from __future__ import annotations

from antiphon.bench.metrics.error_rate import ErrorRate
from antiphon.text.align import align


def test_a_rate_is_errors_over_the_reference() -> None:
    got = ErrorRate(align(["a", "b"], ["a", "c", "d"]), "words")
    assert (got.errors, got.total, got.value) == (2, 2, 1.0)


def test_a_metric_that_does_not_apply_has_no_value_whatever_was_counted() -> None:
    assert ErrorRate(align(["a"], ["a"]), "words", reason="not this item").value is None
    assert ErrorRate(align([], ["a"]), "words").value is None
