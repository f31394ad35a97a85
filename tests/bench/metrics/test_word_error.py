from __future__ import annotations

import pytest

from antiphon.bench.metrics.word_error import word_error
from antiphon.errors import ConfigError


def test_one_word_in_four_is_a_quarter() -> None:
    got = word_error("The cat sat down.", "the cat sat up")
    assert (got.errors, got.total, got.value) == (1, 4, 0.25)
    assert (got.alignment.steps[-1].reference, got.alignment.steps[-1].hypothesis) == ("down", "up")


def test_spelling_is_no_error() -> None:
    got = word_error(
        "On May 5th, 2020 it cost $3.50 (a lot).",
        "on may fifth twenty twenty it cost three dollars and fifty cents a lot",
    )
    assert got.value == 0


def test_each_kind_of_error_counts_once() -> None:
    got = word_error("the big red house is here now", "a big house is really here now")
    assert (
        got.alignment.count("substitute"),
        got.alignment.count("delete"),
        got.alignment.count("insert"),
    ) == (1, 1, 1)


def test_a_mixed_text_counts_characters_and_words() -> None:
    got = word_error("我用Python写代码", "我用 python 写带码", "zh")
    assert (got.errors, got.total) == (1, 6)


def test_a_compound_in_two_words_counts_as_errors() -> None:
    assert word_error("the rainforest", "the rain forest").errors == 2


@pytest.mark.parametrize("reference", ["", "...", "  "])
def test_a_reference_without_words_has_no_rate(reference: str) -> None:
    got = word_error(reference, "something")
    assert (got.value, got.reason) == (None, "the reference has no words")


def test_an_empty_answer_is_wholly_wrong() -> None:
    assert word_error("say it", "").value == 1


def test_another_language_is_refused() -> None:
    with pytest.raises(ConfigError, match="no language 'de'"):
        word_error("ja", "ja", "de")
