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


@command.command(name="run", short_help="Judge a kept run.")
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


@command.command(name="calibrate", short_help="Measure a judge against labelled replies.")
@options.all_of(
    click.argument("labels", nargs=-1, type=click.Path(path_type=Path)),
    options.JUDGE, options.REPEAT,
    click.option("--eva", type=click.Path(path_type=Path), default=None, help="The folder with EVA-Bench's human-labelled judge sets, or their archive."),
    click.option("--set", "sets", metavar="NAME", multiple=True, help="With --eva: only this set; may be repeated."),
    click.option("--prompt", metavar="NAME|FILE", default=None, help="How LABELS are judged: a prompt of VocalBench-zh, or a text file."),
    click.option("--choices", metavar="YES,NO", default=None, help="With a prompt file: its two words; without: a score from 1 to 5."),
    click.option("--swap", is_flag=True, help="Ask yes/no prompts again with the two words in the other order."),
    click.option("--limit", type=int, default=None, help="At most this many rows of each set, drawn by lot."),
    click.option("--out", type=click.Path(path_type=Path), default=None, help="Where answers and figures are kept; the same folder goes on."),
    options.PRICE, options.BUDGET, options.MAX_CALLS, options.DRY_RUN, options.IN_FLIGHT,
    options.JSON,
)  # fmt: skip
def calibrate(**given: Any) -> None:
    """Measure a judge against replies that people have labelled.

    LABELS are JSONL files with `response` and `label` in every row, and `question`, `answer`, `history`
    where the prompt shows them. The figures: agreement, Cohen's kappa, bias, sensitivity and specificity
    with 95 % intervals, and how far the verdicts follow the reply's length.
    """
    from antiphon.cli.judging import calibrate_verb

    calibrate_verb(given)


@command.command(name="rate", short_help="Rate replies by hand, blind, on a local page.")
@options.all_of(
    click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path)),
    click.option("--metric", "metrics", multiple=True, help="Only this metric; may be repeated."),
    click.option("--sample", type=int, default=None, help="About this many replies, drawn by lot: of several runs the same items."),
    click.option("--rater", metavar="NAME", default="me", show_default=True, help="Under whose name the ratings are kept."),
    click.option("--seed", default=0, show_default=True, help="Decides the sample and the order."),
    click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: any free one."),
    click.option("--open", "open_page", is_flag=True, help="Open the page in a browser."),
)  # fmt: skip
def rate(**given: Any) -> None:
    """Rate replies of RUN by hand, on a page that only this machine sees.

    Blind: neither the system nor a verdict is shown, and replies of several runs are mixed. Each answer is
    kept in RUN/ratings at once; the same command goes on. Needs antiphon[server].
    """
    from antiphon.cli.judging import rate_verb

    rate_verb(given)


@command.command(name="agreement", short_help="Raters against the judge and each other.")
@options.all_of(
    click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path)),
    options.JSON,
)  # fmt: skip
def agreement(**given: Any) -> None:
    """How the raters of RUN agree with its judge and with each other, per metric."""
    from antiphon.cli.judging import agreement_verb

    agreement_verb(given)
