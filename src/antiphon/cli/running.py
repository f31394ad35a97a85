"""What the bench verbs share: a plan from options, stages with progress, the closing lines."""

from __future__ import annotations

import asyncio
import webbrowser
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from antiphon.bench.beside import beside
from antiphon.bench.catalog import open_suite
from antiphon.bench.estimate import estimate, price
from antiphon.bench.folder import RunFolder, load
from antiphon.bench.page_beside import write as write_beside
from antiphon.bench.pages import reused, write
from antiphon.bench.run import Plan, run
from antiphon.bench.speech import run_speech
from antiphon.bench.stages import Stages
from antiphon.bench.suite import Selection, known_scoring
from antiphon.bench.suites.full_duplex.subsets import OPEN
from antiphon.bench.takes import Instruments, Take
from antiphon.cli.listing import console
from antiphon.clock import RealClock
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.jsonl import dumps, to_row
from antiphon.judge.budget import Budget
from antiphon.judge.uri import open_judge
from antiphon.models.catalog import open_chat, open_scorer, open_synthesizer, open_transcriber
from antiphon.models.weights.fetch import fetch
from antiphon.models.weights.missing import MissingWeightsError
from antiphon.models.weights.progress import Bars
from antiphon.report.terminal import beside_table, run_table
from antiphon.stage.map import Settings
from antiphon.stage.progress import Silent, progress
from antiphon.stage.seal import read_sealed
from antiphon.wiring import open_sets
from antiphon.wiring.full_duplex import live_venue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.bench.suite import Suite
    from antiphon.stage.progress import Progress


def run_verb(given: dict[str, Any]) -> None:
    """`antiphon run` with its options as they were given."""
    given = {**given, "system": given["system"] or (open_sets.SYSTEM if _is_open(given) else "cascade:")}
    plan, paid = _plan(given), price(given["price"])
    if given["dry_run"]:
        click.echo(estimate(plan, paid).say(as_json=given["as_json"]))
        return
    opener = plan.venue.open if plan.venue is not None else open_chat
    bring_weights(plan.instruments, plan.system, opener, speaks=plan.speaks, quiet=given["as_json"])
    asyncio.run(run(plan, watcher(given), sayer(given)))
    conclude(plan.out, as_json=given["as_json"], open_page=given["open_page"])
    _expect_replies(plan.out)


def _expect_replies(folder: RunFolder) -> None:
    """Raises ModelError for a run without any reply: whoever reads only the exit code must know."""
    takes, failures = read_sealed(folder.takes, Take)
    if takes or not failures:
        return
    again = any(failure.transient for failure in failures)
    raise ModelError(
        folder.read_manifest().system_uri,
        f"no reply to any of {len(failures)} items (first: {failures[0].reason}); mend that and "
        f"{'add --resume' if again else 'choose another --out'}",
    )


def _plan(given: dict[str, Any]) -> Plan:
    suite = suite_of(given)
    if suite.virtual:
        _no_ears(given)
    if suite.live:
        given = {**given, "transcriber": given["transcriber"] or suite.transcriber}
    out: Path = given["out"] or Path("runs") / f"{suite.name}-{slug(given['system'])}"
    return Plan(
        suite=suite,
        system=given["system"],
        out=RunFolder(out),
        instruments=_instruments(given, suite),
        scoring=known_scoring(given["scoring"]),
        seed=given["seed"],
        noise=given["noise"],
        limit=given["limit"],
        balanced=given["balanced"],
        fresh=given["fresh"],
        resume=given["resume"],
        budget=budget_of(given),
        how=settings_of(given),
        venue=open_sets.theatre(given["data"]) if suite.virtual else live_venue() if suite.live else None,
    )


def _instruments(given: dict[str, Any], suite: Suite) -> Instruments:
    """A suite in real time has no scorers that nobody asked for; one in virtual time has nothing to hear."""
    if suite.virtual:
        return Instruments(transcriber="", scorers=())
    named = instruments_of(given)
    return replace(named, scorers=tuple(given["scorers"])) if suite.live else named


def _no_ears(given: dict[str, Any]) -> None:
    """Raises ConfigError for instruments that would have nothing to do."""
    names = {
        "transcriber": "--transcriber",
        "scorers": "--scorer",
        "judges": "--judge",
        "synthesizer": "--synthesizer",
    }
    if useless := [option for name, option in names.items() if given[name]]:
        raise ConfigError(
            f"{', '.join(useless)}: full-duplex open is judged from the event log; recogniser and synthesizer of the "
            "sessions are options of the system, as engine:?observations=real&transcriber=whisper:base"
        )


def _is_open(given: dict[str, Any]) -> bool:
    return (given["suite"], given.get("version")) == ("full-duplex", OPEN)


def suite_of(given: dict[str, Any]) -> Suite:
    """The suite that the options name."""
    may_speak = given["speak_missing"] or given.get("dry_run", False)  # an estimate speaks nothing
    chosen = Selection(given["data"], given["subsets"], may_speak, given.get("version"))
    if _is_open(given):
        return open_sets.open_suite(chosen, given.get("seed") or 0)
    return open_suite(given["suite"], chosen)


def instruments_of(given: dict[str, Any]) -> Instruments:
    """The instruments that the options name, defaults filled in."""
    named: dict[str, Any] = {
        "transcriber": given["transcriber"],
        "scorers": tuple(given["scorers"]),
        "judge": next(iter(given["judges"]), None),
        "panel": tuple(given["judges"][1:]),
        "repeat": given.get("repeat"),
        "synthesizer": given.get("synthesizer"),
    }
    return Instruments(**{part: uri for part, uri in named.items() if uri})


def settings_of(given: dict[str, Any]) -> Settings:
    """How stages run."""
    return Settings(in_flight=given["in_flight"], workers=given["workers"], cluster=given["cluster"])


def budget_of(given: dict[str, Any]) -> Budget | None:
    """What a judge may cost, None where nothing was said about it. Raises ConfigError."""
    calls, usd, paid = (given.get(name) for name in ("max_judge_calls", "budget", "price"))
    if calls is None and usd is None:
        return Budget(price=price(paid)) if paid else None
    if usd is not None and not paid:
        raise ConfigError(f"--budget {usd:g} needs --price IN,OUT, USD per million tokens in and out")
    if min(calls or 0, usd or 0.0) < 0:
        raise ConfigError("--budget and --max-judge-calls must not be negative")
    if given.get("workers") or given.get("cluster"):
        raise ConfigError(
            "a budget is kept by one process: leave out --workers and --cluster, or use --in-flight"
        )
    return Budget(calls, usd, price(paid))


def sayer(given: dict[str, Any]) -> Callable[[str], None] | None:
    """Says what is about to be paid for; to nobody where a program reads."""
    return None if given["as_json"] else lambda text: click.echo(text, err=True)


def watcher(given: dict[str, Any]) -> Callable[[str], Progress]:
    """Progress for a person, or none where a program reads."""
    return (lambda _: Silent()) if given["as_json"] else progress


def bring_weights(
    instruments: Instruments,
    system: str | None = None,
    opener: Callable[..., Any] = open_chat,
    *,
    speaks: bool = False,
    hears: bool = True,
    quiet: bool = False,
) -> None:
    """Fetch the weight files that these parts need and this machine lacks; a scorer may go without."""
    clock = RealClock()
    needed: list[tuple[Callable[..., Any], str | None, bool]] = [
        (opener, system, True),
        (open_synthesizer, instruments.synthesizer if speaks else None, True),
        (open_transcriber, (instruments.transcriber or None) if hears else None, True),
        *((open_judge, uri, True) for uri in instruments.judges),
        *((open_scorer, uri, False) for uri in instruments.scorers),
    ]
    for opens, uri, must in needed:
        if uri is not None:
            bring(partial(opens, uri, clock), must=must, quiet=quiet)


def bring_judges(judges: Sequence[str], *, quiet: bool) -> None:
    """Fetch the weight files that these judges need and this machine lacks."""
    for uri in judges:
        bring(partial(open_judge, uri, RealClock()), must=True, quiet=quiet)


def bring(opener: Callable[[], object], *, must: bool, quiet: bool) -> None:
    """Open, fetch what is missing, open again: a model may need several weights."""
    fetched: set[str] = set()
    while True:
        try:
            opener()
        except MissingWeightsError as error:
            if error.weight in fetched:
                raise
            fetched.add(error.weight)
            try:
                fetch_weights([error.weight], quiet=quiet)
            except UnavailableError:
                if must:
                    raise
                return
        except UnavailableError:
            if must:
                raise
            return
        else:
            return


def fetch_weights(names: Sequence[str], *, quiet: bool, source: Path | None = None) -> dict[str, Path]:
    """Fetch weights with a bar for a person."""
    if quiet:
        return fetch(names, source=source)
    with Bars() as bars:
        return fetch(names, progress=bars, source=source)


def stages_of(given: dict[str, Any]) -> Stages:
    """Stages for the verbs that work on a kept run."""
    return Stages(settings_of(given), watcher(given), budget_of(given), sayer(given))


def conclude(
    folder: RunFolder, *, as_json: bool, open_page: bool, embed_audio: bool = False, by_subset: bool = False
) -> None:
    """Write the page, print the table, and end with where the result is and what to do next."""
    results = load(folder.path)
    page = write(results, embed_audio=embed_audio)
    if as_json:
        rows = [to_row(summary) for summary in results.summaries]
        click.echo(dumps({"run": str(folder.path), "report": str(page), "summaries": rows}))
        return
    screen = console()
    screen.print(run_table(results, by_subset=by_subset))
    screen.print(f"Questions: {run_speech(results)}.", style="dim", markup=False)
    for warning in (*results.manifest.warnings, *reused(results)):
        screen.print(f"Note: {warning}", style="dim", markup=False)
    click.echo(f"Report: {page}   (again: antiphon report {folder.path} --open)")
    if open_page:
        webbrowser.open(page.resolve().as_uri())


def conclude_beside(
    folders: Sequence[RunFolder], out: Path | None, *, as_json: bool, open_page: bool
) -> None:
    """Write the page of several runs, print their totals beside each other, and end with where it is."""
    runs = [load(folder.path) for folder in folders]
    found = beside(runs)
    page = write_beside(runs, out or folders[0].report.with_name("beside.html"))
    if as_json:
        click.echo(dumps({"runs": [str(folder.path) for folder in folders], "report": str(page)}))
    else:
        console().print(beside_table(found))
        click.echo(f"Report: {page}")
    if open_page:
        webbrowser.open(page.resolve().as_uri())


def slug(uri: str) -> str:
    """A URI as the name of a folder."""
    kept = "".join(letter if letter.isalnum() else "-" for letter in uri)
    return "-".join(part for part in kept.split("-") if part)[:48]
