"""The leaderboard of a suite: the paper's tables with published rows and a user's runs, and what may be ranked.

Pure: from the published data files and loaded runs to lines and cells; `board_pages` and the command line show them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from antiphon.bench.measured import Rows, found
from antiphon.bench.results import MetricInfo
from antiphon.bench.speech import PUBLISHED, run_speech
from antiphon.bench.suites.vocalbench_zh.columns import DEPENDS, SOURCES
from antiphon.bench.suites.vocalbench_zh.overall import COVERAGE, POINTS, Overall, Part, overall
from antiphon.bench.suites.vocalbench_zh.stamp import Stamp, scripted, stamps
from antiphon.bench.suites.vocalbench_zh.tables import number, table, tables
from antiphon.errors import ConfigError, unknown
from antiphon.report.tables import Cell, cell, scaled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.bench.measured import Found
    from antiphon.bench.results import Results
    from antiphon.bench.suites.vocalbench_zh.tables import Column, Row, Table

SUITES = ("vocalbench-zh",)
OVERVIEW = 2
ALWAYS = ("scoring", "replies")

Origin = Literal["published", "measured"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One system's Overall: as printed, as its own columns give it, and whether the two agree.

    `missing` says what stands in an Overall's way, `differs` which instruments are not the paper's.
    """

    system: str
    origin: Origin
    overall_printed: float | None
    overall_recomputed: float | None
    agrees: bool | None
    note: str = ""
    run: str = ""
    missing: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    speech: str = PUBLISHED


@dataclass(frozen=True, slots=True)
class Shown:
    """One cell as shown: published text, or a measured value with its interval and n.

    `number` sorts it, `marks` are the numbers of its notes, `word` stands where there is no value.
    """

    text: str
    number: float | None = None
    measured: Cell | None = None
    marks: tuple[int, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One system in one table. `rank` is None where it is not ranked, and then `unranked` says why.

    `speech` tells whether its questions were recorded or synthetic.
    """

    system: str
    origin: Origin
    cells: tuple[Shown, ...]
    rank: int | None = None
    unranked: str = ""
    run: str = ""
    printed: str = ""
    scripted: bool = False
    speech: str = PUBLISHED


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of the paper with everything that fills it; `notes` in the order of their marks."""

    table: Table
    lines: tuple[Line, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entrant:
    """A run on the board: its name, where it lies, how its instruments compare, and its Overall."""

    system: str
    run: str
    stamps: tuple[Stamp, ...]
    overall: Overall


@dataclass(frozen=True, slots=True)
class Board:
    """The whole leaderboard."""

    standings: tuple[Standing, ...]
    sheets: tuple[Sheet, ...]
    entrants: tuple[Entrant, ...]


def board(suite: str, runs: Sequence[Results], *, published: bool = True) -> Board:
    """The leaderboard of a suite. Raises ConfigError for another suite, or a run of another one."""
    if suite not in SUITES:
        raise unknown("published table for suite", suite, SUITES)
    for run in runs:
        if run.manifest.suite != suite:
            raise ConfigError(f"{run.folder} is a run of {run.manifest.suite}; {suite} ranks its own runs")
    if not runs and not published:
        raise ConfigError("nothing to show; name a RUN, or leave out --no-published")
    entries = [_Entry(run) for run in runs]
    sheets = [_sheet(one, entries if one.table in SOURCES else [], published) for one in tables()]
    standings = [*(published_standings() if published else ()), *(_standing(entry) for entry in entries)]
    return Board(
        tuple(standings),
        tuple(sheet for sheet in sheets if sheet.lines),
        tuple(Entrant(entry.system, entry.run, entry.stamps, entry.overall) for entry in entries),
    )


def published_parts(system: str) -> dict[str, Part]:
    """A published system's ten parts, from the columns of Table 2."""
    overview = table(OVERVIEW)
    return {name: Part(overview.number(system, name)) for name in POINTS}


def published_standings() -> tuple[Standing, ...]:
    """Table 2's Overall column, printed and recomputed to its three decimals, in the paper's order."""
    overview = table(OVERVIEW)
    standings: list[Standing] = []
    for row in overview.rows:
        printed = overview.number(row.system, "overall")
        value = overall(published_parts(row.system)).value
        again = None if value is None else round(value, overview.digits("overall"))
        notes = "; ".join(note.note for note in overview.notes_on(row.system, "overall"))
        agrees = None if again is None or printed is None else again == printed
        standings.append(Standing(row.system, "published", printed, again, agrees, notes))
    return tuple(standings)


class _Entry:
    """A run as it enters every table: its values by table and column."""

    def __init__(self, results: Results) -> None:
        self.run = str(results.folder)
        self.scripted = scripted(results)
        self.system = results.system
        self.stamps = stamps(results)
        self.speech = run_speech(results)
        rows = Rows(results)
        self.values: dict[tuple[int, str], Found] = {
            (number, key): value
            for number, sources in SOURCES.items()
            for key, source in sources.items()
            if (value := found(rows, source)) is not None
        }
        self.overall = overall(self._parts())

    def _parts(self) -> dict[str, Part]:
        overview = table(OVERVIEW)
        parts: dict[str, Part] = {}
        for name in POINTS:
            if (value := self.values.get((OVERVIEW, name))) is not None:
                info = _info(overview, overview.column(name))
                summary = value.summary
                shown = None if summary.value is None else scaled(summary.value, info)
                parts[name] = Part(shown, value.covered, value.limited, "; ".join(summary.reasons[:1]))
        return parts

    def differs(self, parts: Sequence[str]) -> tuple[str, ...]:
        return tuple(one.part for one in self.stamps if one.part in parts and not one.same)


def _standing(entry: _Entry) -> Standing:
    value = entry.overall.value
    return Standing(
        entry.system, "measured", None, None if value is None else round(value, 3), None, run=entry.run,
        missing=entry.overall.missing, differs=tuple(one.part for one in entry.stamps if not one.same),
        speech=entry.speech,
    )  # fmt: skip


def _sheet(one: Table, entries: Sequence[_Entry], published: bool) -> Sheet:
    marks = {(note.system, note.column): number for number, note in enumerate(one.notes, start=1)}
    lines = [_published_line(one, row, marks) for row in one.rows] if published else []
    lines += [_measured_line(one, entry) for entry in entries]
    notes = tuple(_note(one, note.system, note.column, note.note) for note in one.notes)
    return Sheet(one, tuple(_ranked(one, lines)), notes if published else ())


def _note(one: Table, system: str, column: str, words: str) -> str:
    head = one.column(column)
    name = ", ".join(part for part in (head.group, head.title) if part)
    return f"{system + ', ' if system else ''}{name}: {words}."


def published_sheet(one: Table, speech: str = PUBLISHED) -> Sheet:
    """A table with its published rows only, in the paper's order."""
    marks = {(note.system, note.column): number for number, note in enumerate(one.notes, start=1)}
    lines = (replace(_published_line(one, row, marks), speech=speech) for row in one.rows)
    return Sheet(
        one, tuple(lines), tuple(_note(one, note.system, note.column, note.note) for note in one.notes)
    )


def _published_line(one: Table, row: Row, marks: Mapping[tuple[str, str], int]) -> Line:
    cells = [
        Shown(
            text,
            number(text),
            marks=tuple(mark for key in (row.system, "") if (mark := marks.get((key, column.key)))),
        )
        for column, text in zip(one.columns, row.cells, strict=True)
    ]
    return Line(row.system, "published", tuple(cells), printed=row.printed)


def _measured_line(one: Table, entry: _Entry) -> Line:
    cells = tuple(_measured_cell(one, column, entry) for column in one.columns)
    differs = entry.differs((*DEPENDS[one.table], *ALWAYS))
    why = f"differs from the paper's: {', '.join(differs)}" if differs else _thin(one, entry)
    return Line(
        entry.system, "measured", cells, None, why, entry.run, scripted=entry.scripted, speech=entry.speech
    )


def _thin(one: Table, entry: _Entry) -> str:
    """Why a line with the paper's own instruments is not ranked all the same; "" if it is."""
    if one.ranks_by == "overall":
        return "" if entry.overall.value is not None else "no Overall: " + "; ".join(entry.overall.missing)
    value = entry.values.get((one.table, one.ranks_by))
    if value is None or value.summary.value is None:
        return f"no {one.column(one.ranks_by).title} was measured" if one.ranks_by else ""
    if value.covered < COVERAGE:
        return f"covers {value.covered:.1%} of the published items"
    return value.limited


def _measured_cell(one: Table, column: Column, entry: _Entry) -> Shown:
    if (one.table, column.key) == (OVERVIEW, "overall"):
        value, missing = entry.overall.value, entry.overall.missing
        words = "none" if value is None else f"{value:.3f}"
        return Shown(words, value, hint="; ".join(missing))
    value = entry.values.get((one.table, column.key))
    if value is None:
        return Shown("–" if column.better == "neither" else "not measured")
    info = _info(one, column)
    shown = cell(value.summary, info)
    hint = "; ".join(part for part in (shown.hint, value.limited) if part)
    at = None if value.summary.value is None else scaled(value.summary.value, info)
    return Shown(shown.value, at, shown, hint=hint)


def _info(one: Table, column: Column) -> MetricInfo:
    """How a measured value prints in a column: percent with one decimal, others as printed, two at most."""
    percent = "%" in column.unit
    digits = 1 if percent else min(one.digits(column.key), 2)
    return MetricInfo(
        column.key, column.title, column.unit, column.better, digits, one.source, percent
    )  # fmt: skip


def _ranked(one: Table, lines: Sequence[Line]) -> list[Line]:
    """Best first where the table has an order; what is not ranked stands below, as it came."""
    if not one.ranks_by:
        return list(lines)
    place = [column.key for column in one.columns].index(one.ranks_by)
    down = one.columns[place].better == "higher"
    able: list[tuple[float, Line]] = []
    rest: list[Line] = []
    for line in lines:
        value = line.cells[place].number
        if line.unranked or value is None:
            rest.append(line)
        else:
            able.append((-value if down else value, line))
    able.sort(key=lambda pair: pair[0])
    values = [value for value, _ in able]
    ranked = [_with_rank(line, values.index(value) + 1) for value, line in able]
    return [*ranked, *rest]


def _with_rank(line: Line, rank: int) -> Line:
    return replace(line, rank=rank, unranked="")
