"""`antiphon models`: what a URI can name, and whether one works."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import click

from antiphon.cli import options
from antiphon.cli.listing import show


@click.group(name="models")
def command() -> None:
    """List what can be named by a URI, or check one."""


@command.command(name="list")
@options.JSON
def list_models(as_json: bool) -> None:
    """Every scheme, what it stands for and what it needs."""
    from antiphon.jsonl import dumps
    from antiphon.models.catalog import entries

    found = entries()
    if as_json:
        click.echo(dumps([asdict(entry) for entry in found]))
        return
    for port in dict.fromkeys(entry.port for entry in found):
        click.echo(f"{port}:")
        rows = [(f"  {entry.example}", entry.what, entry.needs) for entry in found if entry.port == port]
        show(("", "", ""), rows)


@command.command(name="check")
@click.argument("uri")
@options.JSON
@click.pass_context
def check_model(ctx: click.Context, uri: str, as_json: bool) -> None:
    """Open URI and make one tiny real call."""
    from antiphon.clock import RealClock
    from antiphon.jsonl import dumps
    from antiphon.models.catalog import check

    found = asyncio.run(check(uri, RealClock()))
    click.echo(dumps(asdict(found)) if as_json else found.say())
    if not found.works:
        ctx.exit(1)
