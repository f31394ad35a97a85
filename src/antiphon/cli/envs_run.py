"""`antiphon envs run` and `antiphon envs score`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antiphon.cli import options

JUDGING = (options.SCORING, options.JUDGE, options.REPEAT, options.BUDGET, options.MAX_CALLS, options.PRICE)


@click.command(name="run")
@options.all_of(
    click.argument("domain"),
    click.option("--task", "tasks", metavar="ID", multiple=True, help="Only this task; may be repeated."),
    click.option(
        "--system", metavar="URI", default=None,
        help="The agent: any chat model, reference: (scripted), or reference:?flaw=NAME; default: reference:.",
    ),
    click.option(
        "--partner", metavar="URI", default="scripted", show_default=True,
        help="Who plays the caller: scripted, or any chat model.",
    ),
    click.option("--spoken", is_flag=True, help="Speak every turn of the partner: synthetic speech, and labelled so."),
    click.option("--synthesizer", metavar="URI", default="kokoro:", show_default=True, help="The partner's voice."),
    click.option(
        "--noise", metavar="RECIPE", multiple=True,
        help="Disturb the partner's speech, e.g. background_noise:snr_db=10; may be repeated.",
    ),
    click.option("--telephone", is_flag=True, help="The partner is heard over the telephone: 300 to 3,400 Hz, G.711."),
    click.option(
        "--transcriber", metavar="URI", default=None,
        help="Writes down what a system says that speaks without giving its words.",
    ),
    click.option("--trials", default=1, show_default=True, help="Episodes a task."),
    click.option("--seed", default=0, show_default=True, help="The same seed plays the same episodes."),
    click.option("--temperature", default=0.0, show_default=True, help="Of the system; at 0 trials may be all alike."),
    click.option("--max-turns", default=30, show_default=True, help="Turns of the agent in one episode."),
    click.option("--max-calls", default=40, show_default=True, help="Tool calls of the agent in one episode."),
    click.option(
        "--stop-early", is_flag=True, help="Stop an episode once it cannot pass any more; it fails all the same."
    ),
    click.option("--resamples", default=2, show_default=True, help="How often an invalid episode is played again."),
    *JUDGING, options.WORKERS, options.IN_FLIGHT, options.CLUSTER,
    click.option("--resume", is_flag=True, help="Go on with the run in --out."),
    click.option(
        "--out", type=click.Path(path_type=Path), default=None, help="Where the run is kept; default: below runs/."
    ),
    click.option("--open", "open_page", is_flag=True, help="Open the report in a browser."),
    options.JSON,
)  # fmt: skip
def run(**given: Any) -> None:
    """Play the tasks of DOMAIN with a system and a partner, and judge every episode.

    Without options a scripted system plays each task's reference against a scripted partner: it shows that the
    domain works, and nothing about a model. Killed at any moment, the same command with --resume goes on.
    """
    from antiphon.cli.rolling import run_verb

    run_verb(given)


@click.command(name="score")
@options.all_of(
    click.argument("run", type=click.Path(path_type=Path)),
    *JUDGING,
    click.option("--open", "open_page", is_flag=True, help="Open the report in a browser."),
    options.JSON,
)  # fmt: skip
def score(**given: Any) -> None:
    """Judge the kept traces in RUN again; nothing is rolled out."""
    from antiphon.cli.rolling import score_verb

    score_verb(given)
