"""`antiphon envs import`: real corpora as domain folders, MCP tool definitions as seeds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from antiphon.cli import options

if TYPE_CHECKING:
    from antiphon.envs.importers.folder import Imported

CORPORA = ("tau2", "eva", "mcp")


@click.command(name="import")
@click.argument("corpus", type=click.Choice(CORPORA))
@click.option(
    "--data", type=click.Path(path_type=Path), default=None,
    help="The folder with the corpus's data: tau2's domains, EVA's datasets, files of MCP tool definitions.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), required=True,
    help="Where the domain folders go; for mcp, the folder of seeds.json.",
)  # fmt: skip
@click.option(
    "--tools", type=click.Path(path_type=Path, exists=True, file_okay=False), default=None, metavar="CHECKOUT",
    help="Your checkout of EVA, or of tau2 for telecom: their tools are in no package.",
)  # fmt: skip
@click.option(
    "--only", multiple=True, metavar="NAME", help="Only this domain of the corpus; may be repeated."
)
@click.option(
    "--server", default=None, help="mcp: a live server instead of --data: its address, or its command."
)
@options.JSON
def import_(
    corpus: str,
    data: Path | None,
    out: Path,
    tools: Path | None,
    only: tuple[str, ...],
    server: str | None,
    *,
    as_json: bool,
) -> None:
    """Write CORPUS as domain folders that `antiphon envs check` reads; nothing of it comes with Antiphon.

    References are replayed, and each that misses its expected state is named. Exit 0 all the same: what is wrong with
    a corpus is for `antiphon envs check` to refuse.
    """
    from antiphon.errors import ConfigError

    if corpus == "mcp":
        _seeds(data, out, server, as_json=as_json)
        return
    if data is None:
        raise ConfigError(f"say where {corpus} lies, with --data; Antiphon ships none of it")
    imported = _domains(corpus, data, out, tools, only)
    if as_json:
        click.echo(json.dumps([each.row() for each in imported], ensure_ascii=False))
        return
    for each in imported:
        _show(each)


def _domains(corpus: str, data: Path, out: Path, tools: Path | None, only: tuple[str, ...]) -> list[Imported]:
    from antiphon.envs.importers import eva, tau2

    if corpus == "tau2":
        return tau2.import_tau2(data, out, only or tau2.DOMAINS, tools)
    return eva.import_eva(data, out, only or eva.DOMAINS, tools)


def _show(imported: Imported) -> None:
    """One domain: its tasks by outcome, what its references reach, and a line for each that misses."""
    outcomes = ", ".join(f"{name} {count}" for name, count in imported.outcomes.items())
    click.echo(f"{imported.name}: tasks {imported.tasks} ({outcomes})")
    if imported.replay == "unavailable":
        click.echo(f"  replay unavailable: {imported.why}")
    else:
        reached = imported.tasks - len(imported.missed)
        click.echo(f"  references that reach the expected state: {reached} of {imported.tasks}")
        for task, why in imported.missed.items():
            click.echo(f"    {task}: {why}")
        steps = sum(map(len, imported.failing.values()))
        click.echo(f"  reference steps that fail: {steps} in {len(imported.failing)} tasks")
        for task, lines in imported.failing.items():
            for line in lines:
                click.echo(f"    {task} {' '.join(line.split())}")
    click.echo(f"  next: antiphon envs check {imported.folder}")


def _seeds(data: Path | None, out: Path, server: str | None, *, as_json: bool) -> None:
    from antiphon.envs.importers.mcp import live_seed, read_seeds, write_seeds
    from antiphon.errors import ConfigError

    if (data is None) == (server is None):
        raise ConfigError("mcp reads either files (--data) or a live server (--server)")
    if data is not None:
        seeds, problems = read_seeds(data)
    else:
        seeds, problems = [asyncio.run(live_seed(server or ""))], []
    path = write_seeds(seeds, out)
    tools = sum(len(each.tools) for each in seeds)
    if as_json:
        lines = [str(each) for each in problems]
        click.echo(json.dumps({"seeds": len(seeds), "tools": tools, "file": str(path), "problems": lines}))
        return
    for each in problems:
        click.echo(f"left out: {each}")
    click.echo(f"{path}: seeds {len(seeds)}, tools {tools}")
