from __future__ import annotations

import re

import pytest

from antiphon.report.lanes import Lane, lanes


def test_spans_lie_where_they_sound_and_the_moment_behind_them():
    drawn = lanes(
        [Lane("person", "person", [(0.0, 5.0)]), Lane("agent", "agent", [(5.0, 10.0)])], 10.0, (4.0, 6.0)
    )
    boxes = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="(\d+)" width="([\d.]+)"', drawn)
    assert boxes == [
        ("moment", "208.8", "0", "74.4"), ("person", "60.0", "4", "186.0"), ("agent", "246.0", "22", "186.0"),
    ]  # fmt: skip
    assert "<title>person: 0.0–5.0 s; agent: 5.0–10.0 s; the item&#39;s moment: 4.0–6.0 s</title>" in drawn


def test_who_is_silent_is_said_to_be_and_a_label_is_no_markup():
    drawn = lanes([Lane("agent", "<b>", ())], 2.0)
    assert "&lt;b&gt;: silent" in drawn
    assert "<rect" not in drawn


def test_lanes_without_a_length_cannot_be_drawn():
    with pytest.raises(ValueError, match="lanes need a length, not 0"):
        lanes([], 0.0)
