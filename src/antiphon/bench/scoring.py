"""From the kept files of a run to scores and summaries: pure, so it can be done again at any time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.folder import judged_of, measured_of
from antiphon.bench.instruments import COLUMNS
from antiphon.bench.items import Item
from antiphon.bench.suite import Evidence
from antiphon.bench.takes import Contour, Heard, Judged, Part, Take, Voiced
from antiphon.bench.tracks import tracks_of
from antiphon.jsonl import read_records
from antiphon.judge.budget import NOT_ASKED
from antiphon.stats import Summary, summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antiphon.bench.folder import RunFolder
    from antiphon.bench.suite import Metric
    from antiphon.score import Score, Status

_ASKS = "`antiphon judge` asks again"
_AGAIN = "`antiphon judge` goes on"


def score_run(
    folder: RunFolder, metrics: Sequence[Metric], gaps: Mapping[str, tuple[Status, str]]
) -> list[Summary]:
    """Write `scores.jsonl`, `summaries.jsonl` and `metrics.jsonl`; gives back the summaries."""
    evidence = gather(folder, gaps)
    scores = [metric.score(one) for one in evidence for metric in metrics if metric.covers(one.item)]
    items = [one.item for one in evidence]
    derived = [metric.derive(items, scores) for metric in metrics if metric.derive is not None]
    summaries = [*summaries_of(scores), *(summary for found in derived for summary in found)]
    folder.write(folder.scores, scores)
    folder.write(folder.metrics, [metric.info for metric in metrics])
    folder.write(folder.summaries, summaries)
    return summaries


def summaries_of(scores: Sequence[Score]) -> list[Summary]:
    """One summary per metric and subset, and one over everything where a metric spans several subsets."""
    groups: dict[str, dict[str, list[Score]]] = {}
    for score in scores:
        groups.setdefault(score.metric, {}).setdefault(score.subset, []).append(score)
    found: list[Summary] = []
    for subsets in groups.values():
        found.extend(summarise(rows) for rows in subsets.values())
        if len(subsets) > 1:
            found.append(summarise([score for rows in subsets.values() for score in rows]))
    return found


def gather(folder: RunFolder, gaps: Mapping[str, tuple[Status, str]]) -> list[Evidence]:
    """The evidence for every item of a run, in the run's order."""
    failures, takes = folder.rows(folder.takes, Take)
    unheard, heard = folder.rows(folder.transcripts, Heard)
    _, voiced = folder.rows(folder.voiced, Voiced)
    _, contours = folder.rows(folder.contours, Contour)
    _, parts = folder.rows(folder.parts, Part)
    unjudged, judged = judged_of(folder)
    items = read_records(folder.items, Item)
    missed = [_unjudged(key, reason) for key, reason in unjudged.items()]
    lookup = _Lookup(
        takes={take.item: take for take in takes},
        failures=failures,
        heard={one.clip: one for one in heard},
        unheard=unheard,
        voiced={one.clip: one for one in voiced},
        contours={one.clip: one for one in contours},
        measured=_measured(folder),
        parts=_by_clip(parts),
        judged=_by_item([*judged, *missed]),
        gaps=gaps,
        unasked=_unasked(items, missed),
    )
    return [lookup.evidence(item) for item in items]


@dataclass(frozen=True, slots=True)
class _Lookup:
    takes: Mapping[str, Take]
    failures: Mapping[str, str]
    heard: Mapping[str, Heard]
    unheard: Mapping[str, str]
    voiced: Mapping[str, Voiced]
    contours: Mapping[str, Contour]
    measured: Mapping[str, Mapping[str, float | str]]
    parts: Mapping[str, Sequence[Part]]
    judged: Mapping[str, Mapping[str, Judged]]
    gaps: Mapping[str, tuple[Status, str]]
    unasked: Mapping[tuple[str, str], int]

    def evidence(self, item: Item) -> Evidence:
        take = self.takes.get(item.id)
        clip = take.replies[-1].clip if take is not None else None
        gaps = dict(self.gaps)
        if clip is not None and (problem := self.unheard.get(clip)):
            gaps["transcript"] = ("invalid", f"not recognised: {problem}")
        if many := self.unasked.get((item.subset, "accuracy")):
            # The keyword settles only what is right: the rest of the subset must be judged, or none counts.
            gaps["accuracy"] = ("not judged", f"{many} replies of this subset were not asked about; {_AGAIN}")
        return Evidence(
            item,
            take,
            failure=self.failures.get(item.id),
            heard=given_transcript(take) or (self.heard.get(clip) if clip else None),
            measured=self.measured.get(clip, {}) if clip else {},
            judged=self.judged.get(item.id, {}),
            tracks=tracks_of(take, self.heard, self.voiced, self.unheard, self.contours),
            gaps=gaps,
            parts={
                (part.start_s, part.end_s): self.measured.get(part.clip, {})
                for part in self.parts.get(take.tracks.get("agent", ""), ())
            }
            if take is not None
            else {},
        )


def _by_clip(parts: Iterable[Part]) -> dict[str, list[Part]]:
    found: dict[str, list[Part]] = {}
    for part in parts:
        found.setdefault(part.of, []).append(part)
    return found


def given_transcript(take: Take | None) -> Heard | None:
    """The transcript that came with imported outputs, where one did."""
    text = take.meta.get("transcript") if take is not None else None
    return Heard("", "imported transcript", str(text)) if text is not None else None


def _measured(folder: RunFolder) -> dict[str, dict[str, float | str]]:
    """Columns by clip; where a scorer refused a clip, its reason stands in the column's place."""
    found: dict[str, dict[str, float | str]] = {}
    for path in sorted(folder.path.glob("measures-*.jsonl")):
        if path.name.endswith(".journal.jsonl"):
            continue
        scheme = path.stem.removeprefix("measures-")
        failures, rows = measured_of(folder, scheme)
        names = {name for row in rows for name in row.values} or set(COLUMNS.get(scheme, (scheme,)))
        for row in rows:
            columns = found.setdefault(row.clip, {})
            columns |= row.values or dict.fromkeys(names, row.invalid or "no value")
        for clip, reason in failures.items():
            found.setdefault(clip, {}).update(dict.fromkeys(names, reason))
    return found


def _unjudged(key: str, reason: str) -> Judged:
    """The row for a judge that could not be had: its key is "ITEM METRIC PROMPT"."""
    item, metric, prompt = key.rsplit(" ", 2)
    if reason.startswith(NOT_ASKED):
        return Judged(item, metric, "", prompt, None, "", "not judged", f"{reason}; {_AGAIN}")
    return Judged(item, metric, "", prompt, None, "", "invalid", f"no verdict: {reason}; {_ASKS}")


def _unasked(items: Iterable[Item], missed: Iterable[Judged]) -> dict[tuple[str, str], int]:
    """How many replies a budget left unasked, by subset and metric."""
    subset_of = {item.id: item.subset for item in items}
    return Counter(
        (subset_of[one.item], one.metric)
        for one in missed
        if one.status == "not judged" and one.item in subset_of
    )


def _by_item(judged: Iterable[Judged]) -> dict[str, dict[str, Judged]]:
    found: dict[str, dict[str, Judged]] = {}
    for one in judged:
        found.setdefault(one.item, {})[one.metric] = one
    return found
