"""Pictures as inline SVG: a radar of abilities, and dots with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, floor, log10, pi, sin
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RINGS = (25, 50, 75, 100)
_ROW = 24


@dataclass(frozen=True, slots=True)
class Axis:
    """One ability on a radar. `value`, `low` and `high` lie in 0..100, 100 is best; `under` is printed below
    the label and `note` below that. Without a value the axis is drawn grey, and `under` says why."""

    label: str
    under: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """One row of a dot plot. Without a value, `words` stands in its place; `strong` marks the overall row."""

    label: str
    words: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a radar is drawn: the size of the picture, its radius, letters per label line; a terse one
    labels an axis with its name and value only."""

    width: int
    height: int
    radius: int
    letters: int
    terse: bool = False

    def at(self, turn: float, share: float) -> tuple[float, float]:
        """The point on an axis: `turn` in 0..1 clockwise from the top, `share` of the radius."""
        x = self.width / 2 + sin(2 * pi * turn) * self.radius * share
        y = self.height / 2 - cos(2 * pi * turn) * self.radius * share
        return round(x, 1), round(y, 1)


_LARGE = _Frame(600, 480, 168, 24)
_SMALL = _Frame(344, 328, 88, 11, terse=True)


def radar(axes: Sequence[Axis], title: str) -> Markup:
    """Abilities on axes from 0 to 100, with intervals; twice, for wide and for narrow screens.

    The outline joins only neighbours that were both measured, so a missing ability leaves a gap and is
    never drawn as a zero. Raises ValueError below three measured axes: that is no shape.
    """
    if sum(axis.value is not None for axis in axes) < 3:
        raise ValueError("a radar needs three measured abilities; draw dots instead")
    told = "; ".join(f"{axis.label}: {axis.under}" for axis in axes)
    large, small = (
        _radar(axes, frame, Markup("<title>{}</title><desc>{}</desc>").format(title, told), name)
        for frame, name in ((_LARGE, "large"), (_SMALL, "small"))
    )
    return large + small


def _radar(axes: Sequence[Axis], frame: _Frame, told: Markup, name: str) -> Markup:
    turns = [index / len(axes) for index in range(len(axes))]
    parts = [_rings(turns, frame)]
    parts += [_spoke(axis, turn, frame) for axis, turn in zip(axes, turns, strict=True)]
    parts += _outline(axes, turns, frame)
    parts += [_marks(axis, turn, frame) for axis, turn in zip(axes, turns, strict=True)]
    parts += [_label(axis, turn, frame) for axis, turn in zip(axes, turns, strict=True)]
    return Markup('<svg class="radar {}" role="img" viewBox="0 0 {} {}">{}{}</svg>').format(
        name, frame.width, frame.height, told, Markup().join(parts)
    )


def _rings(turns: Sequence[float], frame: _Frame) -> Markup:
    rings = Markup()
    for ring in RINGS:
        points = " ".join(f"{x},{y}" for x, y in (frame.at(turn, ring / 100) for turn in turns))
        rings += Markup('<polygon class="grid" points="{}"/>').format(points)
    return rings


def _spoke(axis: Axis, turn: float, frame: _Frame) -> Markup:
    (x1, y1), (x2, y2) = frame.at(turn, 0), frame.at(turn, 1)
    kind = "gone" if axis.value is None else "grid"
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(kind, x1, y1, x2, y2)


def _outline(axes: Sequence[Axis], turns: Sequence[float], frame: _Frame) -> list[Markup]:
    areas, edges = Markup(), Markup()
    (cx, cy) = frame.at(0, 0)
    for index, axis in enumerate(axes):
        after = (index + 1) % len(axes)
        if axis.value is None or (beside := axes[after].value) is None:
            continue
        (x1, y1), (x2, y2) = frame.at(turns[index], axis.value / 100), frame.at(turns[after], beside / 100)
        areas += Markup("M{} {}L{} {}L{} {}Z").format(cx, cy, x1, y1, x2, y2)
        edges += Markup("M{} {}L{} {}").format(x1, y1, x2, y2)
    return [Markup('<path class="area" d="{}"/><path class="edge" d="{}"/>').format(areas, edges)]


def _marks(axis: Axis, turn: float, frame: _Frame) -> Markup:
    if axis.value is None:
        return Markup()
    mark = Markup()
    if axis.low is not None and axis.high is not None:
        (x1, y1), (x2, y2) = frame.at(turn, axis.low / 100), frame.at(turn, axis.high / 100)
        mark += Markup('<line class="range" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(x1, y1, x2, y2)
    x, y = frame.at(turn, axis.value / 100)
    return mark + Markup('<circle class="dot" cx="{}" cy="{}" r="4.5"/>').format(x, y)


def _label(axis: Axis, turn: float, frame: _Frame) -> Markup:
    x, y = frame.at(turn, 1 + 14 / frame.radius)
    lean = sin(2 * pi * turn)
    anchor = "middle" if abs(lean) < 0.2 else "start" if lean > 0 else "end"
    under = [axis.under, axis.note]
    if frame.terse:
        under = [axis.under.partition(" · ")[0]] if axis.value is not None else []
    lines = [(line, "" if axis.value is not None else "mute") for line in _broken(axis.label, frame.letters)]
    lines += [(line, "mute") for text in under for line in _broken(text, frame.letters)]
    # A label hangs below its point at the bottom, stands on it at the top, and is centred at the sides.
    top = y + 4 - (len(lines) - 1) * 16 * (1 + cos(2 * pi * turn)) / 2
    spans = Markup().join(
        Markup('<tspan x="{}" y="{}" class="{}">{}</tspan>').format(x, round(top + 16 * index, 1), kind, line)
        for index, (line, kind) in enumerate(lines)
    )
    return Markup('<text text-anchor="{}">{}</text>').format(anchor, spans)


def _broken(text: str, letters: int) -> list[str]:
    lines: list[str] = []
    for word in text.split(" ") if text else []:
        if lines and len(lines[-1]) + 1 + len(word) <= letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


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
