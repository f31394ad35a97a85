"""`antiphon judge`: have a judge look at a kept run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antiphon.cli import options


@click.command(name="judge")
@options.all_of(
    click.argument("run", type=click.Path(path_type=Path)),
    click.option(
        "--judge", metavar="URI", default="embedded:", show_default=True,
        help="The judge: any chat model, or embedded: (1.1 GB, yes/no questions only).",
    ),
    options.WORKERS, options.IN_FLIGHT, options.CLUSTER,
    click.option("--open", "open_page", is_flag=True, help="Open the report in a browser."),
    options.JSON,
)  # fmt: skip
def command(**given: Any) -> None:
    """Judge the kept replies of the run in RUN, and score it again; nothing is asked again."""
    from antiphon.cli.rescoring import judge_verb

    judge_verb(given)
