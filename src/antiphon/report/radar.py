"""A radar of abilities as inline SVG, for one system or several."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import TYPE_CHECKING

from markupsafe import Markup

from antiphon.report.series import Series, checked, line, mark, of_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

RINGS = (25, 50, 75, 100)


@dataclass(frozen=True, slots=True)
class Axis:
    """One ability on a radar. `value`, `low` and `high` lie in 0..100, 100 is best; `under` is printed below
    the label and `note` below that. Without a value `under` says why, and the axis is drawn dotted."""

    label: str
    under: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outline:
    """Another system on the same axes: its values in the axes' order, None where it has none."""

    series: Series
    values: tuple[float | None, ...]


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


def radar(axes: Sequence[Axis], title: str, others: Sequence[Outline] = (), name: str = "") -> Markup:
    """Abilities on axes from 0 to 100, with intervals; twice, for wide and for narrow screens.

    An outline joins only neighbours that were both measured, so a missing ability leaves a gap and is
    never drawn as a zero. `others` stand below it, without intervals; `name` is the first system's own.
    Raises ValueError below three axes with a value (that is no shape), for a value that is not in 0..100,
    and for an outline with another number of axes.
    """
    _check(axes, others)
    columns = [(axis.value, *(other.values[at] for other in others)) for at, axis in enumerate(axes)]
    if sum(any(value is not None for value in column) for column in columns) < 3:
        raise ValueError("a radar needs three measured abilities; draw dots instead")
    told = "; ".join(f"{axis.label}: {axis.under}" for axis in axes)
    told = f"{name}: {told}" if name else told * any(axis.under for axis in axes)
    for other in others:
        if other.series.on:
            told += f". {other.series.name}: {_spelt(axes, other)}"
    large, small = (
        _radar(axes, others, frame, Markup("<title>{}</title><desc>{}</desc>").format(title, told))
        for frame in (_LARGE, _SMALL)
    )
    return large + small


def _check(axes: Sequence[Axis], others: Sequence[Outline]) -> None:
    for axis in axes:
        checked((axis.value, axis.low, axis.high), 0, 100, axis.label)
    for other in others:
        if len(other.values) != len(axes):
            raise ValueError(f"{other.series.name} has {len(other.values)} values for {len(axes)} axes")
        checked(other.values, 0, 100, other.series.name)


def _spelt(axes: Sequence[Axis], other: Outline) -> str:
    pairs = zip(axes, other.values, strict=True)
    return "; ".join(
        f"{axis.label} {'missing' if value is None else f'{value:.1f}'}" for axis, value in pairs
    )


def _radar(axes: Sequence[Axis], others: Sequence[Outline], frame: _Frame, told: Markup) -> Markup:
    turns = [index / len(axes) for index in range(len(axes))]
    (lead,) = of_runs([""])
    values = tuple(axis.value for axis in axes)
    parts = [_rings(turns, frame)]
    parts += [_spoke(axis, turn, frame) for axis, turn in zip(axes, turns, strict=True)]
    parts += [Markup('<path class="area" d="{}"/>').format(_area(values, turns, frame))]
    parts += [_outline(other.series, other.values, turns, frame) for other in others]
    parts += [_range(axis, turn, frame) for axis, turn in zip(axes, turns, strict=True)]
    parts += [_outline(lead, values, turns, frame)]
    parts += [_label(axis, turn, frame) for axis, turn in zip(axes, turns, strict=True)]
    return Markup('<svg class="radar {}" role="img" viewBox="0 0 {} {}">{}{}</svg>').format(
        "small" if frame.terse else "large", frame.width, frame.height, told, Markup().join(parts)
    )


def _rings(turns: Sequence[float], frame: _Frame) -> Markup:
    rings = Markup()
    for ring in RINGS:
        points = " ".join(f"{x},{y}" for x, y in (frame.at(turn, ring / 100) for turn in turns))
        rings += Markup('<polygon class="grid" points="{}"/>').format(points)
    return rings


def _spoke(axis: Axis, turn: float, frame: _Frame) -> Markup:
    (x1, y1), (x2, y2) = frame.at(turn, 0), frame.at(turn, 1)
    kind = "gone" if axis.value is None and axis.under else "grid"
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(kind, x1, y1, x2, y2)


def _sides(
    values: Sequence[float | None], turns: Sequence[float], frame: _Frame
) -> list[tuple[float, float, float, float]]:
    """The sides between neighbours that both have a value."""
    found: list[tuple[float, float, float, float]] = []
    for index, value in enumerate(values):
        after = (index + 1) % len(values)
        if value is not None and (beside := values[after]) is not None:
            found.append((*frame.at(turns[index], value / 100), *frame.at(turns[after], beside / 100)))
    return found


def _area(values: Sequence[float | None], turns: Sequence[float], frame: _Frame) -> str:
    cx, cy = frame.at(0, 0)
    return "".join(f"M{cx} {cy}L{x1} {y1}L{x2} {y2}Z" for x1, y1, x2, y2 in _sides(values, turns, frame))


def _outline(series: Series, values: Sequence[float | None], turns: Sequence[float], frame: _Frame) -> Markup:
    path = "".join(f"M{x1} {y1}L{x2} {y2}" for x1, y1, x2, y2 in _sides(values, turns, frame))
    drawn = line(path, series.dash)
    for value, turn in zip(values, turns, strict=True):
        if value is not None:
            drawn += mark(series.shape, *frame.at(turn, value / 100), size=series.size)
    return series.wrap(drawn)


def _range(axis: Axis, turn: float, frame: _Frame) -> Markup:
    if axis.low is None or axis.high is None:
        return Markup()
    (x1, y1), (x2, y2) = frame.at(turn, axis.low / 100), frame.at(turn, axis.high / 100)
    return Markup('<line class="range" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(x1, y1, x2, y2)


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
