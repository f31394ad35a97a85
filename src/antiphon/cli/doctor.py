"""`antiphon doctor`: what works on this machine, what is missing, and the command that brings it."""

from __future__ import annotations

from dataclasses import asdict

import click

from antiphon.cli import options
from antiphon.cli.listing import show


@click.command(name="doctor")
@options.JSON
def command(as_json: bool) -> None:
    """Look at this machine: Python, packages, programs, weights, disk. Nothing is changed or fetched."""
    from antiphon.jsonl import dumps
    from antiphon.wiring.doctor import findings

    found = findings()
    if as_json:
        click.echo(dumps([asdict(finding) for finding in found]))
        return
    rows = [("✓" if one.works else "–", one.part, one.what, one.remedy) for one in found]
    show(("", "part", "what it is for", "how to get it"), rows, whole=(0, 1))
    missing = sum(not finding.works for finding in found)
    click.echo(
        "Everything works."
        if not missing
        else f"{missing} parts are missing; Antiphon works without them, and says so."
    )
