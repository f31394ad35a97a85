"""What `antiphon score` and `antiphon judge` do to a kept run."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from antiphon.bench.catalog import metrics_of
from antiphon.bench.folder import RunFolder
from antiphon.bench.imported import Import, bring_in, need_ears
from antiphon.bench.instruments import check_instruments, usable, with_instruments
from antiphon.bench.items import Item
from antiphon.bench.judge_bill import bill
from antiphon.bench.judgements import Judging, Jury, cases, due
from antiphon.bench.run import evaluate, unheard
from antiphon.bench.suite import known_scoring
from antiphon.bench.suites.outputs import read_outputs
from antiphon.bench.takes import Instruments, Take
from antiphon.cli.running import bring_weights, budget_of, conclude, instruments_of, stages_of, suite_of
from antiphon.errors import ConfigError
from antiphon.jsonl import read_records
from antiphon.stage.folder import lock

if TYPE_CHECKING:
    from antiphon.bench.judge_bill import Bill
    from antiphon.bench.suite import Scoring


def score_verb(given: dict[str, Any]) -> None:
    """`antiphon score` with its options as they were given."""
    folder = RunFolder(given["run"])
    scoring = known_scoring(given["scoring"])
    if given["outputs"] is None:
        instruments = _over(folder.read_manifest().instruments, given)
    else:
        instruments = instruments_of(given)
        suite = suite_of({**given, "speak_missing": True})
        outputs = read_outputs(given["outputs"], suite.items)
        bring_weights(instruments, hears=need_ears(outputs), quiet=given["as_json"])
        plan = Import(folder, suite, given["system"], scoring, instruments, given["resume"], given["covered"])
        asyncio.run(bring_in(plan, outputs, stages_of(given)))
    _evaluate(folder, instruments, scoring, given)


def judge_verb(given: dict[str, Any]) -> None:
    """`antiphon judge` with its options as they were given: the run's own instruments, and a judge."""
    folder = RunFolder(given["run"])
    manifest = folder.read_manifest()
    judge, *panel = given["judges"] or ("embedded:",)
    instruments = replace(
        manifest.instruments, judge=judge, panel=tuple(panel), repeat=_or(given["repeat"], 1)
    )
    if given["dry_run"]:
        click.echo(_bill(folder, instruments, given).say(as_json=given["as_json"]))
        return
    _evaluate(folder, instruments, known_scoring(manifest.scoring), given)


def _bill(folder: RunFolder, instruments: Instruments, given: dict[str, Any]) -> Bill:
    """What judging a kept run would ask: verdicts that the run has already are not asked for again."""
    manifest = folder.read_manifest()
    jury = Jury(instruments.judges, instruments.repeat, budget_of(given))
    metrics = metrics_of(manifest.source)[known_scoring(manifest.scoring)]
    return bill(due(cases(Judging(folder, metrics, jury)), jury, folder), jury)


def _or(given: int | None, kept: int) -> int:
    return kept if given is None else given


def _over(kept: Instruments, given: dict[str, Any]) -> Instruments:
    """The run's own instruments, replaced where an option names another."""
    return replace(
        kept,
        transcriber=given["transcriber"] or kept.transcriber,
        scorers=tuple(given["scorers"]) or kept.scorers,
        judge=next(iter(given["judges"]), kept.judge),
        panel=tuple(given["judges"][1:]) if given["judges"] else kept.panel,
        repeat=_or(given["repeat"], 1 if given["judges"] else kept.repeat),
    )


def _evaluate(folder: RunFolder, instruments: Instruments, scoring: Scoring, given: dict[str, Any]) -> None:
    if not folder.takes.exists():
        raise ConfigError(
            f"the run in {folder.path} has no replies yet; finish it with `antiphon run … --resume`"
        )
    stages = stages_of(given)  # first: a budget that cannot be kept changes nothing
    _, takes = folder.rows(folder.takes, Take)
    hears = bool(unheard(takes, scoring))
    bring_weights(instruments, hears=hears, quiet=given["as_json"])
    gaps, names = check_instruments(instruments, hears=hears)
    manifest = folder.read_manifest()
    metrics = metrics_of(manifest.source)
    with lock(folder.path):
        items = read_records(folder.items, Item)
        restated = with_instruments(replace(manifest, scoring=scoring), instruments, names, items)
        folder.write(folder.manifest, [restated])
        asyncio.run(evaluate(folder, metrics, usable(instruments, names), scoring, gaps, stages))
    conclude(folder, as_json=given["as_json"], open_page=given["open_page"])
