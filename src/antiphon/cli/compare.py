"""`antiphon compare`: two runs side by side, for people and for CI."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from antiphon.cli import options
from antiphon.cli.listing import console


@click.command(name="compare")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@options.JSON
@click.pass_context
def command(ctx: click.Context, first: Path, second: Path, as_json: bool) -> None:
    """Compare SECOND against FIRST, paired by item.

    Exits 1 when a metric got worse with p < 0.05 (Holm-corrected over the metrics).
    """
    from antiphon.bench.compare import compare
    from antiphon.bench.folder import load
    from antiphon.bench.speech import run_speech
    from antiphon.jsonl import dumps

    found = compare(first, second)
    if as_json:
        click.echo(dumps(asdict(found)))
    else:
        from antiphon.report.terminal import compare_table

        screen = console()
        one, other = load(first), load(second)
        screen.print(compare_table(found.overall, one.metrics))
        asked = list(dict.fromkeys([run_speech(one), run_speech(other)]))
        screen.print(f"Questions: {' against '.join(asked)}.", style="dim", markup=False)
        for note in found.notes:
            screen.print(f"Note: {note}", style="dim", markup=False)
        worse = ", ".join(found.regressions)
        click.echo(f"Worse beyond chance: {worse}" if worse else "No significant regression.")
    if found.regressions:
        ctx.exit(1)
