"""The leaderboard as text for other programs: one wide table for people, or one long one for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.report.exports import comma_separated, latex, markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.leaderboard import Line, Sheet, Shown
    from antiphon.bench.suites.vocalbench_zh.tables import Column

LONG = (
    "table", "system", "origin", "questions", "run", "rank", "group", "column", "unit", "value", "spread", "n",
    "note",
)  # fmt: skip


def title_of(sheet: Sheet) -> str:
    """`Table 6: Knowledge, by split (…)`."""
    number = f"Table {sheet.table.table}: " if sheet.table.table else ""  # our own tables have none
    return f"{number}{sheet.table.title} ({sheet.table.source})"


def head(column: Column) -> str:
    """A column's title with its group and unit, on one line."""
    name = " ".join(part for part in (column.group, column.title) if part)
    return f"{name} ({column.unit})" if column.unit else name


def text_of(shown: Shown) -> str:
    """A cell on one line: the printed text and the numbers of its notes, or value, interval and n."""
    if shown.measured is None:
        return shown.text + "".join(f" [{mark}]" for mark in shown.marks)
    return " ".join((shown.measured.value, *shown.measured.spread, *_counts(shown))).strip()


def _counts(shown: Shown) -> list[str]:
    words = shown.measured.words if shown.measured is not None else ()
    return [f"({', '.join(words)})"] if words else []


def _wide(sheet: Sheet) -> tuple[list[str], list[list[str]]]:
    titles = ["system", *map(head, sheet.table.columns)]
    return titles, [[_name(line), *map(text_of, line.cells)] for line in sheet.lines]


def _name(line: Line) -> str:
    words = [line.origin, *(["scripted"] if line.scripted else [])]
    words += [f"{line.speech} questions"] if line.speech else []
    return f"{line.system} ({', '.join(words)})"


def as_markdown(sheets: Sequence[Sheet]) -> str:
    """Every sheet as a Markdown table under its title, with its notes."""
    parts: list[str] = []
    for sheet in sheets:
        notes = "".join(f"\n[{number}] {note}\n" for number, note in enumerate(sheet.notes, start=1))
        parts.append(f"## {title_of(sheet)}\n\n{markdown(*_wide(sheet))}{notes}")
    return "\n".join(parts)


def as_latex(sheets: Sequence[Sheet]) -> str:
    """Every sheet as a LaTeX table; its notes end the caption."""
    parts: list[str] = []
    for sheet in sheets:
        notes = "".join(f" [{number}] {note}" for number, note in enumerate(sheet.notes, start=1))
        parts.append(latex(*_wide(sheet), caption=f"{title_of(sheet)}.{notes}"))
    return "\n".join(parts)


def as_csv(sheets: Sequence[Sheet]) -> str:
    """One row a cell, so that every number stands alone with its spread, its n and its note."""
    rows = [
        _long(sheet, line, column, shown)
        for sheet in sheets
        for line in sheet.lines
        for column, shown in zip(sheet.table.columns, line.cells, strict=True)
    ]
    return comma_separated(LONG, rows)


def _long(sheet: Sheet, line: Line, column: Column, shown: Shown) -> list[str]:
    counts = dict(shown.measured.counts) if shown.measured is not None else {}
    notes = [sheet.notes[mark - 1] for mark in shown.marks] + [shown.hint] * bool(shown.hint)
    return [
        str(sheet.table.table), line.system, line.origin, line.speech, line.run, "" if line.rank is None else str(line.rank),
        column.group, column.title, column.unit, shown.text,
        " ".join(shown.measured.spread) if shown.measured is not None else "", str(counts.get("n", "")),
        " ".join(notes),
    ]  # fmt: skip
