"""Two sides of a conversation in time: who speaks when, one lane each, on one axis; inline SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from markupsafe import Markup

from antiphon.report.plots import nice_top

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HIGH, GAP = 440, 12, 6
_TOP, _LEFT = 4, 60


@dataclass(frozen=True, slots=True)
class Lane:
    """One side: its name and where it speaks, in seconds."""

    side: Literal["person", "agent"]
    label: str
    spans: Sequence[tuple[float, float]]


def lanes(sides: Sequence[Lane], length_s: float, moment: tuple[float, float] | None = None) -> Markup:
    """The sides below each other from 0 to `length_s`; `moment` is shaded behind them: what the item is about.

    Raises ValueError for a length that is not positive.
    """
    if length_s <= 0:
        raise ValueError(f"lanes need a length, not {length_s} s")
    top = nice_top(length_s)
    floor = _TOP + len(sides) * (HIGH + GAP)
    shade = Markup() if moment is None else _box("moment", moment, length_s, 0, floor)
    drawn = Markup().join(_lane(side, length_s, _TOP + at * (HIGH + GAP)) for at, side in enumerate(sides))
    ticks = Markup().join(
        _tick(at, length_s, floor) for at in (top * share for share in (0.0, 0.5, 1.0)) if at <= length_s
    )
    return Markup('<svg class="lanes" role="img" viewBox="0 0 {} {}"><title>{}</title>{}{}{}</svg>').format(
        WIDTH, floor + 18, _told(sides, moment), shade, ticks, drawn
    )


def _across(at_s: float, length_s: float) -> float:
    return round(_LEFT + (WIDTH - _LEFT - 8) * min(at_s, length_s) / length_s, 1)


def _box(kind: str, span: tuple[float, float], length_s: float, y: float, high: float) -> Markup:
    left, right = (_across(at, length_s) for at in span)
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>').format(
        kind, left, y, max(1.0, round(right - left, 1)), high
    )


def _lane(lane: Lane, length_s: float, y: float) -> Markup:
    boxes = Markup().join(_box(lane.side, span, length_s, y, HIGH) for span in lane.spans)
    return Markup('<text class="mute" x="0" y="{}">{}</text>{}').format(y + HIGH - 2, lane.label, boxes)


def _tick(at_s: float, length_s: float, floor: float) -> Markup:
    x = _across(at_s, length_s)
    return Markup(
        '<line class="grid" x1="{}" x2="{}" y1="0" y2="{}"/><text class="mute" x="{}" y="{}" text-anchor="{}">{:g} s</text>'
    ).format(x, x, floor, x, floor + 14, "start" if at_s == 0 else "middle", at_s)


def _told(sides: Sequence[Lane], moment: tuple[float, float] | None) -> str:
    parts = [
        f"{side.label}: {', '.join(f'{a:.1f}–{b:.1f} s' for a, b in side.spans) or 'silent'}"
        for side in sides
    ]
    if moment is not None:
        parts.append(f"the item's moment: {moment[0]:.1f}–{moment[1]:.1f} s")
    return "; ".join(parts)
