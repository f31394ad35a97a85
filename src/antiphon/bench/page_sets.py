"""What a run asked, in pictures: subsets, categories and sources of its items, and how long the questions are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.speech import speech_of
from antiphon.report.donut import Part, donut
from antiphon.report.histograms import Spread, histograms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markupsafe import Markup

    from antiphon.bench.items import Item
    from antiphon.bench.results import Results

_UNNAMED = "not named"


@dataclass(frozen=True, slots=True)
class SetPictures:
    """Rings of what was asked, each with its caption, and the questions' durations (None without sound)."""

    rings: tuple[tuple[Markup, str], ...]
    durations: Markup | None
    note: str


def set_pictures(results: Results) -> SetPictures:
    """What the items of a run are (VocalBench-zh, figure 2): by subset and category, by source, by duration."""
    items = results.items
    rings = [
        (
            donut(by_ability(items), "Items by subset and category", "items"),
            "What was asked: subsets in the inner ring, their parts or categories in the outer one.",
        )
    ] if items else []  # fmt: skip
    if any(item.source for item in items):
        named = [item for item in items if item.source]
        told = "" if len(named) == len(items) else f" {len(items) - len(named):,} other items name none."
        rings.append(
            (
                donut(_counted(item.source for item in named), "Items by source", "items"),
                f"Where the questions come from, as the data names it.{told}",
            )
        )
    rows = durations(results)
    if not any(row.values for row in rows):
        return SetPictures(tuple(rings), None, "")
    lost = sum(take.query is None for take in results.takes.values()) + len(items) - len(results.takes)
    note = "Seconds, measured on the sound that the system heard; hollow bars are synthetic speech, full ones recorded. "
    note += "Each row's fullest bin has full height; the line is the median."
    if lost:
        note += f" {lost:,} of {len(items):,} questions have no sound here."
    return SetPictures(tuple(rings), histograms(rows, "Duration of the spoken question, s"), note)


def by_ability(items: Sequence[Item]) -> list[Part]:
    """Abilities in the suite's order; inside, the subsets that test one, or the categories of its only one."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.ability or item.subset, []).append(item)
    return [Part(_words(name), len(group), _inside(group)) for name, group in groups.items()]


def _inside(items: Sequence[Item]) -> tuple[Part, ...]:
    if len({item.subset for item in items}) > 1:
        return tuple(_counted(item.subset for item in items))
    if not any(item.category for item in items):
        return ()
    return tuple(_counted(item.category for item in items))


def _counted(names: Iterable[str]) -> list[Part]:
    """Most frequent first, ties in the order of the data."""
    return [Part(_words(name) or _UNNAMED, many) for name, many in Counter(names).most_common()]


def durations(results: Results) -> list[Spread]:
    """A row for each subset and kind of speech; a subset without any sound says so."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for item in results.items:
        take = results.takes.get(item.id)
        kept = seconds.setdefault((item.subset, speech_of(item, take)), [])
        if take is not None and take.query is not None:
            kept.append(take.query_s)
    heard = {subset for (subset, _), values in seconds.items() if values}
    return [
        Spread(_words(subset), kind, tuple(values), kind == "synthetic", "no sound of a question")
        for (subset, kind), values in seconds.items()
        if values or subset not in heard
    ]


def _words(name: str) -> str:
    return name.replace("_", " ")
