"""What a set consists of, as a ring with labelled counts beside it: one ring, or one inside the other."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 240
_MIDDLE = SIZE / 2
_RINGS = ((68.0, 92.0), (94.0, 118.0))
_NUMBERED = 16.0  # an arc shorter than this holds no number


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the whole: how many, and the parts it consists of itself, where they are known."""

    label: str
    count: int
    parts: tuple[Part, ...] = ()


def donut(parts: Sequence[Part], title: str, unit: str) -> Markup:
    """A ring of the parts, clockwise from the top in the given order, and a list of their counts.

    Parts of parts make an outer ring. Numbers in the ring lead to the list, which reads without it.
    Raises ValueError without any count, for a negative one, and where inner parts do not sum to theirs.
    """
    total = sum(part.count for part in parts)
    if total <= 0 or any(part.count < 0 for part in parts):
        raise ValueError(f"{title!r} has nothing to show: counts are {[part.count for part in parts]}")
    for part in parts:
        if part.parts and sum(inner.count for inner in part.parts) != part.count:
            raise ValueError(f"the parts of {part.label!r} do not sum to its {part.count}")
    present = [part for part in parts if part.count]
    deep = any(part.parts for part in present)
    ring = Markup()
    at = 0
    for number, part in enumerate(present, start=1):
        ring += _arc(
            part, (at / total, part.count / total), _room(part, deep), number, _tone(number, len(present))
        )
        inner_at = at
        for inner in part.parts:
            if inner.count:
                ring += _arc(
                    inner, (inner_at / total, inner.count / total), _RINGS[1], 0, 0, within=part.label
                )
            inner_at += inner.count
        at += part.count
    rows = Markup().join(_row(number, part, total) for number, part in enumerate(present, start=1))
    return Markup(
        '<div class="donut"><svg role="img" viewBox="0 0 {} {}"><title>{}</title><desc>{}</desc>{}'
        '<text class="whole strong" x="{}" y="{}" text-anchor="middle">{:,}</text>'
        '<text class="mute" x="{}" y="{}" text-anchor="middle">{}</text></svg><ol>{}</ol></div>'
    ).format(
        SIZE, SIZE, title, f"{total:,} {unit}, listed beside the ring", ring,
        _MIDDLE, _MIDDLE + 2, total, _MIDDLE, _MIDDLE + 20, unit, rows,
    )  # fmt: skip


def _tone(number: int, many: int) -> int:
    """Neighbours differ in tone; the last one also from the first, which follows it in the ring."""
    return 2 if number == many > 1 and number % 3 == 1 else number % 3


def _room(part: Part, deep: bool) -> tuple[float, float]:
    """A part's own ring: the inner one where its parts lie outside it, both where others have parts."""
    if not deep:
        return _RINGS[1]
    return _RINGS[0] if part.parts else (_RINGS[0][0], _RINGS[1][1])


def point(turn: float, radius: float) -> tuple[float, float]:
    """A point of the ring: `turn` in 0..1 clockwise from the top."""
    return (
        round(_MIDDLE + sin(2 * pi * turn) * radius, 2),
        round(_MIDDLE - cos(2 * pi * turn) * radius, 2),
    )


def _arc(
    part: Part, span: tuple[float, float], ring: tuple[float, float], number: int, tone: int, within: str = ""
) -> Markup:
    (start, share), (inner, outer) = span, ring
    kind = "outer" if within else f"arc tone{tone}"
    name = f"{within}, {part.label}: {part.count:,}" if within else f"{part.label}: {part.count:,}"
    drawn = Markup('<path class="{}" d="{}"><title>{}</title></path>').format(
        kind, _path(start, share, inner, outer), name
    )
    middle = (inner + outer) / 2
    if number and share * 2 * pi * middle >= _NUMBERED:
        x, y = point(start + share / 2, middle)
        drawn += Markup('<text class="number tone{}" x="{}" y="{}" text-anchor="middle">{}</text>').format(
            tone, x, round(y + 4.5, 2), number
        )
    return drawn


def _path(start: float, share: float, inner: float, outer: float) -> str:
    """A piece of a ring; the whole ring is two halves, since an arc that ends where it starts is none."""
    if share > 1 - 1e-9:
        return _path(0.0, 0.5, inner, outer) + _path(0.5, 0.5, inner, outer)
    (x1, y1), (x2, y2) = point(start, outer), point(start + share, outer)
    (x3, y3), (x4, y4) = point(start + share, inner), point(start, inner)
    large = int(share > 0.5)
    return (
        f"M{x1} {y1}A{outer} {outer} 0 {large} 1 {x2} {y2}L{x3} {y3}A{inner} {inner} 0 {large} 0 {x4} {y4}Z"
    )


def _row(number: int, part: Part, total: int) -> Markup:
    inner = [one for one in part.parts if one.count]
    told = Markup("<small>{}</small>").format(", ".join(f"{one.label} {one.count:,}" for one in inner))
    return Markup(
        '<li><i class="swatch">{}</i><span>{}</span><b>{:,}</b><span class="share">{:.1f} %</span>{}</li>'
    ).format(number, part.label, part.count, part.count / total * 100, told if inner else Markup(""))
