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


def strained(kind: str, level: str, number: int, subset: str = "robust") -> Item:
    name = f"{subset}/{kind}/{level}/{number}"
    return Item(name, subset, "zh", "？", category=kind, ability="robust", extra={"Level": level})


ROBUST = [
    strained(kind, level, number)
    for kind, levels in (("white_noise", ("snr_0", "snr_5")), ("farfield", ("filter_100hz", "filter_200hz")))
    for level in levels
    for number in range(3)
]


def test_robustness_is_dealt_over_kinds_then_levels() -> None:
    chosen = [{item.id for item in choose(ROBUST, limit, balanced=True)} for limit in range(1, 13)]
    new = [(after - before).pop() for before, after in zip([set[str](), *chosen], chosen, strict=False)]
    assert new[:5] == [
        "robust/white_noise/snr_0/0", "robust/farfield/filter_100hz/0",
        "robust/white_noise/snr_5/0", "robust/farfield/filter_200hz/0", "robust/white_noise/snr_0/1",
    ]  # fmt: skip
    assert len(chosen[-1]) == 12


def test_conditions_take_nothing_from_the_other_subsets() -> None:
    chosen = choose([*ITEMS, *ROBUST], 6, balanced=True)
    assert [item.id for item in chosen] == [
        "a0", "a1", "b0", "c0", "c1", "robust/white_noise/snr_0/0",
    ]  # fmt: skip


def test_categories_of_other_subsets_are_no_piles() -> None:
    items = [Item(f"r{n}", "reasoning", "zh", "？", category=kind) for n, kind in enumerate("aab")]
    assert [item.id for item in choose(items, 2, balanced=True)] == ["r0", "r1"]
