from __future__ import annotations

from math import inf, nan

import pytest

from antiphon.report.series import checked, key, legend, line, mark, of_published, of_runs


def test_no_two_systems_of_a_picture_look_the_same() -> None:
    looks = [
        (one.look, one.shape, one.dash) for one in (*of_runs("abcd"), *of_published(list("abcdefghijklmno")))
    ]
    assert len(set(looks)) == len(looks) == 19
    assert [(one.look, one.size) for one in of_runs("abc")] == [("lead", 4.5), ("rival", 6.0), ("rival", 6.0)]


def test_a_mark_is_drawn_around_its_point() -> None:
    assert mark("circle", 10, 20) == (
        '<path class="mark" d="M10 20m-4.5 0a4.5 4.5 0 1 0 9.0 0a4.5 4.5 0 1 0 -9.0 0Z"/>'
    )
    assert mark("square", 10, 20, size=2) == '<path class="mark" d="M10 20m-1.7 -1.7h3.4v3.4h-3.4Z"/>'


def test_a_line_without_a_path_is_nothing() -> None:
    assert line("", "1 2") == ""
    assert line("M0 0L1 1", "") == '<path class="edge" d="M0 0L1 1"/>'


def test_published_systems_have_a_switch_and_runs_have_none() -> None:
    run, told = of_runs(["<mine>"])[0], of_published(["theirs"])[0]
    html = legend([run, told], "note")
    assert f"<li>{key(run)}&lt;mine&gt;</li>" in html
    assert f'<input type="checkbox" data-switch="0">{key(told)}<i>theirs</i>' in html
    assert html.endswith('<p class="note">note</p>')


@pytest.mark.parametrize("value", [nan, inf, -0.1, 5.1])
def test_a_value_that_no_picture_can_show_is_refused(value: float) -> None:
    checked([0.0, 5.0, None], 0, 5, "score")
    with pytest.raises(ValueError, match="lies outside"):
        checked([value], 0, 5, "score")
