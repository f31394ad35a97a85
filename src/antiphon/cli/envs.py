"""`antiphon envs`: executable domains, checked and played."""

from __future__ import annotations

import json

import click

from antiphon.cli import options
from antiphon.cli.envs_evolve import create, evolve
from antiphon.cli.envs_import import import_
from antiphon.cli.envs_reward import go_on, reward
from antiphon.cli.envs_run import run, score


@click.group(name="envs")
def command() -> None:
    """Executable domains: rules, tools, databases and tasks."""


@command.command(name="check")
@click.argument("domains", nargs=-1, metavar="[DOMAIN]...")
@click.option("--all", "every", is_flag=True, help="Every domain that comes with Antiphon.")
@options.JSON
def check(domains: tuple[str, ...], *, every: bool, as_json: bool) -> None:
    """Check that the tasks of each DOMAIN (a name or a folder) hold, without a model.

    One line per defect, with file, task and field; exit 1 when there is any.
    """
    from antiphon.envs.check import check_folder
    from antiphon.envs.domain import own_domains
    from antiphon.errors import ConfigError

    names = [*domains, *(own_domains() if every else ())]
    if not names:
        raise ConfigError(f"name a domain or its folder, or --all; there are: {', '.join(own_domains())}")
    reports = [check_folder(name) for name in dict.fromkeys(names)]
    if as_json:
        click.echo(json.dumps([report.row() for report in reports], ensure_ascii=False))
    else:
        for report in reports:
            for defect in report.defects:
                click.echo(f"{report.domain}/{defect.line}")
            click.echo(f"{report.domain}: tasks {report.tasks}, defects {len(report.defects)}")
    if any(report.defects for report in reports):
        raise click.exceptions.Exit(1)


command.add_command(go_on)
command.add_command(import_)
command.add_command(reward)
command.add_command(run)
command.add_command(score)
command.add_command(evolve)
command.add_command(create)
