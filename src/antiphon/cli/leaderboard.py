"""`antiphon leaderboard`: the published numbers of a suite, and runs beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from antiphon.cli.listing import show

if TYPE_CHECKING:
    from antiphon.bench.leaderboard import Board, Standing

FORMATS = ("markdown", "csv", "latex")
DUPLEX = "full-duplex"


@click.command(name="leaderboard")
@click.argument("suite")
@click.argument("runs", metavar="[RUN]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--published/--no-published", default=True, help="With the published rows (the default).")
@click.option("--table", "number", type=int, metavar="N", default=None, help="Only the paper's table N.")
@click.option("--json", "form", flag_value="json", help="Print the standings as a JSON list.")
@click.option("--markdown", "form", flag_value="markdown", help="Print the tables as Markdown.")
@click.option("--csv", "form", flag_value="csv", help="Print every cell as a line of CSV.")
@click.option("--latex", "form", flag_value="latex", help="Print the tables as LaTeX.")
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), default=None,
    help="Write the page here: one HTML file that needs no network.",
)  # fmt: skip
def command(
    suite: str,
    runs: tuple[Path, ...],
    published: bool,
    number: int | None,
    form: str | None,
    out: Path | None,
) -> None:
    """Set RUNs beside the published numbers of SUITE (vocalbench-zh or full-duplex).

    A run is ranked only where its instruments are the paper's; what differs is listed.
    """
    from dataclasses import replace

    from antiphon.bench.board_pages import write
    from antiphon.bench.duplex_board import SOURCE, duplex_board
    from antiphon.bench.folder import load
    from antiphon.bench.leaderboard import SUITES, board
    from antiphon.errors import unknown
    from antiphon.jsonl import dumps

    if suite not in (*SUITES, DUPLEX):
        raise unknown("published table for suite", suite, (*SUITES, DUPLEX))
    loaded = [load(run) for run in runs]
    live = suite == DUPLEX
    found = duplex_board(loaded, published=published) if live else board(suite, loaded, published=published)
    if number is not None:
        kept = tuple(one for one in found.sheets if one.table.table == number)
        if not kept:
            raise unknown("table", str(number), [str(one.table.table) for one in found.sheets])
        found = replace(found, sheets=kept)
    if out is not None:
        write(found, suite, out, loaded, SOURCE if live else "")
        click.echo(f"Page: {out}", err=True)
    if form == "json":
        click.echo(dumps(_lines(found) if live else [_row(one) for one in found.standings]))
    elif form is not None:
        click.echo(_exported(found, form), nl=False)
    elif live and out is None:
        click.echo(_exported(found, "markdown"), nl=False)
    elif not live:
        _print(found, out)


def _row(one: Standing) -> dict[str, object]:
    """A standing as a program reads it; the keys that only runs have are left out of published rows."""
    row: dict[str, object] = {
        "system": one.system,
        "overall_printed": one.overall_printed,
        "overall_recomputed": one.overall_recomputed,
        "agrees": one.agrees,
    }
    if one.note:
        row["note"] = one.note
    if one.origin == "measured":
        row |= {"run": one.run, "missing": list(one.missing), "differs": list(one.differs)}
    return row


def _lines(found: Board) -> list[dict[str, object]]:
    """Every system in every table as a program reads it: numbers by column, None where there is none."""
    return [
        {
            "table": sheet.table.table,
            "system": line.system,
            "origin": line.origin,
            **({"run": line.run, "differs": line.unranked} if line.origin == "measured" else {}),
            "values": {
                column.key: shown.number
                for column, shown in zip(sheet.table.columns, line.cells, strict=True)
            },
        }
        for sheet in found.sheets
        for line in sheet.lines
    ]


def _exported(found: Board, form: str) -> str:
    from antiphon.bench import board_exports

    exports = {
        "markdown": board_exports.as_markdown,
        "csv": board_exports.as_csv,
        "latex": board_exports.as_latex,
    }
    return exports[form](found.sheets)


def _print(found: Board, out: Path | None) -> None:
    rows = [
        (one.system, one.speech, _number(one.overall_printed), _number(one.overall_recomputed), _said(one))
        for one in sorted(found.standings, key=lambda one: -(one.overall_recomputed or 0.0))
    ]
    show(("system", "questions", "Overall, printed", "recomputed", ""), rows)
    for one in found.entrants:
        click.echo(f"\n{one.system} ({one.run})")
        for stamp in one.stamps:
            if not stamp.same:
                click.echo(f"  {stamp.part} differs: {stamp.here}; paper: {stamp.paper}")
        for part in one.overall.missing:
            click.echo(f"  no Overall, {part}")
    if out is None:
        click.echo("\nAll tables: --out leaderboard.html, --markdown, --csv or --latex.")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _said(one: Standing) -> str:
    if one.origin == "measured":
        return "not ranked" if one.differs or one.overall_recomputed is None else "measured"
    return one.note if one.agrees is False else "published"
