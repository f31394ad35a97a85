"""Choosing items: the first ones, or the same number of every subset and, within robustness, of every condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.bench.conditions import condition_of
from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.items import Item


def choose(items: Sequence[Item], limit: int | None, *, balanced: bool) -> tuple[Item, ...]:
    """At most `limit` items: the first ones, or (balanced) dealt in turn from every subset; robustness gives from every
    kind of disturbance in turn, and a kind from every level.

    The choice for a smaller limit is always part of the choice for a larger one, so a run can grow.
    Raises ConfigError for a limit below one.
    """
    if limit is None:
        return tuple(items)
    if limit < 1:
        raise ConfigError(f"--limit must be at least 1, not {limit}")
    if not balanced:
        return tuple(items[:limit])
    chosen = {item.id for item in _dealt([(_piles(item), item) for item in items])[:limit]}
    return tuple(item for item in items if item.id in chosen)


def _piles(item: Item) -> tuple[str, ...]:
    """The piles an item lies in, one within the other."""
    return (item.subset, *(condition_of(item) or ()))


def _dealt(items: list[tuple[tuple[str, ...], Item]]) -> list[Item]:
    """The items, one from every pile in turn, and those of a pile likewise from the piles within it."""
    if not any(within for within, _ in items):
        return [item for _, item in items]
    piles: dict[str, list[tuple[tuple[str, ...], Item]]] = {}
    for within, item in items:
        piles.setdefault(within[0] if within else "", []).append((within[1:], item))
    dealt = [_dealt(pile) for pile in piles.values()]
    longest = max(map(len, dealt))
    return [pile[turn] for turn in range(longest) for pile in dealt if turn < len(pile)]
