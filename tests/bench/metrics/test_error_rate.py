from __future__ import annotations

from antiphon.bench.metrics.error_rate import error_rate


def test_a_rate_is_errors_over_the_reference() -> None:
    got = error_rate(["a", "b"], ["a", "c", "d"], "words")
    assert (got.errors, got.total, got.value) == (2, 2, 1.0)


def test_the_alignment_counts_the_same_errors() -> None:
    got = error_rate(["a", "b"], ["a", "c", "d"], "words")
    assert [step.op for step in got.alignment.steps] == ["equal", "insert", "substitute"]
    assert got.alignment.errors == got.errors


def test_a_metric_that_does_not_apply_has_no_value_whatever_was_counted() -> None:
    assert error_rate(["a"], ["a"], "words", reason="not this item").value is None
    assert error_rate([], ["a"], "words").value is None
