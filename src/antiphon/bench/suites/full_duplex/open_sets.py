"""The open sets: points of scripted sessions, each judged from the agent's sound when the session was performed.

An item is a point; its cluster is the session. The sessions are written and performed by `wiring/open_sets.py`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from antiphon.bench.results import MetricInfo
from antiphon.bench.suite import Metric, NoValue, Value
from antiphon.bench.suites.full_duplex.judging import BEHAVIOURS
from antiphon.score import Score
from antiphon.stats import summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.items import Item
    from antiphon.bench.suite import Evidence
    from antiphon.bench.takes import Met
    from antiphon.stats import Summary

# The sets, and the subsets that each has: one for each kind of fdb-like, where a session is one point.
SETS: dict[str, tuple[str, ...]] = {
    "multi-party": ("multi-party",),
    "semantic-control": ("semantic-control",),
    "fdb-like": ("interruption", "backchannel", "talking-to-others", "background-speech"),
}
_POINT, _SESSION = "point_pass", "session_pass"


def _met(evidence: Evidence) -> Met | NoValue:
    met = evidence.take.met if evidence.take is not None else None
    if met is None:
        return NoValue("invalid", "the take has no point of a session")
    return NoValue("excluded", met.reason) if met.passed is None else met


def point(evidence: Evidence) -> Value | NoValue:
    """1 where what the agent did at the point was right; excluded where its moment did not come."""
    met = _met(evidence)
    if isinstance(met, NoValue):
        return met
    extra = evidence.item.extra
    return Value(
        float(met.passed is True),
        evidence={"expect": extra["expect"], "did": met.did, "decided": met.decided},
    )


def did(behaviour: str, evidence: Evidence) -> Value | NoValue:
    """1 where the agent did this, right or wrong."""
    met = _met(evidence)
    return met if isinstance(met, NoValue) else Value(float(met.did == behaviour), evidence={"did": met.did})


def sessions(items: Sequence[Item], scores: Sequence[Score]) -> list[Summary]:
    """Sessions passed, by set: all judgeable points of a session are right. Excluded: no point is judgeable.
    Invalid: a point was not performed, or is not among the items that were chosen (`--limit`)."""
    rows = [row for row in scores if row.metric == _POINT]
    sizes = {item.cluster: item.extra["points"] for item in items if item.cluster is not None}
    by_session: dict[str, list[Score]] = {}
    for row in rows:
        by_session.setdefault(row.cluster or row.item, []).append(row)
    by_subset: dict[str, list[Score]] = {}
    for name, own in by_session.items():
        by_subset.setdefault(own[0].subset, []).append(_session(name, own, sizes[name]))
    found = [summarise(each) for each in by_subset.values()]
    every = [row for own in by_subset.values() for row in own]
    return [*found, summarise(every)] if len(found) > 1 else found


def _session(name: str, own: Sequence[Score], size: int) -> Score:
    subset = own[0].subset
    if len(own) < size:
        reason = f"only {len(own)} of a session's {size} points are in this run"
        return Score(name, subset, _SESSION, status="invalid", reason=reason)
    if lost := next((row for row in own if row.status == "invalid"), None):
        return Score(name, subset, _SESSION, status="invalid", reason=lost.reason)
    known = [row.value == 1.0 for row in own if row.value is not None]
    if not known:
        return Score(name, subset, _SESSION, status="excluded", reason="no point of the session is judgeable")
    return Score(name, subset, _SESSION, float(all(known)))


def tasks(items: Sequence[Item], scores: Sequence[Score]) -> list[Summary]:
    """Points passed by task, for the sets that have several, as "multi-party: backchannel"."""
    task_of = {item.id: item.category for item in items if item.subset in SETS}
    groups: dict[str, list[Score]] = {}
    for row in scores:
        if row.metric == _POINT and row.item in task_of:
            groups.setdefault(f"{row.subset}: {task_of[row.item]}", []).append(row)
    return [replace(summarise(rows), subset=name) for name, rows in sorted(groups.items())]


def open_metrics() -> tuple[Metric, ...]:
    """Sessions and points passed, and the four behaviours; both scorings are the same here."""
    titles = {name: name.capitalize() for name in BEHAVIOURS}
    return (
        Metric(
            MetricInfo(
                _SESSION, "Sessions passed", "%", "higher", 1,
                "Sessions in which every judgeable point is right (Qwen-Audio-3.1-Realtime, 6.4; our open sets).", True,
            ),
            lambda _: False, point, derive=sessions,
        ),
        Metric(
            MetricInfo(
                _POINT, "Points passed", "%", "higher", 1,
                "Points at which the agent did what is right, unjudgeable ones left out (6.4; our open sets).", True,
            ),
            _covers, point, derive=tasks,
        ),
        *(
            Metric(
                MetricInfo(
                    f"did_{name}", title, "%", "neither", 1,
                    f"Points at which the agent's sound is to {name}, right or wrong (ours)."
                    if name in ("respond", "resume")
                    else f"Points at which what the agent did is {name} (ours).",
                    True,
                ),
                _covers, partial(did, name),
            )
            for name, title in titles.items()
        ),
    )  # fmt: skip


def _covers(item: Item) -> bool:
    return any(item.subset in subsets for subsets in SETS.values())
