"""The leaderboard as one page that needs no network: a table for each of the paper's that has data."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from antiphon.bench.suites.vocalbench_zh.figures import figures
from antiphon.jsonl import dumps, write_text
from antiphon.report import page
from antiphon.report.plots import Dot, dot_plot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from markupsafe import Markup

    from antiphon.bench.leaderboard import Board, Line, Sheet, Shown, Standing
    from antiphon.bench.results import Results
    from antiphon.bench.suites.vocalbench_zh.tables import Column

LABEL = 17  # letters that fit beside the plot


@dataclass(frozen=True, slots=True)
class Head:
    """One column's head: its key on this page, and what stands under its title."""

    column: Column
    key: str
    under: str
    label: str
    first: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table: its cells in the page's order, and a line of numbers to sort it by."""

    line: Line
    cells: tuple[Shown, ...]
    numbers: str


@dataclass(frozen=True, slots=True)
class Section:
    """One table on the page: grouped heads above single ones; the column that ranks comes first."""

    sheet: Sheet
    groups: tuple[tuple[str, int], ...]
    heads: tuple[Head, ...]
    entries: tuple[Entry, ...]


def render(board: Board, suite: str, runs: Sequence[Results] = (), source: str = "") -> str:
    """The page as HTML; `runs` are the board's own, for the pictures. `source` names a paper whose tables have no
    Overall: then there are no pictures."""
    return page.render(
        "antiphon.bench",
        "leaderboard.html",
        {
            "suite": suite,
            "board": board,
            "sections": [_section(sheet) for sheet in board.sheets],
            "counts": _counts(board),
            "picture": _picture(board.standings),
            "figures": None if source else figures(runs, _leading(board)),
            "source": source or "arXiv 2511.08230",
            "apart": [one for one in board.standings if one.agrees is False],
            "unsummed": [one for one in board.entrants if one.overall.value is None],
        },
    )


def write(board: Board, suite: str, path: Path, runs: Sequence[Results] = (), source: str = "") -> Path:
    """Write the page, all or nothing; gives back where it is."""
    write_text(path, render(board, suite, runs, source))
    return path


def _counts(board: Board) -> str:
    """`15 published systems, 2 runs`."""
    lines = {(line.origin, line.system, line.run) for sheet in board.sheets for line in sheet.lines}
    parts = [
        (sum(origin == "published" for origin, _, _ in lines), "published system"),
        (sum(origin == "measured" for origin, _, _ in lines), "run"),
    ]
    return ", ".join(f"{many} {word}{'' if many == 1 else 's'}" for many, word in parts if many)


def _section(sheet: Sheet) -> Section:
    one = sheet.table
    places = sorted(range(len(one.columns)), key=lambda at: one.columns[at].key != one.ranks_by)
    columns = [one.columns[at] for at in places]
    heads = tuple(_head(sheet, column) for column in columns)
    groups = [(name, len(list(members))) for name, members in groupby(columns, lambda one: one.group)]
    entries = (_entry(heads, line, tuple(line.cells[at] for at in places)) for line in sheet.lines)
    return Section(sheet, tuple(groups) if any(name for name, _ in groups) else (), heads, tuple(entries))


def _head(sheet: Sheet, column: Column) -> Head:
    arrow = {"higher": "↑", "lower": "↓", "neither": ""}[column.better]
    under = " ".join(part for part in (column.unit, arrow, f"({column.n})" if column.n else "") if part)
    return Head(
        column,
        f"t{sheet.table.table}-{column.key}",
        under,
        " ".join(part for part in (column.group, column.title) if part),
        "up" if column.better == "lower" else "down",
    )


def _entry(heads: Sequence[Head], line: Line, cells: tuple[Shown, ...]) -> Entry:
    pairs = zip(heads, cells, strict=True)
    numbers = {head.key: shown.number for head, shown in pairs if shown.number is not None}
    return Entry(line, cells, dumps(numbers))


def _picture(standings: Sequence[Standing]) -> Markup | None:
    """Every Overall on one axis, recomputed, the best on top; runs stand out by shape."""
    known = [one for one in standings if one.overall_recomputed is not None]
    if not known:
        return None
    dots = [
        Dot(_short(one.system), "", one.overall_recomputed, strong=one.origin == "measured")
        for one in sorted(known, key=lambda one: -(one.overall_recomputed or 0.0))
    ]
    return dot_plot(dots, title="Overall, recomputed (0 to 100)", top=100.0, digits=3)


def _leading(board: Board) -> list[str]:
    """The published systems that are drawn at first: the best Overall and the cascade."""
    best = sorted(
        (one for one in board.standings if one.origin == "published"),
        key=lambda one: -(one.overall_recomputed or 0.0),
    )
    return [one.system for one in best if one in best[:1] or one.system.startswith("Cascade")]


def _short(name: str) -> str:
    """A name that fits beside the plot."""
    return name if len(name) <= LABEL else f"{name[: LABEL - 1]}…"
