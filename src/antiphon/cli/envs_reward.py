"""`antiphon envs reward`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antiphon.cli import options

LEVELS = ("dialogue", "milestone", "turn")


@click.command(name="reward")
@options.all_of(
    click.argument("run", type=click.Path(path_type=Path)),
    click.option(
        "--level", "levels", type=click.Choice(LEVELS), multiple=True,
        help="Only this level; may be repeated. Default: every level.",
    ),
    click.option(
        "--acknowledge", metavar="RULE", default=None,
        help="Reward progress reports before tool calls too, e.g. 'acknowledge only the first call'.",
    ),
    options.JUDGE, options.REPEAT, options.BUDGET, options.MAX_CALLS, options.PRICE, options.JSON,
)  # fmt: skip
def reward(**given: Any) -> None:
    """Write the rewards of a scored RUN for a trainer, to RUN/rewards.jsonl.

    Every episode gives the return of its dialogue (or, continued from a saved milestone, of the continuation), and
    each reply of the agent a reward of its own: tool choice, argument grounding, unauthorised writes, premature
    claims, and with --judge the quality of its words. Nothing is rolled out.
    """
    from antiphon.cli.rolling import reward_verb

    reward_verb(given)
