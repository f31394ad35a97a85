"""`Results`: one finished run, loaded; `MetricInfo`: how a metric is printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from antiphon.bench.items import Item
    from antiphon.bench.takes import Heard, Manifest, Take, Voiced
    from antiphon.score import Score
    from antiphon.stats import Summary


About = Literal["ability", "speech", "time"]


@dataclass(frozen=True)
class MetricInfo:
    """How to print a metric. `percent`: its value is 0..1 and shown as %; `what` ends with its source.

    `about` tells what it measures: an ability of the system, its speech, or its time. `ends` are the
    worst and the best value of a metric that has them; a percentage has 0 and 1.
    """

    KIND: ClassVar[str] = "metric"
    V: ClassVar[int] = 1
    name: str
    title: str
    unit: str
    better: Literal["higher", "lower", "neither"]
    digits: int
    what: str
    percent: bool
    about: About = "ability"
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class Results:
    """One run folder in memory.

    `takes` by item id; `failures` says by item id why there is no take; `heard` by clip hash;
    `summaries` per (subset, metric), with subset "all" for the row over everything; `voiced` by clip hash, of
    performances in real time.
    """

    folder: Path
    manifest: Manifest
    items: tuple[Item, ...]
    takes: Mapping[str, Take]
    failures: Mapping[str, str]
    heard: Mapping[str, Heard]
    scores: tuple[Score, ...]
    summaries: tuple[Summary, ...]
    metrics: Mapping[str, MetricInfo]
    voiced: Mapping[str, Voiced] = field(default_factory=dict[str, "Voiced"])

    @property
    def system(self) -> str:
        """The system as it was asked for; outputs that were imported have only a name."""
        manifest = self.manifest
        return manifest.system if manifest.system_uri == "imported:" else manifest.system_uri


def names_of(runs: Sequence[Results]) -> list[str]:
    """What tells runs apart: their systems; where two have the same one, with the folder's name."""
    systems = [run.system for run in runs]
    return [
        name if systems.count(name) == 1 else f"{name} ({run.folder.name})"
        for name, run in zip(systems, runs, strict=True)
    ]
