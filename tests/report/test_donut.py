from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from antiphon.report.donut import Part, donut, point


def drawn(*parts: Part) -> ElementTree.Element:
    return ElementTree.fromstring(donut(parts, "Items", "items"))


def arcs(ring: ElementTree.Element, kind: str) -> list[str]:
    return [
        part.findtext("title") or ""
        for part in ring.iter("path")
        if (part.get("class") or "").startswith(kind)
    ]


def test_a_turn_starts_at_the_top_and_goes_clockwise() -> None:
    assert [point(turn, 100) for turn in (0, 0.25, 0.5, 0.75)] == [
        (120.0, 20.0), (220.0, 120.0), (120.0, 220.0), (20.0, 120.0),
    ]  # fmt: skip


def test_a_quarter_of_the_items_is_a_quarter_of_the_ring() -> None:
    ring = drawn(Part("a", 1), Part("b", 3))
    first = next(part for part in ring.iter("path"))
    assert (
        first.get("d") == "M120.0 2.0A118.0 118.0 0 0 1 238.0 120.0L214.0 120.0A94.0 94.0 0 0 0 120.0 26.0Z"
    )
    assert arcs(ring, "arc") == ["a: 1", "b: 3"]
    rows = [["".join(cell.itertext()) for cell in row] for row in ring.iter("li")]
    assert rows == [["1", "a", "1", "25.0 %"], ["2", "b", "3", "75.0 %"]]


def test_the_only_part_is_a_whole_ring() -> None:
    (path,) = [part.get("d") or "" for part in drawn(Part("a", 7)).iter("path")]
    assert path.count("M") == path.count("Z") == 2


def test_parts_of_parts_lie_outside_and_are_counted() -> None:
    ring = drawn(Part("a", 3, (Part("x", 2), Part("y", 1))), Part("b", 1), Part("none", 0))
    assert (arcs(ring, "arc"), arcs(ring, "outer")) == (["a: 3", "b: 1"], ["a, x: 2", "a, y: 1"])
    assert [small.text for small in ring.iter("small")] == ["x 2, y 1"]


def test_a_part_too_thin_for_its_number_is_still_listed() -> None:
    ring = drawn(Part("most", 9999), Part("one", 1))
    assert [text.text for text in ring.iter("text")] == ["1", "10,000", "items"]
    assert len(list(ring.iter("li"))) == 2


def test_labels_are_escaped() -> None:
    assert "<script>" not in donut([Part("<script>", 1)], "<i>", "items")


@pytest.mark.parametrize("parts", [[], [Part("a", 0)], [Part("a", -1), Part("b", 2)]])
def test_nothing_is_no_ring(parts: list[Part]) -> None:
    with pytest.raises(ValueError, match="nothing to show"):
        donut(parts, "Items", "items")


def test_parts_that_do_not_sum_are_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("'a' do not sum to its 3")):
        drawn(Part("a", 3, (Part("x", 2),)))
