"""`antiphon report`: a run's page and its table, or several runs side by side."""

from __future__ import annotations

from pathlib import Path

import click

from antiphon.cli import options


@click.command(name="report")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--embed-audio", is_flag=True, help="Put the sound into the page, so that it travels alone.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
@click.option("--by-subset", is_flag=True, help="Print every subset's numbers, not only the totals.")
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), default=None,
    help="Where the page of several runs goes; default: report/beside.html of the first.",
)  # fmt: skip
@options.JSON
def command(
    runs: tuple[Path, ...],
    embed_audio: bool,
    open_page: bool,
    by_subset: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Write the report of RUN again and print its table; of several RUNs, one page side by side."""
    from antiphon.bench.folder import RunFolder
    from antiphon.cli.running import conclude, conclude_beside
    from antiphon.errors import ConfigError

    first, *others = runs
    if others:
        if embed_audio or by_subset:
            raise ConfigError("--embed-audio and --by-subset belong to the report of one RUN")
        folders = [RunFolder(run) for run in runs]
        conclude_beside(folders, out, as_json=as_json, open_page=open_page)
        return
    if out is not None:
        raise ConfigError("--out belongs to several RUNs; the page of one lies in its own folder")
    conclude(
        RunFolder(first), as_json=as_json, open_page=open_page, embed_audio=embed_audio, by_subset=by_subset
    )
