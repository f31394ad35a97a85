"""How the systems of one picture are told apart: by shape, dash and fill, never by colour alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Literal

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

Shape = Literal["circle", "square", "triangle", "diamond", "cross"]
Origin = Literal["run", "published"]

_SHAPES: dict[Shape, str] = {
    "circle": "M{x} {y}m-{r} 0a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z",
    "square": "M{x} {y}m-{s} -{s}h{w}v{w}h-{w}Z",
    "triangle": "M{x} {y}m0 -{t}l{t} {h}h-{u}Z",
    "diamond": "M{x} {y}m0 -{t}l{t} {t}l-{t} {t}l-{t} -{t}Z",
    "cross": "M{x} {y}m-{s} -{s}l{w} {w}m0 -{w}l-{w} {w}",
}
_RUNS: tuple[tuple[Shape, str], ...] = (
    ("circle", ""), ("square", "7 3"), ("diamond", "2 3"), ("triangle", "10 3 2 3"), ("cross", "1 4"),
)  # fmt: skip
_DASHES = ("6 3", "2 2", "9 3 2 3", "1 4")


@dataclass(frozen=True, slots=True)
class Series:
    """One system of a picture. A published one has a `switch`, which the page's script listens to."""

    name: str
    origin: Origin
    shape: Shape
    dash: str
    switch: int | None = None
    on: bool = True

    @property
    def look(self) -> str:
        """The class that colours it: the first run leads, further ones are ink, published ones hollow."""
        return "told" if self.origin == "published" else "lead" if not self.dash else "rival"

    @property
    def size(self) -> float:
        """Of its marks: further runs lie below the first and look out from under it where both are equal."""
        return 6.0 if self.look == "rival" else 4.5

    def wrap(self, drawn: Markup) -> Markup:
        """What is drawn of this system as one group, which its switch shows and hides."""
        where = Markup(' data-series="{}"').format(self.switch) if self.switch is not None else Markup()
        hide = Markup("") if self.on else Markup(' style="display:none"')
        return Markup('<g class="{}"{}{}>{}</g>').format(self.look, where, hide, drawn)


def of_runs(names: Sequence[str]) -> tuple[Series, ...]:
    """Measured runs in order: the first solid, every further one with its own shape and dash."""
    found: list[Series] = []
    for number, name in enumerate(names):
        shape, dash = _RUNS[number % len(_RUNS)]
        found.append(Series(name, "run", shape, dash))
    return tuple(found)


def of_published(names: Sequence[str], shown: Collection[str] = ()) -> tuple[Series, ...]:
    """Published systems: hollow marks; no two of twenty have the same shape and dash."""
    shapes = tuple(_SHAPES)
    return tuple(
        Series(
            name, "published", shapes[number % len(shapes)], _DASHES[number // len(shapes) % len(_DASHES)],
            number, name in shown,
        )
        for number, name in enumerate(names)
    )  # fmt: skip


def mark(shape: Shape, x: float, y: float, *, size: float = 4.5) -> Markup:
    """A series' mark around a point."""
    s, t = round(size * 0.85, 2), round(size * 1.2, 2)
    lengths = {"r": size, "d": 2 * size, "s": s, "w": 2 * s, "t": t, "u": 2 * t, "h": round(t * 1.8, 2)}
    return Markup('<path class="mark" d="{}"/>').format(_SHAPES[shape].format(x=x, y=y, **lengths))


def line(path: str, dash: str) -> Markup:
    """A series' line along a path; "" where the path is empty."""
    if not path:
        return Markup("")
    dashed = Markup(' stroke-dasharray="{}"').format(dash) if dash else Markup("")
    return Markup('<path class="edge" d="{}"{}/>').format(path, dashed)


def key(one: Series) -> Markup:
    """The small picture that stands beside a name in a legend."""
    drawn = line("M1 8H31", one.dash) + mark(one.shape, 16, 8)
    return Markup(
        '<svg class="key" width="32" height="16" viewBox="0 0 32 16" aria-hidden="true"><g class="{}">{}</g></svg>'
    ).format(one.look, drawn)


def legend(series: Sequence[Series], note: str = "") -> Markup:
    """Names beside their marks; each published system has a box that shows it in every picture of the page."""
    parts = Markup().join(_entry(one) for one in series)
    told = Markup('<p class="note">{}</p>').format(note) if note else Markup()
    return Markup('<ul class="series">{}</ul>{}').format(parts, told)


def _entry(one: Series) -> Markup:
    if one.switch is None:
        return Markup("<li>{}{}</li>").format(key(one), one.name)
    return Markup('<li><label><input type="checkbox" data-switch="{}"{}>{}<i>{}</i></label></li>').format(
        one.switch, Markup(" checked") if one.on else "", key(one), one.name
    )


def checked(values: Sequence[float | None], low: float, high: float, what: str) -> None:
    """Raises ValueError for a number that no picture from `low` to `high` can show: NaN, or one beyond it."""
    room = 1e-9 * max(1.0, abs(high))
    for value in values:
        if value is not None and not (isfinite(value) and low - room <= value <= high + room):
            raise ValueError(f"{value} of {what!r} lies outside {low:g}..{high:g}")
