"""Instruments before they are used: their full names, what is missing, and what a reader must know."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.bench.origin import clock_for
from antiphon.errors import UnavailableError
from antiphon.judge.uri import open_judge
from antiphon.models.catalog import open_scorer, open_transcriber
from antiphon.models.ports import is_scripted
from antiphon.score import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.items import Item
    from antiphon.bench.takes import Instruments, Manifest

# What a metric needs and nobody has: status and reason by need. Full names by part ("system") or URI.
Gaps = dict[str, tuple[Status, str]]
Names = dict[str, str | None]

# Which scorer fills which column of the metrics in bench/metrics/quality.py.
COLUMNS = {"distillmos": ("distillmos",), "dnsmos": ("dnsmos_ovrl",)}


def scheme_of(uri: str) -> str:
    """`dnsmos` of `dnsmos:?threads=1`."""
    return uri.partition(":")[0]


def check_instruments(instruments: Instruments) -> tuple[Gaps, Names]:
    """Open every instrument, cheaply: the full names, and the gaps that a metric would run into.

    A scorer that is not here is a gap; a recogniser or judge that is not here raises UnavailableError.
    """
    clock = clock_for("")
    gaps: Gaps = {}
    names: Names = {"transcriber": open_transcriber(instruments.transcriber, clock).name}
    names["judge"] = open_judge(instruments.judge, clock).name if instruments.judge else None
    given: set[str] = set()
    for uri in instruments.scorers:
        try:
            scorer = open_scorer(uri, clock)
        except UnavailableError as error:
            gaps |= dict.fromkeys(COLUMNS.get(scheme_of(uri), ()), ("unavailable", str(error)))
        else:
            names[uri] = scorer.name
            given |= set(scorer.names)
    for scheme, columns in COLUMNS.items():
        for column in columns:
            if column not in given and column not in gaps:
                gaps[column] = ("unavailable", f"not asked for; add --scorer {scheme}:")
    if instruments.judge is None:
        gaps["judge"] = ("not judged", "no judge was given; add --judge URI")
    return gaps, names


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
        transcriber=names["transcriber"] or instruments.transcriber,
        scorers=tuple(name for uri in instruments.scorers if (name := names.get(uri))),
        judge=names["judge"],
    )
    return replace(named, warnings=tuple(_warnings(named, items)))


def _warnings(manifest: Manifest, items: Sequence[Item]) -> list[str]:
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
    if manifest.system_uri == "imported:":
        found.append("The outputs were made elsewhere: nothing here tells how, or how fast.")
    elif any(item.speech == "synthetic" for item in items):
        found.append("Questions are synthetic speech, not recordings of people.")
    return found


def _model(name: str) -> str:
    """A recogniser's name without its settings: the same model with another beam is the same ears."""
    return name.split("?", maxsplit=1)[0].split(" beam", maxsplit=1)[0]
