"""What `antiphon envs run` and `antiphon envs score` do."""

from __future__ import annotations

import asyncio
import webbrowser
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from antiphon.cache import Store, default_folder
from antiphon.cli.listing import console
from antiphon.cli.running import bring, settings_of, watcher
from antiphon.clock import RealClock
from antiphon.envs.casting import Cast, Casting
from antiphon.envs.domain import open_domain
from antiphon.envs.pages import write
from antiphon.envs.results import load, row
from antiphon.envs.rollout import RolloutSettings
from antiphon.envs.run import EnvFolder, EnvRun, run_rollouts
from antiphon.envs.scoring import ScoringSettings, score_run
from antiphon.envs.tables import results_table
from antiphon.jsonl import dumps
from antiphon.judge.uri import open_judge

if TYPE_CHECKING:
    from antiphon.judge.judge import Judge

_HEARING = "cascade:?chat=reference:"


def run_verb(given: dict[str, Any]) -> None:
    """`antiphon envs run` with its options as they were given."""
    plan = _plan(given)
    quiet = given["as_json"]
    domain = open_domain(given["domain"])
    bring(partial(Cast, plan.casting, domain, plan.seed), must=True, quiet=quiet)
    judge = _judge(given["judge"], quiet=quiet)
    asyncio.run(run_rollouts(plan, watcher(given)("episodes")))
    _score(plan.out, judge, given)


def score_verb(given: dict[str, Any]) -> None:
    """`antiphon envs score` with its options as they were given."""
    EnvFolder(given["run"]).read_manifest()
    _score(given["run"], _judge(given["judge"], quiet=given["as_json"]), given)


def _plan(given: dict[str, Any]) -> EnvRun:
    system = given["system"] or (_HEARING if given["spoken"] else "reference:")
    domain = given["domain"]
    return EnvRun(
        domain=domain,
        out=given["out"] or Path("runs") / f"{Path(domain).name}-{_slug(system)}",
        casting=Casting(
            system, given["partner"], given["synthesizer"] if given["spoken"] else None, given["noise"],
            given["telephone"], given["transcriber"],
        ),
        tasks=given["tasks"],
        trials=given["trials"],
        seed=given["seed"],
        resamples=given["resamples"],
        settings=RolloutSettings(max_turns=given["max_turns"], max_calls=given["max_calls"]),
        how=settings_of(given),
        resume=given["resume"],
    )  # fmt: skip


def _judge(uri: str | None, *, quiet: bool) -> Judge | None:
    if uri is None:
        return None
    clock = RealClock()
    bring(partial(open_judge, uri, clock), must=True, quiet=quiet)
    return open_judge(uri, clock, answers=Store(default_folder() / "verdicts"))


def _score(path: Path, judge: Judge | None, given: dict[str, Any]) -> None:
    settings = ScoringSettings(given["scoring"], judge, given["most_calls"])
    asyncio.run(score_run(path, settings, watcher(given)("verdicts")))
    results = load(path)
    page = write(results)
    if given["as_json"]:
        click.echo(dumps(row(results) | {"report": str(page)}))
        return
    console().print(results_table(results))
    click.echo(f"Report: {page}   (judge again: antiphon envs score {path})")
    if given["open_page"]:
        webbrowser.open(page.resolve().as_uri())


def _slug(uri: str) -> str:
    kept = "".join(letter if letter.isalnum() else "-" for letter in uri)
    return "-".join(part for part in kept.split("-") if part)[:48]
