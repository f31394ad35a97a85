"""The tables of the paper as printed, cell by cell; `published/` holds them, each file with its source."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from antiphon.errors import unknown

PUBLISHED = Path(__file__).parent / "published"


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `n` is how many items the paper counts in it, where the table says so."""

    key: str
    title: str
    group: str = ""
    unit: str = ""
    better: Literal["higher", "lower", "neither"] = "higher"
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One system's cells. `printed` is its name in this table where that differs from Table 2's."""

    system: str
    cells: tuple[str, ...]
    printed: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be said about a cell, or about a whole column (`system` is empty).

    `recomputed` is the value that the table's other cells give, where they give another.
    """

    column: str
    note: str
    system: str = ""
    recomputed: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table. `ranks_by` names the column that orders its systems, where one does."""

    table: int
    source: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    ranks_by: str = ""
    notes: tuple[Note, ...] = field(default=())

    def column(self, key: str) -> Column:
        """A column by its key. Raises KeyError."""
        return self.columns[self._place(key)]

    def cell(self, system: str, key: str) -> str:
        """What is printed for a system; "" where the table has no row for it. Raises KeyError for a column."""
        place = self._place(key)
        return next((row.cells[place] for row in self.rows if row.system == system), "")

    def number(self, system: str, key: str) -> float | None:
        """A cell as a number; None where it is none: "-", missing, or misprinted beyond reading."""
        return number(self.cell(system, key))

    def notes_on(self, system: str, key: str) -> tuple[Note, ...]:
        """The notes on one cell, those on its column left out."""
        return tuple(note for note in self.notes if (note.system, note.column) == (system, key))

    def digits(self, key: str) -> int:
        """How many decimals the column is printed with."""
        return max(len(self.cell(row.system, key).partition(".")[2]) for row in self.rows)

    def _place(self, key: str) -> int:
        for place, column in enumerate(self.columns):
            if column.key == key:
                return place
        raise KeyError(f"table {self.table} has no column {key!r}")


def number(cell: str) -> float | None:
    """A printed cell as a number, or None: "-", "", "72. 0"."""
    try:
        return float(cell)
    except ValueError:
        return None


@lru_cache(maxsize=1)
def tables() -> tuple[Table, ...]:
    """Every table that is kept, in the paper's order."""
    return read_tables(PUBLISHED)


def read_tables(folder: Path) -> tuple[Table, ...]:
    """The tables in a folder, in a paper's order."""
    return tuple(
        msgspec.convert(json.loads(path.read_text(encoding="utf-8")), Table)
        for path in sorted(folder.glob("table_*.json"))
    )


def table(wanted: int) -> Table:
    """One table by its number. Raises ConfigError."""
    for found in tables():
        if found.table == wanted:
            return found
    raise unknown("table", str(wanted), [str(known.table) for known in tables()])
