"""`antiphon score`: score a kept run again, or outputs that were made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antiphon.cli import options


@click.command(name="score")
@options.all_of(
    click.argument("run", type=click.Path(path_type=Path)),
    click.option(
        "--outputs", type=click.Path(path_type=Path), default=None,
        help="Score a folder in the published layout (json/SET.json, wav/SET/QID.wav) into RUN.",
    ),
    click.option("--system", metavar="NAME", default="imported outputs", help="Whose outputs these are."),
    options.SUITE, options.DATA, options.SUBSET, options.SPEAK,
    options.TRANSCRIBER, options.SCORERS, options.JUDGE, options.REPEAT, options.PRICE, options.BUDGET, options.MAX_CALLS, options.SCORING,
    options.WORKERS, options.IN_FLIGHT, options.CLUSTER,
    click.option("--covered", is_flag=True, help="With --outputs: leave out items without an output; otherwise they are invalid."),
    click.option("--resume", is_flag=True, help="Go on with an interrupted import."),
    click.option("--open", "open_page", is_flag=True, help="Open the report in a browser."),
    options.JSON,
)  # fmt: skip
def command(**given: Any) -> None:
    """Score the run in RUN again; nothing is asked again.

    With --outputs, RUN is made from replies that were produced elsewhere, without inference.
    """
    from antiphon.cli.rescoring import score_verb

    score_verb(given)
