"""Latency as a strip of stages: what came when, from the request to the end of the reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Filling = Literal["wait", "text", "speech"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A named moment of a reply in seconds from the request, and what fills the time before it."""

    name: str
    at_s: float
    filling: Filling


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a strip in percent of its width."""

    filling: Filling
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class Strip:
    """Stages in time order, and the pieces to draw; `over` tells that the reply outlasts the strip."""

    stages: tuple[Stage, ...]
    parts: tuple[Part, ...]
    over: bool


def strip(stages: Sequence[Stage], full_s: float) -> Strip:
    """Lay stages out on a strip of `full_s` seconds, so that strips of one page compare.

    Raises ValueError for a strip without length.
    """
    if full_s <= 0:
        raise ValueError(f"a strip needs a length, not {full_s} s")
    ordered = sorted(stages, key=lambda stage: stage.at_s)
    parts: list[Part] = []
    before = 0.0
    for stage in ordered:
        end = min(stage.at_s, full_s)
        if end > before:
            parts.append(
                Part(stage.filling, round(before / full_s * 100, 2), round((end - before) / full_s * 100, 2))
            )
            before = end
    return Strip(tuple(ordered), tuple(parts), bool(ordered) and ordered[-1].at_s > full_s)
