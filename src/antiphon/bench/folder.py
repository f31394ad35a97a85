"""The files of one run, by name: where each lies, and how a finished run is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.items import Item
from antiphon.bench.results import MetricInfo, Results
from antiphon.bench.takes import Heard, Judged, Manifest, Measured, Take, Voiced
from antiphon.errors import ConfigError
from antiphon.jsonl import R, from_row, read, read_records, to_row, write_rows
from antiphon.score import Score
from antiphon.stats import Summary

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from antiphon.jsonl import Record


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run's folder. Clips lie in `clips/HASH.flac`, every other file holds rows of one kind."""

    path: Path

    @property
    def manifest(self) -> Path:
        return self.path / "run.json"

    @property
    def items(self) -> Path:
        return self.path / "items.jsonl"

    @property
    def queries(self) -> Path:
        return self.path / "queries.jsonl"

    @property
    def takes(self) -> Path:
        return self.path / "takes.jsonl"

    @property
    def transcripts(self) -> Path:
        return self.path / "transcripts.jsonl"

    @property
    def voiced(self) -> Path:
        return self.path / "voiced.jsonl"

    @property
    def contours(self) -> Path:
        return self.path / "contours.jsonl"

    @property
    def parts(self) -> Path:
        return self.path / "parts.jsonl"

    def measures(self, scheme: str) -> Path:
        return self.path / f"measures-{scheme}.jsonl"

    @property
    def judgements(self) -> Path:
        return self.path / "judgements.jsonl"

    @property
    def scores(self) -> Path:
        return self.path / "scores.jsonl"

    @property
    def summaries(self) -> Path:
        return self.path / "summaries.jsonl"

    @property
    def metrics(self) -> Path:
        return self.path / "metrics.jsonl"

    @property
    def report(self) -> Path:
        return self.path / "report" / "index.html"

    def clip(self, digest: str) -> Path:
        return self.path / clip_name(digest)

    def write(self, path: Path, records: Iterable[Record]) -> None:
        """Replace a file of records, all or nothing."""
        write_rows(path, (to_row(record) for record in records))

    def rows(self, path: Path, kind: type[R]) -> tuple[dict[str, str], list[R]]:
        """A sealed stage file apart: reasons of the failures by key, and the records."""
        failures: dict[str, str] = {}
        records: list[R] = []
        if path.exists():
            for line, row in enumerate(read(path), start=1):
                if row.get("kind") == "failure":
                    failures[row["key"]] = row["reason"]
                else:
                    records.append(from_row(row, kind, path=path, line=line))
        return failures, records

    def read_manifest(self) -> Manifest:
        """What the run is. Raises ConfigError where there is no run."""
        if not self.manifest.exists():
            raise ConfigError(
                f"no run in {self.path}: {self.manifest.name} is missing; `antiphon run` makes one"
            )
        return read_records(self.manifest, Manifest)[0]


def clip_name(digest: str) -> str:
    """Where a clip lies inside a run folder."""
    return f"clips/{digest}.flac"


def load(path: Path) -> Results:
    """A finished run. Raises ConfigError when it has not come as far as scores."""
    folder = RunFolder(path)
    manifest = folder.read_manifest()
    if not folder.scores.exists():
        raise ConfigError(f"the run in {path} has no scores yet; finish it with `antiphon run … --resume`")
    failures, takes = folder.rows(folder.takes, Take)
    _, heard = folder.rows(folder.transcripts, Heard)
    _, voiced = folder.rows(folder.voiced, Voiced)
    infos = read_records(folder.metrics, MetricInfo)
    return Results(
        folder=path,
        manifest=manifest,
        items=tuple(read_records(folder.items, Item)),
        takes={take.item: take for take in takes},
        failures=failures,
        heard={one.clip: one for one in heard},
        scores=tuple(read_records(folder.scores, Score)),
        summaries=tuple(read_records(folder.summaries, Summary)),
        metrics={info.name: info for info in infos},
        voiced={one.clip: one for one in voiced},
    )


def judged_of(folder: RunFolder) -> tuple[dict[str, str], list[Judged]]:
    """A run's judgements: failures by key, and verdicts."""
    return folder.rows(folder.judgements, Judged)


def measured_of(folder: RunFolder, scheme: str) -> tuple[dict[str, str], list[Measured]]:
    """A run's measures by one scorer: failures by key, and rows."""
    return folder.rows(folder.measures(scheme), Measured)
