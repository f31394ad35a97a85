"""Instruments before they are used: their full names, what is missing, and what a reader must know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.bench.metrics.emotions import NINE
from antiphon.bench.origin import clock_for
from antiphon.errors import ConfigError, UnavailableError
from antiphon.judge.uri import is_weak, open_judges
from antiphon.models.catalog import open_scorer, open_transcriber
from antiphon.models.ports import is_scripted
from antiphon.score import Status

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from antiphon.bench.items import Item
    from antiphon.bench.suite import Metric
    from antiphon.bench.takes import Instruments, Manifest
    from antiphon.models.ports import ClipScorer

# What a metric needs and nobody has: status and reason by need. Full names by part ("system") or URI.
Gaps = dict[str, tuple[Status, str]]
Names = dict[str, str | None]

UNUSED = "none: no sound came without its transcript"  # in the place of the recogniser's name

# Which scorer fills which columns of the metrics: quality.py, emotions.py.
COLUMNS = {
    "utmos22": ("utmos22",),
    "utmosv2": ("utmosv2",),
    "distillmos": ("distillmos",),
    "dnsmos": ("dnsmos_ovrl",),
    "emotion2vec": NINE,
}


def scheme_of(uri: str) -> str:
    """`dnsmos` of `dnsmos:?threads=1`."""
    return uri.partition(":")[0]


def check_instruments(instruments: Instruments, *, hears: bool = True) -> tuple[Gaps, Names]:
    """Open every instrument, cheaply: the full names, and the gaps that a metric would run into. The recogniser only
    where it `hears` anything: outputs may bring all their transcripts.

    A scorer that is not here is a gap; a recogniser or judge that is not here raises UnavailableError, and
    two scorers of one kind ConfigError.
    """
    clock = clock_for("")
    gaps: Gaps = {}
    names: Names = {}
    if instruments.transcriber:
        names["transcriber"] = UNUSED
    if instruments.transcriber and hears:
        names["transcriber"] = open_transcriber(instruments.transcriber, clock).name
    judges = instruments.judges
    names["judge"] = open_judges(judges, instruments.repeat, clock).name if judges else None
    schemes = [scheme_of(uri) for uri in instruments.scorers]
    if twice := next((scheme for scheme in schemes if schemes.count(scheme) > 1), None):
        raise ConfigError(f"--scorer {twice}: is given twice, and a run keeps one of a kind; leave one out")
    for uri in instruments.scorers:
        try:
            names[uri] = open_scorer(uri, clock).name
        except UnavailableError as error:
            gaps |= dict.fromkeys(COLUMNS.get(scheme_of(uri), ()), ("unavailable", str(error)))
    if instruments.judge is None:
        gaps["judge"] = ("not judged", "no judge was given; add --judge URI")
    return gaps, names


def asked_for(metrics: Sequence[Metric], scorers: Collection[ClipScorer], gaps: Gaps) -> tuple[Metric, ...]:
    """The metrics of a run: those that need a scorer's column only where that scorer was asked for."""
    known = {name for scorer in scorers for name in scorer.names} | gaps.keys()
    columns = {column for each in COLUMNS.values() for column in each}
    return tuple(metric for metric in metrics if columns.intersection(metric.needs) <= known)


def usable(instruments: Instruments, names: Names) -> Instruments:
    """The instruments without the scorers that are not here."""
    return replace(instruments, scorers=tuple(uri for uri in instruments.scorers if uri in names))


def with_instruments(
    manifest: Manifest, instruments: Instruments, names: Names, items: Sequence[Item]
) -> Manifest:
    """The manifest with these instruments' names, and with the warnings that follow from them."""
    named = replace(
        manifest,
        instruments=instruments,
        transcriber=names.get("transcriber") or instruments.transcriber,
        scorers=tuple(name for uri in instruments.scorers if (name := names.get(uri))),
        judge=names["judge"],
    )
    return replace(named, warnings=tuple(_warnings(named, items)))


def _warnings(manifest: Manifest, items: Sequence[Item]) -> list[str]:
    if not manifest.transcriber:
        return [
            "People, and the model's words and times, are scripted; the engine and its turn policy are those that serve."
        ]
    found: list[str] = []
    if is_scripted(manifest.system):
        found.append("The system is scripted: it recites, and measures nothing about any model.")
    if is_scripted(manifest.transcriber):
        found.append("The recogniser is scripted: error rates are made up.")
    elif _model(manifest.transcriber) in manifest.system:
        found.append(
            "The same recogniser sits in the system and in the scorer: what it mishears in both places "
            "can pass unnoticed."
        )
    if any(is_weak(uri) for uri in manifest.instruments.judges):
        found.append(
            "The embedded judge is weak: in one run it called 5 of 40 wrong facts right. Take another judge for "
            "results that count, and measure it: `antiphon judge calibrate`."
        )
    if manifest.system_uri == "imported:":
        found.append("The outputs were made elsewhere: nothing here tells how, or how fast.")
        if left_out := manifest.meta.get("left_out"):
            asked = left_out + manifest.items
            found.append(f"{left_out} of {asked} items have no output and were left out (--covered).")
    elif spoken := sum(item.audio is None for item in items):
        found.append(f"{spoken} of {len(items)} questions have no recording: a synthesizer spoke them.")
    elif any(item.speech == "synthetic" for item in items):
        found.append("Questions are synthetic speech, not recordings of people.")
    return found


def _model(name: str) -> str:
    """A recogniser's name without its settings: the same model with another beam is the same ears."""
    return name.split("?", maxsplit=1)[0].split(" beam", maxsplit=1)[0]
