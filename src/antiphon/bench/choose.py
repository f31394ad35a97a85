"""Choosing items: the first of each kind, or the same number of every subset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.items import Item


def choose(items: Sequence[Item], limit: int | None, *, balanced: bool) -> tuple[Item, ...]:
    """At most `limit` items: the first ones, or (balanced) dealt in turn from every subset.

    The choice for a smaller limit is always part of the choice for a larger one, so a run can grow.
    Raises ConfigError for a limit below one.
    """
    if limit is None:
        return tuple(items)
    if limit < 1:
        raise ConfigError(f"--limit must be at least 1, not {limit}")
    if not balanced:
        return tuple(items[:limit])
    subsets: dict[str, list[Item]] = {}
    for item in items:
        subsets.setdefault(item.subset, []).append(item)
    longest = max(map(len, subsets.values()), default=0)
    dealt = [group[turn] for turn in range(longest) for group in subsets.values() if turn < len(group)]
    chosen = {item.id for item in dealt[:limit]}
    return tuple(item for item in items if item.id in chosen)
