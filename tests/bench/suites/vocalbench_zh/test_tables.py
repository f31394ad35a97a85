from __future__ import annotations

import json

import pytest

from antiphon.bench.suites.vocalbench_zh.tables import PUBLISHED, number, table, tables
from antiphon.errors import ConfigError


def test_every_table_has_its_source_and_as_many_cells_as_columns() -> None:
    shapes = {one.table: (len(one.rows), len(one.columns)) for one in tables()}
    assert shapes == {
        2: (15, 15), 5: (15, 4), 6: (15, 12), 7: (15, 18), 8: (15, 9), 9: (11, 14), 10: (15, 14),
        11: (15, 7), 12: (15, 6), 13: (15, 12), 14: (13, 3), 15: (15, 14),
    }  # fmt: skip
    for one in tables():
        assert one.source.startswith(f"arXiv 2511.08230, table {one.table}, ")
        assert {len(row.cells) for row in one.rows} == {len(one.columns)}
        assert len({column.key for column in one.columns}) == len(one.columns)


def test_every_table_is_about_the_same_systems() -> None:
    known = {row.system for row in table(2).rows}
    for one in tables():
        systems = [row.system for row in one.rows]
        assert set(systems) <= known
        assert len(set(systems)) == len(systems)


def test_another_spelling_of_a_name_is_kept_as_printed() -> None:
    spelt = {(one.table, row.system): row.printed for one in tables() for row in one.rows if row.printed}
    assert set(spelt.values()) == {"Baichuan-Omni 1.5"}
    assert {system for _, system in spelt} == {"Baichuan-Omni-1.5"}


def test_every_note_is_about_a_cell_that_exists() -> None:
    for one in tables():
        for note in one.notes:
            assert one.column(note.column).key == note.column
            assert not note.system or one.cell(note.system, note.column)


def test_files_hold_nothing_that_is_not_read() -> None:
    keys = {"table", "source", "title", "ranks_by", "columns", "rows", "notes"}
    for path in PUBLISHED.iterdir():
        assert set(json.loads(path.read_text("utf-8"))) <= keys, path.name


@pytest.mark.parametrize(
    ("cell", "value"), [("78.439", 78.439), ("-", None), ("", None), ("72. 0", None), ("0", 0.0)]
)
def test_a_cell_that_is_no_number_is_none_and_never_zero(cell: str, value: float | None) -> None:
    assert number(cell) == value


def test_cells_are_found_by_system_and_column() -> None:
    one = table(2)
    assert one.cell("Kimi-Audio", "clarity") == "0.826"
    assert one.number("Freeze-Omni", "multi_round") is None
    assert table(14).cell("Qwen3-Omni", "rtf") == ""
    assert (one.digits("overall"), one.digits("knowledge")) == (3, 1)
    with pytest.raises(KeyError, match="'tempo'"):
        one.cell("Kimi-Audio", "tempo")


def test_an_unknown_table_is_refused_with_those_that_are_kept() -> None:
    with pytest.raises(ConfigError, match="no table '16'; there are: 10, 11"):
        table(16)
