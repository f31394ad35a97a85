"""What `antiphon judge calibrate`, `rate` and `agreement` do with their options."""

from __future__ import annotations

import asyncio
import webbrowser
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from antiphon.bench.calibration.calibrate import CALIBRATION, calibrate, cases_of, refusal
from antiphon.bench.calibration.eva import read_eva
from antiphon.bench.calibration.labelled import language_of, read_labels
from antiphon.bench.calibration.say import say_agreement, say_calibration
from antiphon.bench.folder import RunFolder
from antiphon.bench.judge_bill import bill
from antiphon.bench.judgements import Jury
from antiphon.bench.rating.ballots import ballots
from antiphon.bench.rating.compare import compare_raters
from antiphon.bench.rating.rate_app import rate_app
from antiphon.bench.rating.ratings import open_box
from antiphon.bench.suites.vocalbench_zh.rubrics import CHOICES, prompt_file
from antiphon.cli.running import bring_judges, slug, stages_of
from antiphon.clock import RealClock
from antiphon.errors import ConfigError, unknown
from antiphon.jsonl import dumps, to_row
from antiphon.judge.prompt import read
from antiphon.report.local_app import new_token, serve
from antiphon.stage.folder import lock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.calibration.labelled import Labelled, Labels
    from antiphon.judge.prompt import Prompt


def calibrate_verb(given: dict[str, Any]) -> None:
    """`antiphon judge calibrate` with its options as they were given."""
    sets = [labels.some(given["limit"]) for labels in _sets(given)]
    given = {**given, "workers": 0, "cluster": None}
    judges = given["judges"] or ("embedded:",)
    stages = stages_of(given)
    jury = Jury(judges, 1 if given["repeat"] is None else given["repeat"], stages.budget)
    if not given["dry_run"]:
        bring_judges(judges, quiet=given["as_json"])
    asked = [labels for labels in sets if refusal(labels, jury) is None]
    todo = [case for labels in asked if labels.prompt for case in cases_of(labels, labels.prompt)]
    due = bill(todo, jury)
    if given["dry_run"]:
        click.echo(due.say(as_json=given["as_json"]))
        return
    if stages.say is not None and due.paid:
        stages.say(due.say())
    folder = RunFolder(given["out"] or Path("runs") / f"calibrate-{slug(' '.join(judges))}")
    with lock(folder.path):
        found = asyncio.run(calibrate(sets, jury, folder, stages, swap=given["swap"]))
    if given["as_json"]:
        click.echo(dumps({"out": str(folder.path), "calibrations": [to_row(one) for one in found]}))
        return
    click.echo(f"judge: {jury.open().name}")
    for one in found:
        click.echo(say_calibration(one))
    click.echo(f"Answers and figures: {folder.path / CALIBRATION}")


def rate_verb(given: dict[str, Any]) -> None:
    """`antiphon judge rate` with its options as they were given: serves until Ctrl-C."""
    folders = [RunFolder(path) for path in dict.fromkeys(given["runs"])]
    todo = ballots(folders, given["metrics"], given["sample"], given["seed"])
    if not todo:
        raise ConfigError("no reply here needs an opinion: keywords settle all of them")
    token = new_token()

    def announce(address: str) -> None:
        page = f"{address}/{token}/"
        click.echo(f"{box.done} of {len(todo)} replies rated. Open {page}   (Ctrl-C ends; ratings are kept)")
        if given["open_page"]:
            webbrowser.open(page)

    with open_box(folders, todo, given["rater"], RealClock()) as box:
        serve(lambda _: rate_app(box, token), port=given["port"], announce=announce)
    runs = " ".join(str(folder.path) for folder in folders)
    click.echo(f"{box.done} of {len(todo)} replies rated or skipped; next: antiphon judge agreement {runs}")


def agreement_verb(given: dict[str, Any]) -> None:
    """`antiphon judge agreement` with its options as they were given."""
    folders = [RunFolder(path) for path in given["runs"]]
    for folder in folders:
        folder.read_manifest()  # where there is no run, that is what is wrong, and not that nobody rated it
    found = compare_raters(folders)
    if given["as_json"]:
        click.echo(dumps({"comparisons": [asdict(one) for one in found]}))
        return
    for one in found:
        click.echo(f"{one.metric}: {one.given} against {one.truth}")
        for line in say_agreement(one.agreement, one.given, one.truth):
            click.echo(line)


def _sets(given: dict[str, Any]) -> list[Labels]:
    if given["eva"] is None and (given["sets"] or not given["labels"]):
        raise ConfigError("nothing to compare with: give a JSONL file of labelled replies, or --eva FOLDER")
    prompt = partial(_prompt, given["prompt"], given["choices"])
    sets = [read_labels(path, prompt) for path in given["labels"]]
    sets += read_eva(given["eva"], given["sets"]) if given["eva"] is not None else []
    names = [labels.name for labels in sets]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"two sets are called {twice}; rename a file")
    return sets


def _prompt(named: str | None, choices: str | None, rows: Sequence[Labelled]) -> Prompt:
    """The prompt that was named; without a name the suite's, by kind of label and language."""
    if named in CHOICES:
        return prompt_file(str(named))
    if named is not None:
        path = Path(named)
        if not path.is_file():
            raise unknown("prompt", named, set(CHOICES), "or give a text file")
        return read(path, tuple(choices.split(",")) if choices else ())
    end = "" if language_of(rows) == "zh" else "_en"
    if not isinstance(rows[0].label, bool):
        return prompt_file(f"single_round{end}")
    if any(not row.fields.get("answer") for row in rows):
        raise ConfigError(
            "these yes/no labels have no `answer` in every row, so the prompt must be named: --prompt safety, "
            "instruction_following, …, or a text file"
        )
    return prompt_file(f"knowledge{end}")
