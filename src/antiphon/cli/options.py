"""Options that mean the same in every verb."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")

SCORING = click.option(
    "--scoring", type=click.Choice(["strict", "paper"]), default="strict", show_default=True,
    help="Which definition of the metrics: strict is right, paper reproduces published numbers.",
)  # fmt: skip
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
TRANSCRIBER = click.option(
    "--transcriber", metavar="URI", default=None, help="The recogniser that scores speech."
)
SCORERS = click.option(
    "--scorer", "scorers", metavar="URI", multiple=True,
    help="A scorer of sound, once each; default: distillmos: and dnsmos:.",
)  # fmt: skip
JUDGE = click.option(
    "--judge", "judges", metavar="URI", multiple=True,
    help="The judge: any chat model, or embedded: (1.1 GB, facts against a reference only). Several make a panel.",
)  # fmt: skip
REPEAT = click.option(
    "--repeat", type=int, default=None, help="Ask each judge this often, with its own seed; default: once."
)
BUDGET = click.option(
    "--budget", type=float, metavar="USD", default=None,
    help="Stop asking the judge before this call of the command costs more; needs --price.",
)  # fmt: skip
MAX_CALLS = click.option(
    "--max-judge-calls", type=int, default=None, help="Ask the judge at most this often in this call."
)
PRICE = click.option(
    "--price",
    metavar="IN,OUT",
    default=None,
    help="USD per million tokens in and out, for costs and --budget.",
)
DRY_RUN = click.option("--dry-run", is_flag=True, help="Only say what would be asked, and what it may cost.")
WORKERS = click.option("--workers", default=0, show_default=True, help="Worker processes; 0: in this one.")
IN_FLIGHT = click.option(
    "--in-flight", default=1, show_default=True,
    help="Requests at once per process; times count only for takes made one at a time.",
)  # fmt: skip
CLUSTER = click.option("--cluster", metavar="ADDRESS", default=None, help="Run the stages on a Ray cluster.")
SUITE = click.option(
    "--suite", metavar="NAME", default="starter", show_default=True,
    help="starter, vocalbench, vocalbench-zh, full-duplex, or the folder of your own suite.",
)  # fmt: skip
DATA = click.option(
    "--data", type=click.Path(path_type=Path), default=None, help="The folder with the suite's data."
)
VERSION = click.option(
    "--version",
    metavar="V",
    default=None,
    help="Which version of the suite's data: full-duplex has 1.0, 1.5, 3.0, and open: our own sets.",
)
SUBSET = click.option("--subset", "subsets", multiple=True, help="Only this subset; may be repeated.")
SPEAK = click.option(
    "--speak-missing",
    is_flag=True,
    help="Have questions without a recording spoken (marked in every result).",
)
NOISE = click.option(
    "--noise", metavar="FOLDER", type=click.Path(path_type=Path), default=None,
    help="Recordings of background noise; without them it is synthetic babble.",
)  # fmt: skip


def all_of(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, in this order in the help."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate
