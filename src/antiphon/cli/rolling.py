"""What `antiphon envs run`, `score`, `continue` and `reward` do."""

from __future__ import annotations

import asyncio
import webbrowser
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from antiphon.cache import Store, default_folder
from antiphon.cli.listing import console
from antiphon.cli.running import bring, bring_judges, budget_of, settings_of, watcher
from antiphon.clock import RealClock
from antiphon.envs.acknowledgement.rules import rules_of
from antiphon.envs.casting import Cast, Casting
from antiphon.envs.continuing import ContinueRun, continue_run
from antiphon.envs.domain import open_domain
from antiphon.envs.pages import write
from antiphon.envs.requirements import unreachable
from antiphon.envs.results import load, row
from antiphon.envs.reward import LEVELS
from antiphon.envs.rewarding import RewardSettings, reward_run, summary
from antiphon.envs.rollout import RolloutSettings
from antiphon.envs.run import EnvFolder, EnvRun, run_rollouts
from antiphon.envs.scoring import ScoringSettings, domain_of, score_run
from antiphon.envs.tables import results_table, rewards_table
from antiphon.jsonl import dumps
from antiphon.judge.uri import open_judges

if TYPE_CHECKING:
    from antiphon.judge.judge import Judge
    from antiphon.judge.panel import Panel

_HEARING = "cascade:?chat=reference:"


def run_verb(given: dict[str, Any]) -> None:
    """`antiphon envs run` with its options as they were given."""
    plan = _plan(given)
    quiet = given["as_json"]
    domain = open_domain(given["domain"])
    bring(partial(Cast, plan.casting, domain, plan.seed), must=True, quiet=quiet)
    judge = _judge(given)
    asyncio.run(run_rollouts(plan, watcher(given)("episodes")))
    _score(plan.out, judge, given)


def score_verb(given: dict[str, Any]) -> None:
    """`antiphon envs score` with its options as they were given."""
    EnvFolder(given["run"]).read_manifest()
    _score(given["run"], _judge(given), given)


def continue_verb(given: dict[str, Any]) -> None:
    """`antiphon envs continue` with its options as they were given."""
    plan = ContinueRun(
        given["run"], given["out"], given["where"], given["count"], given["seed"], given["system"],
        given["temperature"], settings_of(given), given["resume"],
    )  # fmt: skip
    judge = _judge(given)
    asyncio.run(continue_run(plan, watcher(given)("continuations")))
    _score(plan.out, judge, {**given, "open_page": False})


def reward_verb(given: dict[str, Any]) -> None:
    """`antiphon envs reward` with its options as they were given."""
    path: Path = given["run"]
    domain = domain_of(EnvFolder(path))
    rules = rules_of(given["acknowledge"], tuple(domain.tools)) if given["acknowledge"] else None
    settings = RewardSettings(given["levels"] or LEVELS, _judge(given), rules)
    rows = summary(asyncio.run(reward_run(path, settings, watcher(given)("rewards"), domain)))
    if given["as_json"]:
        click.echo(dumps({"run": str(path), "levels": rows}))
        return
    console().print(rewards_table(rows))
    click.echo(f"Rewards: {path / 'rewards.jsonl'}")


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
        settings=RolloutSettings(
            max_turns=given["max_turns"], max_calls=given["max_calls"], temperature=given["temperature"],
            unreachable=unreachable if given["stop_early"] else None,
        ),
        how=settings_of(given),
        resume=given["resume"],
    )  # fmt: skip


def _judge(given: dict[str, Any]) -> Judge | Panel | None:
    """The judge or panel that the options name, within its budget."""
    if not given["judges"]:
        return None
    bring_judges(given["judges"], quiet=given["as_json"])
    store = Store(default_folder() / "verdicts")
    budget = budget_of({**given, "workers": 0, "cluster": None})  # judging is done here, whoever played
    return open_judges(given["judges"], given["repeat"] or 1, RealClock(), store, budget)


def _score(path: Path, judge: Judge | Panel | None, given: dict[str, Any]) -> None:
    settings = ScoringSettings(given["scoring"], judge)
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
