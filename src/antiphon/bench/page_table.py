"""The summary table of a run's report: everything measured, and in words what was not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antiphon.bench.page_figures import ALL, by_place, spoken, subsets_of, value_text
from antiphon.bench.speech import speech_label, speech_of
from antiphon.report.tables import Cell, cell, gaps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antiphon.bench.results import MetricInfo, Results
    from antiphon.stats import Summary

# More columns than this do not fit beside each other; then a metric needs this many subsets for one.
_COLUMNS, _WIDE = 9, 3


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One line of the summary table; a cell is None where the metric does not apply to the subset.

    `items` is 0 for a part of a subset that only has summaries: a condition, a threshold. `speech` says
    whether its questions were recorded or synthesized.
    """

    subset: str
    label: str
    items: int
    cells: tuple[Cell | None, ...]
    speech: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """A metric without any value: how many rows of which status, and why."""

    title: str
    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """Subsets × metrics that have a value somewhere, and the metrics that have none.

    `narrow` holds metrics of one or two subsets in words, where columns for all would not fit.
    """

    measures: tuple[MetricInfo, ...]
    rows: tuple[SummaryRow, ...]
    gaps: tuple[Gap, ...]
    narrow: tuple[Gap, ...] = ()

    @property
    def whole(self) -> tuple[SummaryRow, ...]:
        """The rows of subsets and of everything."""
        return tuple(row for row in self.rows if row.items)

    @property
    def parts(self) -> SummaryTable:
        """The rows of parts of subsets, with the metrics that have a value for one of them."""
        rows = [row for row in self.rows if not row.items]
        kept = [at for at in range(len(self.measures)) if any(row.cells[at] for row in rows)]
        return SummaryTable(
            tuple(self.measures[at] for at in kept),
            tuple(replace(row, cells=tuple(row.cells[at] for at in kept)) for row in rows),
            (),
        )


def summary_table(results: Results) -> SummaryTable:
    """Everything measured, in one table; what was never measured, in words below it."""
    found = by_place(results)
    valued = {summary.metric for summary in results.summaries if summary.value is not None}
    measures = tuple(info for name, info in results.metrics.items() if name in valued)
    narrow: tuple[MetricInfo, ...] = ()
    if len(measures) > _COLUMNS:
        narrow = tuple(info for info in measures if len(_places(results, found, info)) < _WIDE)
        measures = tuple(info for info in measures if info not in narrow)
    rows: list[SummaryRow] = []
    kinds = _kinds(results)
    for subset in [*subsets_of(results), ALL, *_parts(results)]:
        cells = tuple(_cell(found, subset, info) for info in measures)
        asked = kinds.get(subset, [])
        count = 0 if "/" in subset else len(asked)
        rows.append(SummaryRow(subset, spoken(subset), count, cells, speech_label(asked)))
    missing = tuple(_gap(results, info) for name, info in results.metrics.items() if name not in valued)
    told = tuple(_told(results, found, info) for info in narrow)
    return SummaryTable(measures, tuple(rows), missing, told)


def _kinds(results: Results) -> dict[str, list[str]]:
    """Recorded or synthetic, item by item: of each subset, of all, and of each part that summaries may have."""
    found: dict[str, list[str]] = {}
    for item in results.items:
        kind = speech_of(item, results.takes.get(item.id))
        part = "/".join((item.subset, item.category, str(item.extra.get("Level") or "")))
        for name in (item.subset, ALL, part):
            found.setdefault(name, []).append(kind)
    return found


def _places(
    results: Results, found: Mapping[tuple[str, str], Summary], info: MetricInfo
) -> list[tuple[str, Summary]]:
    """Where a metric has a value, the total left out."""
    names = [*subsets_of(results), *_parts(results)]
    here = [(name, found[name, info.name]) for name in names if (name, info.name) in found]
    return [(name, summary) for name, summary in here if summary.value is not None]


def _told(results: Results, found: Mapping[tuple[str, str], Summary], info: MetricInfo) -> Gap:
    """A metric of few subsets as a line: where, value, n."""
    parts = [
        f"{spoken(name)} {value_text(summary.value or 0.0, info)}, n\N{NO-BREAK SPACE}{summary.n}"
        for name, summary in _places(results, found, info)
    ]
    return Gap(info.title, "; ".join(parts), "")


def _parts(results: Results) -> list[str]:
    """Parts of a subset that have summaries of their own ("robust/white_noise/snr_-5"), where one has a value."""
    whole = {*subsets_of(results), ALL}
    valued = (summary.subset for summary in results.summaries if summary.value is not None)
    return [subset for subset in dict.fromkeys(valued) if subset not in whole]


def _cell(found: Mapping[tuple[str, str], Summary], subset: str, info: MetricInfo) -> Cell | None:
    summary = found.get((subset, info.name))
    return cell(summary, info) if summary else None


def _gap(results: Results, info: MetricInfo) -> Gap:
    rows = [score for score in results.scores if score.metric == info.name]
    statuses = dict.fromkeys(score.status for score in rows)
    words = ", ".join(f"{sum(row.status == status for row in rows)} {status}" for status in statuses)
    reasons = dict.fromkeys(score.reason for score in rows if score.reason)
    if not rows:  # a value of a group: its summaries tell
        mine = [summary for summary in results.summaries if summary.metric == info.name]
        counts = {
            word: sum(dict(gaps(one))[word] for one in mine) for word, _ in (gaps(mine[0]) if mine else ())
        }
        words = ", ".join(f"{many} {word}" for word, many in counts.items() if many)
        reasons = dict.fromkeys(reason for summary in mine for reason in summary.reasons)
        return Gap(
            info.title, words or ("no value" if mine else "no item asks for it"), "; ".join(list(reasons)[:3])
        )
    return Gap(info.title, words or "no item asks for it", "; ".join(list(reasons)[:3]))
