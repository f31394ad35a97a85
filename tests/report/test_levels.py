from __future__ import annotations

import re
from dataclasses import replace
from math import nan
from xml.etree import ElementTree

import pytest

from antiphon.report.levels import Course, Level, Scale, across, down, level_plot
from antiphon.report.series import of_published, of_runs

SCALE = Scale("speech over noise, dB", ("5", "0", "−5"), "score", 1.0, 5.0)
RUN, RIVAL = of_runs(["one", "two"])
(TOLD,) = of_published(["printed"], ["printed"])
COURSE = Course(RUN, (Level(5.0, 4.0, 5.0, 9), Level(None, n=0), Level(3.0, n=1)), 4.0)


def drawn(*courses: Course) -> ElementTree.Element:
    return ElementTree.fromstring(level_plot("White noise", SCALE, courses))


def of_class(picture: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [part for part in picture.iter() if part.get("class") == name]


def test_levels_stand_in_order_and_scores_between_the_scale_s_ends() -> None:
    # Three levels on 40..296: steps of 85.3, each level in the middle of its own.
    assert [across(SCALE, place) for place in range(3)] == [82.7, 168.0, 253.3]
    assert [down(SCALE, value) for value in (1.0, 3.0, 4.0, 5.0)] == [188.0, 116.0, 80.0, 44.0]


def test_a_level_without_a_value_is_a_gap_and_keeps_its_count() -> None:
    plot = drawn(COURSE)
    (group,) = [part for part in of_class(plot, "lead") if of_class(part, "clean")]
    marks = [(mark.get("d") or "").split("m")[0] for mark in of_class(group, "mark")]
    assert marks == ["M82.7 44.0", "M253.3 116.0"]
    assert of_class(group, "edge") == []  # the two scores are no neighbours
    (span,) = of_class(group, "range")
    assert (span.get("x1"), span.get("y1"), span.get("y2")) == ("82.7", "80.0", "44.0")
    texts = [text.text for text in plot.iter("text")]
    assert texts[texts.index("n") :] == ["n", "9", "0", "1", "4.00"]


def test_the_clean_score_is_a_line_across() -> None:
    (clean,) = of_class(drawn(COURSE), "clean")
    assert [clean.get(end) for end in ("x1", "x2", "y1", "y2")] == ["40", "296", "80.0", "80.0"]
    assert of_class(drawn(replace(COURSE, clean=None)), "clean") == []


def test_neighbours_are_joined_and_clean_labels_do_not_touch() -> None:
    flat = Course(RIVAL, tuple(Level(2.0, n=3) for _ in range(3)), 4.0)
    plot = drawn(COURSE, flat)
    (edge,) = of_class(plot, "edge")
    assert edge.get("d") == "M82.7 152.0L168.0 152.0M168.0 152.0L253.3 152.0"
    labels = [float(text.get("y") or 0) for text in plot.iter("text") if text.text == "4.00"]
    assert labels == [84.5, 100.5]


def test_a_published_score_is_one_mark_without_a_count() -> None:
    plot = drawn(COURSE, Course(TOLD, (Level(None), Level(None), Level(2.0)), 3.0))
    (group,) = of_class(plot, "told")
    assert group.get("data-series") == "0"
    assert len(of_class(group, "mark")) == 1
    assert plot.findtext("desc") == (
        "one: clean 4.00; speech over noise, dB: 5 5.00 (n 9), 0 missing (n 0), −5 3.00 (n 1). "
        "printed: clean 3.00; speech over noise, dB: −5 2.00"
    )


def test_what_the_scale_cannot_show_is_refused() -> None:
    for wrong in (nan, 0.5, 5.5):
        with pytest.raises(ValueError, match=re.escape("'one' lies outside 1..5")):
            drawn(replace(COURSE, clean=wrong))
    with pytest.raises(ValueError, match="one has 1 of 3 levels"):
        drawn(Course(RUN, (Level(1.0),)))
    with pytest.raises(ValueError, match="needs a level"):
        level_plot("t", replace(SCALE, levels=()), [])
    with pytest.raises(ValueError, match="scale upwards"):
        level_plot("t", replace(SCALE, best=1.0), [])
