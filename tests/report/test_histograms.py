from __future__ import annotations

from math import inf, nan
from xml.etree import ElementTree

import pytest

from antiphon.report.histograms import BINS, Spread, counts, histograms


def drawn(*rows: Spread) -> ElementTree.Element:
    return ElementTree.fromstring(histograms(rows, "Duration, s"))


def of_class(picture: ElementTree.Element, name: str) -> list[str]:
    return [part.get("d") or "" for part in picture.iter("path") if part.get("class") == name]


def test_every_value_is_in_one_bin_and_the_end_in_the_last() -> None:
    found = counts([0.0, 0.3, 9.99, 10.0], 10.0)
    assert (found[0], found[BINS - 1], sum(found), len(found)) == (2, 2, 4, 32)


def test_bars_and_median_stand_where_their_values_are() -> None:
    # The axis is 0..10 s on 168..340: 2.5 and 7.5 s lie in the bins that begin at 8/32 and 24/32 of it.
    plot = drawn(Spread("a", "recorded", (2.5, 7.5, 7.6)))
    assert of_class(plot, "bars") == ["M211.0 62V49.0H216.4V62ZM297.0 62V36.0H302.4V62Z"]
    assert of_class(plot, "median") == ["M297.0 33v32"]
    assert [text.text for text in plot.iter("text")] == [
        "Duration, s", "0", "5", "10", "a", "recorded", "7.50", "n 3",
    ]  # fmt: skip


def test_synthetic_speech_is_an_outline_and_silence_is_said() -> None:
    plot = drawn(
        Spread("a", "synthetic", (1.0,), hollow=True), Spread("b", "text only", (), words="no sound")
    )
    assert (len(of_class(plot, "bars hollow")), len(of_class(plot, "median"))) == (1, 1)
    assert plot.findtext("desc") == "a, synthetic: median 1.00, 1.00 to 1.00, n 1; b, text only: no sound"


def test_equal_values_and_zeros_are_one_bar() -> None:
    assert of_class(drawn(Spread("a", "", (0.0, 0.0))), "bars") == ["M168.0 62V36.0H173.4V62Z"]


@pytest.mark.parametrize("wrong", [nan, inf, -0.1])
def test_a_duration_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="is no value"):
        drawn(Spread("a", "", (1.0, wrong)))


def test_no_values_are_no_picture() -> None:
    with pytest.raises(ValueError, match="no values"):
        drawn(Spread("a", "", ()))
