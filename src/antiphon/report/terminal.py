"""Results in the terminal: Rich tables no wider than 100 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from antiphon.report.tables import MINUS, cell, figure, gaps, unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antiphon.report.tables import Cell, Measure
    from antiphon.stats import Paired, Summary

WIDTH = 100
_COLUMNS = 4  # metrics side by side: with the subset's column they fill 100 columns


class Run(Protocol):
    """What a run's table needs: its summaries, and how its metrics print."""

    @property
    def summaries(self) -> Sequence[Summary]: ...
    @property
    def metrics(self) -> Mapping[str, Measure]: ...


def run_table(run: Run, *, by_subset: bool = False) -> Group:
    """A run's numbers: one line a metric over everything, or (`by_subset`) subsets × metrics.

    Value, 95 % interval and n; what was not measured stands below in words.
    """
    cells = {(summary.subset, summary.metric): summary for summary in run.summaries}
    present = {summary.metric for summary in run.summaries if summary.value is not None}
    shown = [measure for name, measure in run.metrics.items() if name in present]
    if not by_subset:
        whole = [measure for measure in shown if _whole(run, measure.name).value is not None]
        return Group(_overall(whole, run), *_unmeasured(run))
    subsets = _subsets(run.summaries)
    blocks = [shown[at : at + _COLUMNS] for at in range(0, len(shown), _COLUMNS)]
    tables = [_block(block, subsets, cells) for block in blocks]
    spaced = [part for table in tables for part in (table, Text(""))]
    return Group(*spaced, *_unmeasured(run))


def _whole(run: Run, metric: str) -> Summary:
    """A metric's number over everything: its first where it has none over all subsets."""
    mine = [summary for summary in run.summaries if summary.metric == metric]
    return next((summary for summary in mine if summary.subset == "all"), mine[0])


def _overall(measures: Sequence[Measure], run: Run) -> Table:
    table = _table()
    table.add_column("")
    for head in ("value", "95 %", "n"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("")
    for measure in measures:
        summary = _whole(run, measure.name)
        between = _interval(summary, measure)
        words = ", ".join(f"{many} {word}" for word, many in gaps(summary) if many)
        value = Text(cell(summary, measure).value or "", style="bold")
        table.add_row(
            _head(measure), value, Text(between, style="dim"), str(summary.n), Text(words, style="dim")
        )
    return table


def _subsets(summaries: Iterable[Summary]) -> list[str]:
    names = list(dict.fromkeys(summary.subset for summary in summaries))
    return [name for name in names if name != "all"] + ["all"] * ("all" in names)


def _block(
    measures: Sequence[Measure], subsets: Sequence[str], cells: Mapping[tuple[str, str], Summary]
) -> Table:
    table = _table()
    table.add_column("", max_width=22, no_wrap=True, overflow="ellipsis")
    for measure in measures:
        table.add_column(_head(measure), justify="right", max_width=18)
    for subset in subsets:
        row = [_cell(cells.get((subset, measure.name)), measure) for measure in measures]
        if any(row):
            if subset == "all":
                table.add_section()
            table.add_row(Text(subset.replace("_", " "), style="bold" if subset == "all" else ""), *row)
    return table


def _table() -> Table:
    return Table(
        box=box.SIMPLE_HEAD, padding=(0, 1), collapse_padding=True, pad_edge=False, show_edge=False,
        header_style="bold",
    )  # fmt: skip


def _head(measure: Measure) -> str:
    return f"{measure.title}, {unit(measure)}" if unit(measure) else measure.title


def _cell(summary: Summary | None, measure: Measure) -> Text:
    """The value alone on its line, so that decimals stand below each other; interval and counts under it."""
    if summary is None:
        return Text("")
    shown = cell(summary, measure)
    under = list(shown.words)
    if between := _interval(summary, measure):
        under[0] = f"{between}, {under[0]}"
    text = Text("\n").join(Text(line, style="dim") for line in under)
    if not shown.value:
        return text
    return Text(shown.value, style="bold" if summary.subset == "all" else "") + Text("\n") + text


def _interval(summary: Summary, measure: Measure) -> str:
    if summary.low is None or summary.high is None:
        return ""
    return _between(figure(summary.low, measure), figure(summary.high, measure))


def _between(low: str, high: str) -> str:
    return f"{low} to {high}" if MINUS in low + high else f"{low}\N{EN DASH}{high}"


def _unmeasured(run: Run) -> list[Text]:
    lines: list[Text] = []
    known = {summary.metric for summary in run.summaries}
    for name, measure in run.metrics.items():
        if name in known and (overall := _whole(run, name)).value is None:
            words = ", ".join(f"{many} {word}" for word, many in gaps(overall) if many) or "no value"
            reasons = "; ".join(overall.reasons)
            lines.append(
                Text(f"{measure.title}: {words}" + (f" ({reasons})" if reasons else ""), style="dim")
            )
    return lines


def compare_table(
    rows: Sequence[Paired], metrics: Mapping[str, Measure], a: str = "A", b: str = "B"
) -> Table:
    """B against A, paired by item: both values, the change with its 95 % interval, p, and what it means.

    "better" and "worse" are said only where the interval of the change excludes zero; a metric without a
    better direction says "higher" or "lower". The subset is shown where there are several.
    """
    several = len({row.subset for row in rows}) > 1
    table = _table()
    if several:
        table.add_column("subset", max_width=14, no_wrap=True, overflow="ellipsis")
    table.add_column("metric", max_width=17 if several else 32, no_wrap=True, overflow="ellipsis")
    for head in ("n", _short(a), _short(b), "change", "95 %", "p"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for row in rows:
        measure = metrics[row.metric]
        meaning = verdict(row, measure)
        table.add_row(
            *([row.subset.replace("_", " ")] if several else []),
            _head(measure),
            str(row.n),
            figure(row.a, measure),
            figure(row.b, measure),
            _signed(row.difference, measure),
            f"{_signed(row.low, measure)} to {_signed(row.high, measure)}",
            "<0.001" if row.p < 0.001 else f"{row.p:.3f}",
            Text(meaning, style={"worse": "bold red", "better": "bold green"}.get(meaning, "")),
        )
    return table


class _Row(Protocol):
    @property
    def subset(self) -> str: ...
    @property
    def speech(self) -> str: ...
    @property
    def cells(self) -> Sequence[Cell | None]: ...


class _Block(Protocol):
    @property
    def info(self) -> Measure: ...
    @property
    def rows(self) -> Sequence[_Row]: ...


class Several(Protocol):
    """What a table of several runs needs: their names, and each metric's rows by subset."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def blocks(self) -> Sequence[_Block]: ...


def beside_table(runs: Several) -> Table:
    """Several runs: a line a metric over everything (or its one subset), a column a run, four at most."""
    table = _table()
    table.add_column("", max_width=30, no_wrap=True, overflow="ellipsis")
    table.add_column("questions", max_width=12)
    shown = runs.names[:_COLUMNS]
    for name in shown:
        table.add_column(name if len(name) <= 13 else f"…{name[-12:]}", justify="right", no_wrap=True)
    if len(runs.names) > _COLUMNS:
        table.add_column(f"{len(runs.names) - _COLUMNS} more on the page")
    for block in runs.blocks:
        row = block.rows[-1]
        cells = [_short_cell(one) for one in row.cells[: len(shown)]]
        table.add_row(_head(block.info), Text(row.speech, style="dim"), *cells)
    return table


def _short_cell(one: Cell | None) -> Text:
    if one is None:
        return Text("not asked", style="dim")
    value = Text(one.value, style="bold")
    return (
        value + Text(" " + " ".join(one.spread), style="dim") if one.value else Text("no value", style="dim")
    )


def verdict(row: Paired, measure: Measure) -> str:
    """What a difference means: "better", "worse", "higher", "lower", or "unclear"."""
    if row.low <= 0 <= row.high:
        return "unclear"
    up = row.difference > 0
    if measure.better == "neither":
        return "higher" if up else "lower"
    return "better" if up == (measure.better == "higher") else "worse"


def _signed(value: float, measure: Measure) -> str:
    text = figure(value, measure)
    return text if text.startswith(MINUS) or float(text) == 0 else f"+{text}"


def _short(name: str) -> str:
    return name if len(name) <= 8 else f"{name[:7]}…"
