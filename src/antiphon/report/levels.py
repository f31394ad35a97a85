"""A score from level to level of one strain, easy to hard, with the clean score dotted; inline SVG."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING

from markupsafe import Markup

from antiphon.report.series import Series, checked, line, mark

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, LEFT, RIGHT, TOP, FLOOR = 344, 40, 296, 44, 188


@dataclass(frozen=True, slots=True)
class Level:
    """One system's score at one level: None, or a value with its interval; `n` rows are behind it.

    Published values come without n.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Course:
    """One system over all levels, in the plot's order, and its score without the strain."""

    series: Series
    levels: tuple[Level, ...]
    clean: float | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """The axes: what x is, its levels in words from easy to hard, what y is, and y's two ends."""

    strain: str
    levels: tuple[str, ...]
    score: str
    worst: float
    best: float


def across(scale: Scale, place: int) -> float:
    """Where a level stands, in the picture's own pixels."""
    step = (RIGHT - LEFT) / len(scale.levels)
    return round(LEFT + step * (place + 0.5), 1)


def down(scale: Scale, value: float) -> float:
    """How far down a score stands, in the picture's own pixels."""
    return round(FLOOR - (value - scale.worst) / (scale.best - scale.worst) * (FLOOR - TOP), 1)


def level_plot(title: str, scale: Scale, courses: Sequence[Course]) -> Markup:
    """Scores of systems at each level, with intervals, n below, and a dotted line at each clean score.

    Neighbouring levels are joined; one without a value leaves a gap. Raises ValueError for a value beyond
    the scale, for a course with another number of levels, and for a scale without room.
    """
    if not scale.levels or not isfinite(scale.best - scale.worst) or scale.best <= scale.worst:
        raise ValueError(f"{title!r} needs a level and a scale upwards, not {scale}")
    for one in courses:
        if len(one.levels) != len(scale.levels):
            raise ValueError(f"{one.series.name} has {len(one.levels)} of {len(scale.levels)} levels")
        ends = [end for level in one.levels for end in (level.value, level.low, level.high)]
        checked((*ends, one.clean), scale.worst, scale.best, one.series.name)
    counted = [one for one in courses if one.series.origin == "run"]
    height = FLOOR + 44 + 16 * (len(counted) + 1)
    parts = [_frame(scale), *(_counts(one, scale, row) for row, one in enumerate(counted))]
    parts += [one.series.wrap(_course(one, scale)) for one in reversed(courses)]
    parts += _clean_labels(counted, scale)
    return Markup(
        '<svg class="levels" role="img" viewBox="0 0 {} {}"><title>{}</title><desc>{}</desc>'
        '<text class="strong" y="14">{}</text><text class="mute" y="32">{}</text>{}</svg>'
    ).format(WIDTH, height, title, _told(scale, courses), title, scale.score, Markup().join(parts))


def _frame(scale: Scale) -> Markup:
    drawn = Markup()
    for share in (0, 0.25, 0.5, 0.75, 1):
        value = scale.worst + share * (scale.best - scale.worst)
        y = down(scale, value)
        drawn += Markup(
            '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>'
            '<text class="mute" x="{}" y="{}" text-anchor="end">{:g}</text>'
        ).format(LEFT, RIGHT, y, y, LEFT - 8, y + 4.5, value)
    for place, level in enumerate(scale.levels):
        drawn += Markup('<text class="mute" x="{}" y="{}" text-anchor="middle">{}</text>').format(
            across(scale, place), FLOOR + 20, level
        )
    middle = (LEFT + RIGHT) / 2
    return drawn + Markup('<text class="mute" x="{}" y="{}" text-anchor="middle">{}</text>').format(
        middle, FLOOR + 38, scale.strain
    )


def _counts(one: Course, scale: Scale, row: int) -> Markup:
    y = FLOOR + 58 + 16 * row
    drawn = mark(one.series.shape, 8, y - 4.5, size=3.5)
    drawn = Markup('<g class="{}">{}</g><text class="mute" x="18" y="{}">n</text>').format(
        one.series.look, drawn, y
    )
    for place, level in enumerate(one.levels):
        drawn += Markup('<text class="mute" x="{}" y="{}" text-anchor="middle">{}</text>').format(
            across(scale, place), y, "–" if level.n is None else level.n
        )
    return drawn


def _course(one: Course, scale: Scale) -> Markup:
    drawn = Markup()
    if one.clean is not None:
        y = down(scale, one.clean)
        drawn += Markup('<line class="clean" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(LEFT, RIGHT, y, y)
    points = [
        None if level.value is None else (across(scale, place), down(scale, level.value))
        for place, level in enumerate(one.levels)
    ]
    path = "".join(f"M{a[0]} {a[1]}L{b[0]} {b[1]}" for a, b in pairwise(points) if a and b)
    drawn += line(path, one.series.dash)
    for level, point in zip(one.levels, points, strict=True):
        if point is None:
            continue
        if level.low is not None and level.high is not None:
            drawn += Markup('<line class="range" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
                point[0], point[0], down(scale, level.low), down(scale, level.high)
            )
        drawn += mark(one.series.shape, *point, size=one.series.size)
    return drawn


def _clean_labels(courses: Sequence[Course], scale: Scale) -> list[Markup]:
    """Each run's clean score at the end of its dotted line, moved apart where two would touch."""
    found: list[Markup] = []
    free = 0.0
    known = [(one, one.clean) for one in courses if one.clean is not None]
    for one, clean in sorted(known, key=lambda pair: -pair[1]):
        y = max(down(scale, clean) + 4.5, free)
        free = y + 16
        found.append(
            Markup('<g class="{}">{}</g><text class="mute" x="{}" y="{}">{:.2f}</text>').format(
                one.series.look, mark(one.series.shape, RIGHT + 10, y - 4.5, size=3.5), RIGHT + 18, y, clean
            )
        )
    return found


def _told(scale: Scale, courses: Sequence[Course]) -> str:
    parts: list[str] = []
    for one in courses:
        if not one.series.on:
            continue
        values = [
            f"{word} {'missing' if level.value is None else f'{level.value:.2f}'}"
            + ("" if level.n is None else f" (n {level.n})")
            for word, level in zip(scale.levels, one.levels, strict=True)
            if level.value is not None or one.series.origin == "run"
        ]
        clean = "clean missing" if one.clean is None else f"clean {one.clean:.2f}"
        parts.append(f"{one.series.name}: {clean}; {scale.strain}: {', '.join(values)}")
    return ". ".join(parts)
