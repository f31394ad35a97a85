"""How far the members of a panel agree with each other, per metric, for a run's report."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING

from antiphon.bench.folder import judged_of
from antiphon.judge.agreement import agreement, unanimity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.folder import RunFolder
    from antiphon.bench.takes import Judged

Columns = dict[tuple[str, int], list[bool | float | None]]


def notes(folder: RunFolder) -> list[tuple[str, str]]:
    """Metric and text: how often all agree, and the mean kappa of pairs of members."""
    _, judged = judged_of(folder)
    found: list[tuple[str, str]] = []
    for metric in dict.fromkeys(one.metric for one in judged):
        rows = [one for one in judged if one.metric == metric and one.opinions]
        alike = unanimity([[opinion.verdict for opinion in row.opinions] for row in rows])
        if alike.value is None:
            found.append((metric, "no reply has two verdicts"))
            continue
        text = f"all in {alike.k} of {alike.n} ({alike.value:.0%})"
        among = kappa_among(columns(rows))
        known = f"mean kappa of pairs {among:.2f}" if among is not None else "kappa of pairs not defined"
        found.append((metric, f"{text}, {known}"))
    return found


def columns(rows: Sequence[Judged]) -> Columns:
    """Each member's verdicts, in the order of the rows; None where it gave none."""
    members = dict.fromkeys((opinion.judge, opinion.seed) for row in rows for opinion in row.opinions)
    found: Columns = {member: [] for member in members}
    for row in rows:
        said = {(opinion.judge, opinion.seed): opinion.verdict for opinion in row.opinions}
        for member, verdicts in found.items():
            verdicts.append(said.get(member))
    return found


def kappa_among(members: Columns) -> float | None:
    """The mean of the pairs' kappas (quadratic for scores), over pairs whose kappa is defined."""
    kappas: list[float] = []
    for first, second in combinations(members.values(), 2):
        both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
        if not both:
            continue
        found = agreement([a for a, _ in both], [b for _, b in both])
        kappa = found.kappa if found.within_one is None else found.weighted_kappa
        if kappa is not None:
            kappas.append(kappa)
    return fmean(kappas) if kappas else None
