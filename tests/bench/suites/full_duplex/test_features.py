from __future__ import annotations

import pytest

from antiphon.bench.suite import NoValue, Value
from antiphon.bench.suites.full_duplex.features import rate, split, words_per_minute
from tests.bench.suites.full_duplex.duplex import evidence, track, words

EXTRA = {"overlap": [4.0, 6.0]}


def test_words_a_minute_by_hand():
    assert words_per_minute(words("one two three four", each_s=0.5)) == 120.0
    assert words_per_minute(()) == 0.0


def test_a_word_that_the_end_cuts_comes_after():
    said = words("one two three", 5.0, 0.5)
    assert split(said, 5.75) == (said[:1], said[1:])
    assert split(said, 9.0) == (said, ())


@pytest.mark.parametrize(
    ("scoring", "found"), [("paper", Value(0.0, evidence={"words": 0})), ("strict", None)]
)
def test_nobody_speaks_at_a_rate_of_zero(scoring, found):
    item = evidence("user_interruption", EXTRA, agent=track(words("one two", 1.0)))
    expected = found or NoValue("excluded", "the agent says nothing after the overlap's end")
    assert rate(1, scoring, item) == expected
    assert rate(0, scoring, item).value == 240.0
