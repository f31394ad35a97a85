from __future__ import annotations

import time

from antiphon.ids import rng
from antiphon.text.align import Alignment, Step, align, distance


def test_each_kind_of_error_is_a_step() -> None:
    got = align(["the", "cat", "sat", "down"], ["a", "cat", "sat", "right", "there", "down"])
    assert got.steps == (
        Step("substitute", "the", "a"),
        Step("equal", "cat", "cat"),
        Step("equal", "sat", "sat"),
        Step("insert", None, "right"),
        Step("insert", None, "there"),
        Step("equal", "down", "down"),
    )
    assert (got.errors, got.length, got.rate) == (3, 4, 0.75)
    assert [got.count(op) for op in ("equal", "substitute", "delete", "insert")] == [3, 1, 0, 2]


def test_an_empty_hypothesis_misses_everything() -> None:
    got = align(["你", "好"], [])
    assert got.steps == (Step("delete", "你", None), Step("delete", "好", None))
    assert got.rate == 1


def test_without_a_reference_there_is_no_rate() -> None:
    got = align([], ["extra"])
    assert (got.errors, got.length, got.rate) == (1, 0, None)
    assert align([], []) == Alignment(())


def test_insertions_bring_a_rate_above_one() -> None:
    assert align(["a"], ["b", "c", "d"]).rate == 3


def textbook(one: list[str], two: list[str]) -> int:
    """The textbook table, row by row."""
    row = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(two, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def test_the_alignment_is_complete_and_has_the_fewest_errors() -> None:
    generator = rng(5, "align")
    for _ in range(200):
        one, two = ([*map(str, generator.integers(0, 4, generator.integers(0, 12)))] for _ in range(2))
        got = align(one, two)
        assert [step.reference for step in got.steps if step.reference is not None] == one
        assert [step.hypothesis for step in got.steps if step.hypothesis is not None] == two
        assert all((step.op == "equal") == (step.reference == step.hypothesis) for step in got.steps)
        assert got.errors == distance(one, two) == textbook(one, two)


def test_two_thousand_tokens_are_aligned_at_once() -> None:
    generator = rng(6, "align")
    one, two = ([*map(str, generator.integers(0, 400, 2000))] for _ in range(2))
    started = time.process_time()
    assert align(one, two).length == 2000
    assert time.process_time() - started < 1


def test_a_distance_needs_no_strings_of_one_length() -> None:
    # A token of one character must not be taken for the start of a longer one, nor a digit for a number.
    assert distance(["a", "1", "ab"], ["ab", "a", "1"]) == 2
    assert distance([], ["hao3"]) == distance(["hao3"], []) == 1
