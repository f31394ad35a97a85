"""`antiphon report`: a run's page and its table."""

from __future__ import annotations

from pathlib import Path

import click

from antiphon.cli import options


@click.command(name="report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--embed-audio", is_flag=True, help="Put the sound into the page, so that it travels alone.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@click.option("--by-subset", is_flag=True, help="Print every subset's numbers, not only the totals.")
@options.JSON
def command(run: Path, embed_audio: bool, open_page: bool, by_subset: bool, as_json: bool) -> None:
    """Write the report of the run in RUN again and print its table."""
    from antiphon.bench.folder import RunFolder
    from antiphon.cli.running import conclude

    conclude(
        RunFolder(run), as_json=as_json, open_page=open_page, embed_audio=embed_audio, by_subset=by_subset
    )
