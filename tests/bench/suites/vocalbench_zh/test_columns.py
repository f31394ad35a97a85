from __future__ import annotations

import pytest

from antiphon.bench.measured import Group, Mean, Rate, Source, Total
from antiphon.bench.suites.vocalbench_zh.columns import DEPENDS, SIX, SOURCES
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS, SUBSETS
from antiphon.bench.suites.vocalbench_zh.tables import table


def _groups(source: Source) -> list[Group]:
    match source:
        case Rate():
            return [group for pair in source.pairs for group in pair]
        case Mean() | Total():
            return [source.group]


PLACES = [(number, key) for number, sources in SOURCES.items() for key in sources]


@pytest.mark.parametrize(("number", "key"), PLACES)
def test_every_source_fills_a_column_that_the_paper_has_with_items_that_exist(number: int, key: str) -> None:
    column = table(number).column(key)
    for group in _groups(SOURCES[number][key]):
        assert set(group.subsets) <= set(SUBSETS)
        names = (group.category,) if isinstance(group.category, str) else group.category
        for name in filter(None, names):
            assert all(name in SUBSETS[subset].categories for subset in group.subsets)
        if column.n is not None:
            assert group.of == column.n


def test_items_are_counted_as_the_paper_counts_them() -> None:
    counts = {key: _groups(source)[0].of for key, source in SOURCES[2].items()}
    assert counts == {
        "knowledge": 3000, "reasoning": 851, "creativity": 240, "fluency": 200, "clarity": 200,
        "single_round": 200, "multi_round": 400, "instruction": 1000, "empathy": 500, "safety": 400, "code_switching": 362,
        "latency": 11115, "robust": 100,
    }  # fmt: skip


def test_the_six_scored_conditions_are_those_of_table_15() -> None:
    assert all(level in CONDITIONS[kind] for kind, level in SIX.values())
    assert [f"{key}_pr" for key in SIX] == [
        column.key for column in table(15).columns if column.title == "PR"
    ]


def test_every_table_that_runs_fill_says_which_instruments_it_rests_on() -> None:
    assert set(DEPENDS) == set(SOURCES)
