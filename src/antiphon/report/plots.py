"""Dots with their intervals as inline SVG."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ROW = 24


@dataclass(frozen=True, slots=True)
class Dot:
    """One row of a dot plot. Without a value, `words` stands in its place; `strong` marks the overall row."""

    label: str
    words: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    strong: bool = False


def nice_top(largest: float) -> float:
    """The end of an axis that starts at 0: the next of 1, 2, 2.5, 5 or 10 times a power of ten."""
    if largest <= 0:
        return 1.0
    power = 10.0 ** floor(log10(largest))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= largest * (1 - 1e-9))


def dot_plot(dots: Sequence[Dot], *, title: str, top: float, digits: int) -> Markup:
    """Values with intervals on an axis from 0 to `top`, one row each, the value printed at its right.

    `title` names the quantity and its unit. Raises ValueError for a value beyond the axis.
    """
    end = top * (1 + 1e-9)  # as `nice_top`: a mean of equal values may lie a rounding above them
    if any(dot.value is not None and not 0 <= dot.value <= end for dot in dots):
        raise ValueError(f"values of {title!r} lie outside 0..{top}")
    left, right = 148.0, 290.0
    height = 28 + _ROW * len(dots) + 24

    def across(value: float) -> float:
        return round(left + (right - left) * min(max(value, 0.0), top) / top, 1)

    floor_y = 28 + _ROW * len(dots)
    ticks = Markup().join(_tick(top * share, across(top * share), floor_y) for share in (0, 0.5, 1))
    rows = Markup().join(_dot(dot, 28 + _ROW * index + 12, across, digits) for index, dot in enumerate(dots))
    return Markup(
        '<svg role="img" viewBox="0 0 344 {}"><title>{}</title><text class="strong" y="14">{}</text>{}{}</svg>'
    ).format(height, title, title, ticks, rows)


def _tick(value: float, x: float, floor_y: float) -> Markup:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return Markup(
        '<line class="grid" x1="{}" x2="{}" y1="28" y2="{}"/>'
        '<text class="mute" x="{}" y="{}" text-anchor="middle">{}</text>'
    ).format(x, x, floor_y, x, floor_y + 18, text)


def _dot(dot: Dot, y: float, across: Callable[[float], float], digits: int) -> Markup:
    kind = "strong" if dot.strong else "" if dot.value is not None else "mute"
    shown = dot.label if len(dot.label) <= 21 else f"{dot.label[:20]}…"
    row = Markup('<text x="136" y="{}" text-anchor="end" class="{}">{}</text>').format(y + 4.5, kind, shown)
    if dot.value is None:
        return row + Markup('<text x="156" y="{}" class="mute">{}</text>').format(y + 4.5, dot.words)
    if dot.low is not None and dot.high is not None:
        row += Markup('<line class="range" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
            across(dot.low), across(dot.high), y, y
        )
    x = across(dot.value)
    if dot.strong:
        row += Markup('<path class="dot" d="M{} {}l6 6l-6 6l-6 -6z"/>').format(x, y - 6)
    else:
        row += Markup('<circle class="dot" cx="{}" cy="{}" r="4.5"/>').format(x, y)
    return row + Markup('<text x="344" y="{}" text-anchor="end" class="{}">{}</text>').format(
        y + 4.5, kind, f"{dot.value:.{digits}f}"
    )
