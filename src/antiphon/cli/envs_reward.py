"""`antiphon envs reward` and `antiphon envs continue`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antiphon.cli import options
from antiphon.cli.envs_run import JUDGING

LEVELS = ("dialogue", "milestone", "turn")
WHERE = ("milestones", "failures")


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


@click.command(name="continue")
@options.all_of(
    click.argument("run", type=click.Path(path_type=Path)),
    click.option(
        "--from", "where", type=click.Choice(WHERE), default="milestones", show_default=True,
        help="milestones: after each one that an episode reached; failures: before the first wrong reply of a failed one.",
    ),
    click.option("--count", default=4, show_default=True, help="Continuations of each moment."),
    click.option("--system", metavar="URI", default=None, help="Who goes on; default: the system that played RUN."),
    click.option(
        "--temperature", type=click.FloatRange(0), default=None,
        help="How freely it draws; default: as in RUN. At 0 most models go on alike.",
    ),
    click.option("--seed", default=0, show_default=True, help="The same seed plays the same continuations."),
    *JUDGING, options.WORKERS, options.IN_FLIGHT, options.CLUSTER,
    click.option("--resume", is_flag=True, help="Go on with the continuations in --out."),
    click.option("--out", type=click.Path(path_type=Path), required=True, help="Where the continuations are kept."),
    options.JSON,
)  # fmt: skip
def go_on(**given: Any) -> None:
    """Play on from saved moments of a scored RUN, several times each, and judge every continuation.

    `antiphon envs reward` then compares those that share a moment. RUN must have a scripted partner: it is brought
    back to the moment by hearing the dialogue again.
    """
    from antiphon.cli.rolling import continue_verb

    continue_verb(given)
