from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from antiphon.report.plots import Dot, dot_plot, nice_top


def of_class(picture: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [part for part in picture.iter() if part.get("class") == name]


def test_dots_start_at_zero_and_stand_where_their_value_is() -> None:
    plot = ElementTree.fromstring(
        dot_plot([Dot("a", "", 50.0, 25.0, 75.0), Dot("b", "3 invalid")], title="Rate, %", top=100, digits=1)
    )
    (dot,) = of_class(plot, "dot")
    (span,) = of_class(plot, "range")
    assert (dot.get("cx"), span.get("x1"), span.get("x2")) == ("219.0", "183.5", "254.5")
    texts = [part.text for part in plot.iter("text")]
    assert texts == ["Rate, %", "0", "50", "100", "a", "50.0", "b", "3 invalid"]


def test_a_mean_that_lies_a_rounding_above_its_equal_values_fits_the_axis() -> None:
    mean = 0.2 + 0.2 + 0.2
    assert mean / 3 > nice_top(0.2)
    assert (
        dot_plot([Dot("a", "", mean / 3)], title="t", top=nice_top(mean / 3), digits=2).count("circle") == 1
    )


def test_a_value_beyond_the_axis_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("outside 0..1")):
        dot_plot([Dot("a", "", 1.5)], title="t", top=1, digits=1)


def test_axes_end_at_round_numbers() -> None:
    tops = [nice_top(value) for value in (0.0, 0.07, 1.0, 1.28, 2.1, 4.7, 61.0, 1000.0)]
    assert tops == pytest.approx([1.0, 0.1, 1.0, 2.0, 2.5, 5.0, 100.0, 1000.0])
