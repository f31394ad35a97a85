"""`antiphon run`: perform a suite with a system, score it, write the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antiphon.cli import options


@click.command(name="run")
@options.all_of(
    options.SUITE,
    click.option(
        "--system", metavar="URI", default=None, help="Who is asked; default: cascade: (full-duplex open: engine:)."
    ),
    options.DATA, options.VERSION, options.SUBSET, options.SPEAK,
    click.option("--limit", type=int, default=None, help="At most this many items."),
    click.option("--balanced", is_flag=True, help="Deal the limit evenly over the subsets, and over the conditions of robustness."),
    click.option("--out", type=click.Path(path_type=Path), default=None, help="Where the run is kept."),
    click.option("--resume", is_flag=True, help="Go on with the run in --out."),
    click.option("--fresh", is_flag=True, help="Ask again what this system answered in an earlier run."),
    options.TRANSCRIBER, options.SCORERS, options.JUDGE, options.REPEAT,
    click.option("--synthesizer", metavar="URI", default=None, help="Who speaks questions without a recording."),
    options.NOISE, options.SCORING,
    click.option("--seed", default=0, show_default=True),
    options.WORKERS, options.IN_FLIGHT, options.CLUSTER,
    options.DRY_RUN, options.PRICE, options.BUDGET, options.MAX_CALLS,
    click.option("--open", "open_page", is_flag=True, help="Open the report in a browser."),
    options.JSON,
)  # fmt: skip
def command(**given: Any) -> None:
    """Perform a benchmark with a system and score it.

    Without options the embedded voice agent (recogniser, language model and voice on this CPU)
    answers the starter suite.
    """
    from antiphon.cli.running import run_verb

    run_verb(given)
