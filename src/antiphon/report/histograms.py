"""How values are spread, one small histogram a row on a common axis; inline SVG."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING

from markupsafe import Markup

from antiphon.report.plots import nice_top

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, LEFT, RIGHT = 440, 168, 340
BINS = 32
_ROW, _HIGH = 44, 26


@dataclass(frozen=True, slots=True)
class Spread:
    """One row: its name, what stands under it, and its values. A `hollow` row is drawn as an outline.

    Without values, `words` stands in their place.
    """

    label: str
    under: str
    values: tuple[float, ...]
    hollow: bool = False
    words: str = ""


def histograms(rows: Sequence[Spread], title: str) -> Markup:
    """Each row's values in 32 equal bins from 0 to a round end, its highest bin full; median and n beside.

    Raises ValueError without a value at all, and for one that is negative or not finite.
    """
    values = [value for row in rows for value in row.values]
    if not values:
        raise ValueError(f"{title!r} has no values")
    if wrong := [value for value in values if not isfinite(value) or value < 0]:
        raise ValueError(f"{wrong[0]} is no value of {title!r}")
    top = nice_top(max(values))
    floor = 28 + _ROW * len(rows)
    ticks = Markup().join(_tick(top * share, _across(top * share, top), floor) for share in (0, 0.5, 1))
    drawn = Markup().join(_row(row, 28 + _ROW * at, top) for at, row in enumerate(rows))
    return Markup(
        '<svg class="histograms" role="img" viewBox="0 0 {} {}"><title>{}</title><desc>{}</desc>'
        '<text class="strong" y="14">{}</text>{}{}</svg>'
    ).format(WIDTH, floor + 24, title, "; ".join(map(_told, rows)), title, ticks, drawn)


def counts(values: Sequence[float], top: float) -> list[int]:
    """How many values lie in each of the equal bins from 0 to `top`; `top` itself is in the last."""
    found = [0] * BINS
    for value in values:
        found[min(BINS - 1, int(value / top * BINS))] += 1
    return found


def _across(value: float, top: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * value / top, 1)


def _tick(value: float, x: float, floor: float) -> Markup:
    return Markup(
        '<line class="grid" x1="{}" x2="{}" y1="28" y2="{}"/>'
        '<text class="mute" x="{}" y="{}" text-anchor="middle">{:g}</text>'
    ).format(x, x, floor, x, floor + 18, value)


def _row(row: Spread, y: float, top: float) -> Markup:
    floor = y + 8 + _HIGH
    drawn = Markup(
        '<text x="156" y="{}" text-anchor="end">{}</text>'
        '<text class="mute" x="156" y="{}" text-anchor="end">{}</text>'
    ).format(floor - 14, row.label, floor + 2, row.under)
    if not row.values:
        return drawn + Markup('<text class="mute" x="{}" y="{}">{}</text>').format(
            LEFT + 8, floor - 4, row.words
        )
    middle = median(row.values)
    x = _across(middle, top)
    return drawn + Markup(
        '<path class="bars{}" d="{}"/><path class="median" d="M{} {}v{}"/>'
        '<text x="{}" y="{}">{}</text><text class="mute" x="{}" y="{}">n {:,}</text>'
    ).format(
        " hollow" if row.hollow else "", _bars(row.values, top, floor), x, floor - _HIGH - 3, _HIGH + 6,
        RIGHT + 12, floor - 14, f"{middle:.2f}", RIGHT + 12, floor + 2, len(row.values),
    )  # fmt: skip


def _bars(values: Sequence[float], top: float, floor: float) -> str:
    """The outline of the bins, one closed path for each group of neighbours that hold something."""
    found = counts(values, top)
    fullest = max(found)
    step = (RIGHT - LEFT) / BINS
    path, inside = "", False
    for at, many in enumerate([*found, 0]):
        x = round(LEFT + step * at, 1)
        if many and not inside:
            path += f"M{x} {floor}"
        if many:
            path += f"V{round(floor - _HIGH * many / fullest, 1)}H{round(LEFT + step * (at + 1), 1)}"
        elif inside:
            path += f"V{floor}Z"
        inside = many > 0
    return path


def _told(row: Spread) -> str:
    name = f"{row.label}, {row.under}" if row.under else row.label
    if not row.values:
        return f"{name}: {row.words}"
    ends = f"{min(row.values):.2f} to {max(row.values):.2f}"
    return f"{name}: median {median(row.values):.2f}, {ends}, n {len(row.values)}"
