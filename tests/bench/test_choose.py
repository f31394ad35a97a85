from __future__ import annotations

import pytest

from antiphon.bench.choose import choose
from antiphon.bench.items import Item
from antiphon.errors import ConfigError

ITEMS = [
    Item(f"{subset}{n}", subset, "zh", "？")
    for subset, count in (("a", 4), ("b", 1), ("c", 2))
    for n in range(count)
]


def ids(limit: int | None, *, balanced: bool) -> list[str]:
    return [item.id for item in choose(ITEMS, limit, balanced=balanced)]


def test_without_a_limit_every_item_is_chosen() -> None:
    assert ids(None, balanced=True) == [item.id for item in ITEMS]


def test_a_plain_limit_takes_the_first_items() -> None:
    assert ids(2, balanced=False) == ["a0", "a1"]


def test_a_balanced_limit_deals_in_turn_and_keeps_the_order() -> None:
    assert ids(5, balanced=True) == ["a0", "a1", "b0", "c0", "c1"]


def test_a_smaller_choice_is_part_of_a_larger_one() -> None:
    for limit in range(1, len(ITEMS)):
        assert set(ids(limit, balanced=True)) < set(ids(limit + 1, balanced=True))


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="--limit must be at least 1, not 0"):
        choose(ITEMS, 0, balanced=False)
