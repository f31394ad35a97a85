"""`antiphon judge`: judge a kept run; measure a judge against labels; rate replies by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antiphon.cli import options


class _RunByDefault(click.Group):
    """`antiphon judge RUN` is `antiphon judge run RUN`: what is no verb here is a run's folder."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(name="judge", cls=_RunByDefault)
def command() -> None:
    """Judge a kept run (`antiphon judge RUN`), or look at judges themselves.

    A folder that is named like a verb here is written as a path: ./rate
    """


@command.command(name="run")
@options.all_of(
    click.argument("run", type=click.Path(path_type=Path)),
    options.JUDGE, options.REPEAT, options.PRICE, options.BUDGET, options.MAX_CALLS, options.DRY_RUN,
    options.WORKERS, options.IN_FLIGHT, options.CLUSTER,
    click.option("--open", "open_page", is_flag=True, help="Open the report in a browser."),
    options.JSON,
)  # fmt: skip
def run(**given: Any) -> None:
    """Judge the kept replies of the run in RUN, and score it again; nothing is asked again.

    Without --judge it is the embedded one. Several --judge, or --repeat, make a panel: the majority
    decides a yes or no (a tie is invalid), the median a score.
    """
    from antiphon.cli.rescoring import judge_verb

    judge_verb(given)
