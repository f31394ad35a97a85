"""`Suite` and `Metric`: what a benchmark asks, and which pure functions score the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from antiphon.errors import unknown
from antiphon.score import Score, Status

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.bench.items import Item
    from antiphon.bench.results import MetricInfo
    from antiphon.bench.takes import Heard, Judged, Said, Take
    from antiphon.bench.tracks import Track
    from antiphon.judge.judge import Ask
    from antiphon.stats import Summary

Scoring = Literal["paper", "strict"]
SCORINGS: tuple[Scoring, ...] = ("strict", "paper")


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of one item's performance; a metric reads it and nothing else.

    `gaps` maps a need ("transcript", "judge", a scorer's column) to the status and reason why it
    is not there for anyone: no judge given, no scorer on this machine. `parts` has what scorers gave for parts of
    the agent's track, by their seconds.
    """

    item: Item
    take: Take | None
    failure: str | None = None
    heard: Heard | None = None
    measured: Mapping[str, float | str] = field(default_factory=dict[str, "float | str"])
    judged: Mapping[str, Judged] = field(default_factory=dict[str, "Judged"])
    tracks: Mapping[str, Track] = field(default_factory=dict[str, "Track"])
    gaps: Mapping[str, tuple[Status, str]] = field(default_factory=dict[str, tuple[Status, str]])
    parts: Mapping[tuple[float, float], Mapping[str, float | str]] = field(
        default_factory=dict[tuple[float, float], "Mapping[str, float | str]"]
    )

    @property
    def said(self) -> Said:
        """The reply that is scored: the last one. Only for evidence with a take."""
        if self.take is None:
            raise ValueError(f"{self.item.id} has no take, so nothing was said")
        return self.take.replies[-1]


@dataclass(frozen=True, slots=True)
class Value:
    """A number, its weight in the group, and what it was computed from."""

    value: float
    weight: float = 1.0
    evidence: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class NoValue:
    """Why there is no number."""

    status: Status
    reason: str


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of a suite: how it prints, which items it is about, what it needs, how it measures.

    `needs` names entries that may be missing for everyone ("transcript", "judge", a scorer's column).
    A judged metric has `ask`: what a judge is to be asked, None where the evidence settles it.
    `parts` names the parts of the agent's track, in seconds, that scorers are asked about for it.
    `derive` makes further summaries of all items and rows of a run: values of groups that are no mean.
    """

    info: MetricInfo
    covers: Callable[[Item], bool]
    measure: Callable[[Evidence], Value | NoValue]
    needs: tuple[str, ...] = ()
    ask: Callable[[Evidence], Ask | None] | None = None
    parts: Callable[[Evidence], Sequence[tuple[float, float]]] | None = None
    derive: Callable[[Sequence[Item], Sequence[Score]], list[Summary]] | None = None

    def score(self, evidence: Evidence) -> Score:
        """The row for one item that the metric covers."""
        item = evidence.item
        found = self._found(evidence)
        if isinstance(found, NoValue):
            return Score(
                item.id, item.subset, self.info.name, status=found.status, reason=found.reason,
                cluster=item.cluster,
            )  # fmt: skip
        return Score(
            item.id, item.subset, self.info.name, found.value, found.weight, cluster=item.cluster,
            evidence=found.evidence,
        )  # fmt: skip

    def _found(self, evidence: Evidence) -> Value | NoValue:
        if evidence.take is None:
            return NoValue("invalid", evidence.failure or "the item was not performed")
        for need in self.needs:
            if gap := evidence.gaps.get(need):
                return NoValue(*gap)
        return self.measure(evidence)


Metrics = Mapping[Scoring, tuple[Metric, ...]]


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark: its items, and its metrics by scoring.

    `source` is how the suite was named: what finds its metrics again. `max_tokens` caps each reply (None: the system's own limit). `spoken_here` says that the suite is
    meant to be spoken by the user's synthesizer, so that missing recordings are no surprise. `live`: items are
    performed in real time, by somebody who hears and speaks at once; `transcriber` is the recogniser that the
    metrics need where the user names none. `virtual`: items are points of scripted sessions in virtual time, which
    have no question to be spoken and no sound to be recognised.
    """

    name: str
    items: tuple[Item, ...]
    metrics: Metrics
    source: str
    max_tokens: int | None = None
    spoken_here: bool = False
    live: bool = False
    transcriber: str | None = None
    virtual: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user wants of a suite: where its data is, which subsets, whether questions without a
    recording may be spoken, and which version of the data where there are several."""

    data: Path | None = None
    subsets: tuple[str, ...] = ()
    speak_missing: bool = False
    version: str | None = None


class OpenSuite(Protocol):
    """How a suite is opened. Raises ConfigError and DataError for data that is not what it should be."""

    def __call__(self, chosen: Selection) -> Suite: ...


def known_scoring(name: str) -> Scoring:
    """A scoring by name. Raises ConfigError."""
    for scoring in SCORINGS:
        if name == scoring:
            return scoring
    raise unknown("scoring", name, SCORINGS)
