"""What `antiphon create` does with its options: a plan, its weights, the pipeline, the closing lines."""

from __future__ import annotations

import asyncio
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from antiphon.bench.create.created import dataset_path, load
from antiphon.bench.create.pipeline import create
from antiphon.bench.create.plan import Plan, read_plan
from antiphon.bench.takes import Instruments
from antiphon.cli.listing import show
from antiphon.cli.running import bring_weights, settings_of, watcher
from antiphon.jsonl import dumps

if TYPE_CHECKING:
    from antiphon.bench.create.created import Created

_STATES = ("verified", "accepted", "unverified", "held", "rejected")


def run_verb(given: dict[str, Any]) -> None:
    """`antiphon create run`."""
    out: Path = given["out"]
    plan = Plan(
        source=str(given["source"]),
        name=given["name"] or out.resolve().name,
        chat=given["chat"],
        judge=None if given["judge"] == "none" else given["judge"],
        synthesizer=given["synthesizer"],
        transcriber=given["transcriber"],
        scorers=tuple(given["scorers"]),
        voices=given["voices"],
        names=given["names"],
        subset=given["subset"],
        skip=tuple(given["skip"]),
        attempts=given["attempts"],
        seed=given["seed"],
        limit=given["limit"],
        licences=tuple(given["licences"]),
        verified_only=given["verified_only"],
    )
    _perform(plan, out, given)


def resume_verb(given: dict[str, Any]) -> None:
    """`antiphon create resume`."""
    _perform(read_plan(given["folder"]), given["folder"], given)


def _perform(plan: Plan, out: Path, given: dict[str, Any]) -> None:
    quiet = given["as_json"]
    instruments = Instruments(plan.transcriber, plan.scorers, plan.judge, plan.synthesizer)
    bring_weights(instruments, plan.chat, speaks=True, quiet=quiet)
    created = asyncio.run(create(plan, out, watcher(given), settings_of(given)))
    _conclude(created, as_json=quiet)


def _conclude(created: Created, *, as_json: bool) -> None:
    counts = {state: created.count(state) for state in _STATES}
    dataset = dataset_path(created.folder)
    if as_json:
        click.echo(dumps({"dataset": str(dataset), **counts}))
        return
    show(("", "questions"), [(state, str(many)) for state, many in counts.items()])
    if created.waiting:
        click.echo(f"Review: antiphon create review {created.folder} --open")
    click.echo(f"Dataset: {dataset}   (measure with it: antiphon run --suite {dataset})")


def review_verb(folder: Path, port: int, *, open_page: bool) -> None:
    """`antiphon create review`."""
    from antiphon.bench.create.review import open_review

    def announce(address: str) -> None:
        click.echo(f"Review: {address}   (Ctrl-C ends it; every decision is kept at once)")
        if open_page:
            webbrowser.open(address)

    kept = open_review(load(folder), port, announce)
    click.echo(f"{kept} decisions in all. Apply them: antiphon create resume {folder}")
