from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from antiphon.report.plots import Axis, Dot, dot_plot, nice_top, radar

MEASURED = Axis("a", "50.0 · n 2", 50.0, 20.0, 80.0)
MISSING = Axis("b", "2 not judged")


def pictures(axes: list[Axis]) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(f"<all>{radar(axes, 'Abilities')}</all>"))


def of_class(picture: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [part for part in picture.iter() if part.get("class") == name]


def test_a_missing_ability_is_a_gap_and_not_a_zero() -> None:
    large, _ = pictures([MEASURED, MEASURED, MISSING, MEASURED, MEASURED])
    (edge,) = of_class(large, "edge")
    # Five axes, one missing: of five sides only the three between measured neighbours are drawn.
    assert (edge.get("d") or "").count("M") == 3
    assert len(of_class(large, "dot")) == len(of_class(large, "range")) == 4
    assert len(of_class(large, "gone")) == 1


def test_the_first_axis_points_up_and_its_half_is_halfway() -> None:
    large, small = pictures([MEASURED, MEASURED, MEASURED])
    assert next((part.get("cx"), part.get("cy")) for part in of_class(large, "dot")) == ("300.0", "156.0")
    assert next((part.get("cx"), part.get("cy")) for part in of_class(small, "dot")) == ("172.0", "120.0")


def test_two_abilities_are_no_shape() -> None:
    with pytest.raises(ValueError, match="three measured abilities"):
        radar([MEASURED, MEASURED, MISSING], "Abilities")


def test_labels_are_escaped() -> None:
    drawn = radar([MEASURED, MEASURED, Axis("<script>", "&", 1.0)], "<i>")
    assert "<script>" not in drawn
    assert "<i>" not in drawn


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
