"""`antiphon create`: from a file of questions to a spoken dataset, and the page on which a person reviews it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from antiphon.cli import options

_OUT = click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Where the creation is kept."
)
_FOLDER = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))


@click.group(name="create")
def command() -> None:
    """Make a spoken dataset of your own from questions and answers, as VocalBench-zh was made."""


@command.command(name="run")
@click.argument("source", metavar="SOURCE", type=click.Path(path_type=Path))
@options.all_of(
    _OUT,
    click.option("--name", default=None, help="The dataset's name; default: the folder's."),
    click.option("--subset", default=None, help="The subset of questions that name none: knowledge, single_round, …"),
    click.option("--chat", metavar="URI", default="llama:qwen2.5-coder-1.5b", show_default=True, help="Who translates, adapts and answers."),
    click.option("--judge", metavar="URI", default="embedded:", show_default=True, help="Who compares answers with keys; none: nobody."),
    click.option("--synthesizer", metavar="URI", default="kokoro:", show_default=True, help="Who speaks."),
    click.option("--transcriber", metavar="URI", default="whisper:base", show_default=True, help="Who hears whether it was said."),
    click.option("--scorer", "scorers", metavar="URI", multiple=True, help="A UTMOS (voices) or a scorer of speech emotion."),
    click.option("--voices", metavar="FOLDER|NAMES", default=None, help="Prompt clips, or preset voices; default: the synthesizer's."),
    click.option("--names", metavar="FILE", default=None, help="What names become (JSON, YAML, CSV); default: a small list."),
    click.option("--skip", multiple=True, help="Leave a stage out: entities, adapt."),
    click.option("--attempts", default=4, show_default=True, help="Recordings of a question until one is heard as written."),
    click.option("--licence", "licences", multiple=True, help="A line for the card, such as 'texts: CC BY 4.0'."),
    click.option("--verified-only", is_flag=True, help="Leave out what nobody could verify."),
    click.option("--limit", type=int, default=None, help="At most this many questions."),
    click.option("--seed", default=0, show_default=True),
    options.WORKERS, options.IN_FLIGHT, options.CLUSTER, options.JSON,
)  # fmt: skip
def run(**given: Any) -> None:
    """Make a dataset from SOURCE: JSONL, JSON or CSV with questions, answers, perhaps options.

    The same command goes on after a stop, and after a review.
    """
    from antiphon.cli.creating import run_verb

    run_verb(given)


@command.command(name="resume")
@_FOLDER
@options.all_of(options.WORKERS, options.IN_FLIGHT, options.CLUSTER, options.JSON)
def resume(**given: Any) -> None:
    """Go on with the creation in FOLDER as it was asked for, and with what people decided since."""
    from antiphon.cli.creating import resume_verb

    resume_verb(given)


@command.command(name="review")
@_FOLDER
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="The port of the local page; 0: any.",
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def review(folder: Path, port: int, open_page: bool) -> None:
    """Show what waits for a person: listen, compare, accept, edit, record again, reject.

    The page is served to this machine only. Each decision is kept at once; `antiphon create resume` applies them.
    """
    from antiphon.cli.creating import review_verb

    review_verb(folder, port, open_page=open_page)
