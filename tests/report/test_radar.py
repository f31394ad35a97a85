from __future__ import annotations

import re
from dataclasses import replace
from math import nan
from xml.etree import ElementTree

import pytest

from antiphon.report.radar import Axis, Outline, radar
from antiphon.report.series import of_published, of_runs

MEASURED = Axis("a", "50.0 · n 2", 50.0, 20.0, 80.0)
MISSING = Axis("b", "2 not judged")
LEAD, RIVAL = of_runs(["one", "two"])
TOLD, HIDDEN = of_published(["printed", "hidden"], ["printed"])


def pictures(axes: list[Axis], *others: Outline) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(f"<all>{radar(axes, 'Abilities', others, 'one')}</all>"))


def of_class(picture: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [part for part in picture.iter() if part.get("class") == name]


def points(group: ElementTree.Element) -> list[tuple[str, str]]:
    """Where a group's marks stand: each path begins with its own point."""
    paths = [part.get("d") or "" for part in of_class(group, "mark")]
    return [match.groups() for path in paths if (match := re.match(r"M(\S+) ([\d.]+)m", path))]  # pyright: ignore[reportReturnType]


def test_a_missing_ability_is_a_gap_and_not_a_zero() -> None:
    large, _ = pictures([MEASURED, MEASURED, MISSING, MEASURED, MEASURED])
    (edge,) = of_class(large, "edge")
    # Five axes, one missing: of five sides only the three between measured neighbours are drawn.
    assert (edge.get("d") or "").count("M") == 3
    assert len(of_class(large, "mark")) == len(of_class(large, "range")) == 4
    assert len(of_class(large, "gone")) == 1


def test_the_first_axis_points_up_and_its_half_is_halfway() -> None:
    large, small = pictures([MEASURED, MEASURED, MEASURED])
    assert points(large)[0] == ("300.0", "156.0")
    assert points(small)[0] == ("172.0", "120.0")


def test_another_system_has_its_own_marks_and_its_own_gaps() -> None:
    large, _ = pictures([MEASURED] * 4, Outline(RIVAL, (100.0, 0.0, None, 25.0)))
    rival, lead = of_class(large, "rival"), of_class(large, "lead")
    # The top of the radius, its centre, and a quarter to the left; the third axis has no mark.
    assert points(rival[0]) == [("300.0", "72.0"), ("300.0", "240.0"), ("258.0", "240.0")]
    assert len(points(lead[0])) == 4
    (edge,) = of_class(rival[0], "edge")
    assert (edge.get("d"), edge.get("stroke-dasharray")) == (
        "M300.0 72.0L300.0 240.0M258.0 240.0L300.0 72.0",
        "7 3",
    )


def test_what_is_switched_off_is_there_and_hidden_and_not_read_out() -> None:
    large, _ = pictures([MEASURED] * 3, Outline(TOLD, (1.0, 2.0, None)), Outline(HIDDEN, (3.0, 4.0, 5.0)))
    groups = {group.get("data-series"): group.get("style") for group in of_class(large, "told")}
    assert groups == {"0": None, "1": "display:none"}
    told = large.findtext("desc")
    assert told == ("one: a: 50.0 · n 2; a: 50.0 · n 2; a: 50.0 · n 2. printed: a 1.0; a 2.0; a missing")


def test_two_abilities_are_no_shape() -> None:
    with pytest.raises(ValueError, match="three measured abilities"):
        radar([MEASURED, MEASURED, MISSING], "Abilities")


def test_what_lies_beyond_the_axes_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("nan of 'a' lies outside 0..100")):
        radar([MEASURED, MEASURED, replace(MEASURED, value=nan)], "Abilities")
    with pytest.raises(ValueError, match=re.escape("101.0 of 'two' lies outside 0..100")):
        radar([MEASURED] * 3, "Abilities", [Outline(RIVAL, (101.0, 1.0, 1.0))])
    with pytest.raises(ValueError, match="two has 2 values for 3 axes"):
        radar([MEASURED] * 3, "Abilities", [Outline(RIVAL, (1.0, 1.0))])


def test_labels_are_escaped() -> None:
    drawn = radar([MEASURED, MEASURED, Axis("<script>", "&", 1.0)], "<i>")
    assert "<script>" not in drawn
    assert "<i>" not in drawn
