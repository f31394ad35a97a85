"""`antiphon envs evolve` and `antiphon envs create`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antiphon.cli import options

AGAINST = click.option(
    "--against", metavar="DOMAIN", multiple=True,
    help="A domain kept for evaluation: what overlaps with it is left out; may be repeated.",
)  # fmt: skip
ROUNDS = click.option(
    "--rounds", default=3, show_default=True, help="Rounds of repair that the code agent has."
)


@click.command(name="evolve")
@options.all_of(
    click.argument("domain"),
    click.option(
        "--run", type=click.Path(path_type=Path), required=True,
        help="Scored rollouts of DOMAIN, several trials a task (antiphon envs run --trials 4).",
    ),
    click.option("--out", type=click.Path(path_type=Path), required=True, help="Where the next generation goes."),
    click.option(
        "--system", metavar="URI", default=None,
        help="Who plays every new task to tell how hard it is; default: two scripted agents, and labelled so.",
    ),
    click.option("--partner", metavar="URI", default="scripted", show_default=True, help="Who plays the caller."),
    click.option("--trials", default=4, show_default=True, help="Episodes of --system a new task."),
    click.option("--solved-from", default=1.0, show_default=True, help="Solved from this share of passes on."),
    click.option("--failed-to", default=0.0, show_default=True, help="Failed up to this share of passes."),
    click.option("--limits", default=2, show_default=True, help="New limits in the rules, at most."),
    click.option("--paragraphs", default=3, show_default=True, help="Paragraphs of rules to be read past."),
    click.option("--per-task", default=1, show_default=True, help="Harder tasks for each solved one, at most."),
    click.option("--limit", "most", type=click.IntRange(1), default=None, help="Assess only so many new tasks."),
    click.option("--propose", metavar="URI", default=None, help="A chat model that writes tasks too."),
    click.option("--batches", default=1, show_default=True, help="How often --propose is asked for five tasks."),
    ROUNDS, AGAINST,
    click.option("--seed", default=0, show_default=True, help="The same seed makes the same generation."),
    options.WORKERS, options.CLUSTER, options.JSON,
)  # fmt: skip
def evolve(**given: Any) -> None:
    """Make the next generation of DOMAIN from what its rollouts show.

    Tasks that are always solved are replaced by harder ones, those at the frontier and valid ones that always fail are
    kept, broken ones are repaired or dropped. Needs no model. Killed at any moment, the same command goes on.
    """
    from antiphon.cli.evolving import evolve_verb

    evolve_verb(given)


@click.command(name="create")
@options.all_of(
    click.argument("seeds", type=click.Path(path_type=Path)),
    click.option("--by", metavar="URI", required=True, help="The code agent: any chat model."),
    click.option("--out", type=click.Path(path_type=Path), required=True, help="Where the domains go."),
    click.option("--server", "servers", metavar="NAME", multiple=True, help="Only this server; may be repeated."),
    click.option("--tasks", default=8, show_default=True, help="Tasks that a domain has at least."),
    ROUNDS, AGAINST,
    click.option(
        "--allow-weak-sandbox", "allow_weak", is_flag=True,
        help="Go on where this system cannot lock generated code in: only for code that you have read.",
    ),
    click.option("--seed", default=0, show_default=True, help="For the code agent's sampling."),
    options.WORKERS, options.CLUSTER, options.JSON,
)  # fmt: skip
def create(**given: Any) -> None:
    """Have a code agent make domains from MCP tool definitions in SEEDS (a .json file, or a folder of them: what
    `antiphon envs import mcp` keeps, and what it reads).

    Each is checked, with its code in a sandbox, and sent back with its defects; what does not hold after the last round
    is rejected. Killed at any moment, the same command goes on.
    """
    from antiphon.cli.evolving import create_verb

    create_verb(given)
