"""What `antiphon envs evolve` and `antiphon envs create` do."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from antiphon.cli.running import watcher
from antiphon.envs.evolve.code_agent import Effort
from antiphon.envs.evolve.create import Asking, Creation, ask, create
from antiphon.envs.evolve.labels import Levels
from antiphon.envs.evolve.mutate import Measure
from antiphon.envs.evolve.run import Evolution, cases_of, evolve
from antiphon.envs.evolve.seeds import chosen
from antiphon.envs.sandbox.guards import in_words
from antiphon.envs.sandbox.process import Sandbox
from antiphon.jsonl import dumps
from antiphon.stage.map import Settings

if TYPE_CHECKING:
    from antiphon.envs.evolve.run import Evolved

_MOST_SHOWN = 10


def evolve_verb(given: dict[str, Any]) -> None:
    """`antiphon envs evolve` with its options as they were given."""
    how = Settings(workers=given["workers"], cluster=given["cluster"])
    plan = Evolution(
        given["domain"], given["run"], given["out"], given["system"], given["partner"], given["trials"],
        given["seed"], Levels(given["solved_from"], given["failed_to"]),
        Measure(given["limits"], given["paragraphs"], given["per_task"]), given["against"], most=given["most"],
        how=how,
    )  # fmt: skip
    if given["propose"] is not None:
        asking = Asking(
            given["domain"], given["propose"], given["out"], tuple(cases_of(plan)), given["batches"],
            effort=Effort(given["rounds"], seed=given["seed"]), how=how,
        )  # fmt: skip
        batches = asyncio.run(ask(asking, watcher(given)("proposals")))
        plan = replace(plan, proposals=tuple(each for batch in batches for each in batch.proposals))
    found = asyncio.run(evolve(plan, watcher(given)("new tasks")))
    if given["as_json"]:
        click.echo(dumps(_row(found)))
    else:
        _show(found)


def _row(found: Evolved) -> dict[str, Any]:
    return {
        "folder": str(found.folder),
        "generation": found.generation,
        "labels": dict(found.labels),
        "uses": dict(Counter(each.use for each in found.lineage)),
        "changes": list(found.changes),
        "coverage": found.coverage.cells,
        "shortfalls": found.coverage.shortfalls(),
        "suggestions": list(found.suggestions),
    }


def _show(found: Evolved) -> None:
    labels = ", ".join(f"{count} {label}" for label, count in found.labels.items() if count)
    click.echo(f"Tasks played: {labels}")
    for change in found.changes:
        click.echo(f"  {change}")
    uses = Counter(each.use for each in found.lineage)
    for use in ("training", "kept", "retired", "dropped", "rejected"):
        click.echo(f"{use}: {uses[use]}")
        if use in ("dropped", "rejected"):
            shown = [each for each in found.lineage if each.use == use]
            for each in shown[:_MOST_SHOWN]:
                click.echo(f"  {each.task}: {each.why}")
    if shortfalls := found.coverage.shortfalls():
        listed = ", ".join(f"{cell} {count}" for cell, count in shortfalls.items())
        click.echo(f"Short of the coverage targets by: {listed}")
    for line in found.suggestions:
        click.echo(f"Suggestion: {line}")
    if any("scripted:" in each.why for each in found.lineage):
        click.echo("Difficulty is that of scripted agents, and says nothing about a model (--system URI).")
    click.echo(f"Generation {found.generation}: {found.folder}   (antiphon envs run {found.folder})")


def create_verb(given: dict[str, Any]) -> None:
    """`antiphon envs create` with its options as they were given."""
    seeds, problems = chosen(given["seeds"], given["servers"])
    for problem in problems:
        click.echo(f"left out: {problem}", err=True)
    creation = Creation(
        tuple(seeds), given["by"], given["out"],
        Effort(given["rounds"], given["tasks"], seed=given["seed"]), given["against"], given["allow_weak"],
        Settings(workers=given["workers"], cluster=given["cluster"]),
    )  # fmt: skip
    with Sandbox(allow_weak=given["allow_weak"]) as sandbox:
        click.echo(f"Generated code is kept in by: {in_words(sandbox.ready())}", err=True)
    made, failures = asyncio.run(create(creation, watcher(given)("domains")))
    if given["as_json"]:
        rows = [
            {"name": each.name, "accepted": each.accepted, "tools": each.tools, "tasks": each.tasks, "rounds": each.rounds, "by": each.by, "defects": list(each.defects)}
            for each in made
        ]  # fmt: skip
        click.echo(dumps(rows))
    for each in made if not given["as_json"] else ():
        if each.accepted:
            click.echo(f"{creation.out / each.name}: {each.tools} tools, {each.tasks} tasks, by {each.by}")
        else:
            click.echo(f"{each.name}: rejected after {each.rounds} rounds: {each.defects[0]}")
    for failure in failures:
        click.echo(f"{failure.key}: {failure.reason}", err=True)
    if failures or not any(each.accepted for each in made):
        raise click.exceptions.Exit(1)
