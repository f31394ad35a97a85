"""The first screen of a run's report: the summary table, the pictures, the latency of a typical reply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from antiphon.bench.speech import speech_label, speech_of
from antiphon.report.plots import Dot, dot_plot, nice_top
from antiphon.report.radar import Axis, Outline, radar
from antiphon.report.series import of_runs
from antiphon.report.strips import Stage, Strip, strip
from antiphon.report.tables import Cell, cell, figure, gaps, scaled, unit
from antiphon.stats import summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from antiphon.bench.results import MetricInfo, Results
    from antiphon.bench.takes import Timing
    from antiphon.score import Score
    from antiphon.stats import Summary

ALL = "all"
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


@dataclass(frozen=True, slots=True)
class Pictures:
    """The radar (None below three measured abilities) with its caption, and one dot plot a metric."""

    radar: Markup | None
    caption: str
    dots: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class Latency:
    """Medians of a reply's moments as a strip, and what they were taken over."""

    strip: Strip
    caption: str


def spoken(subset: str) -> str:
    """A subset's name as it reads in a table."""
    return subset.replace("_", " ")


def subsets_of(results: Results) -> list[str]:
    """Subsets in the suite's order."""
    return list(dict.fromkeys(item.subset for item in results.items))


def by_place(results: Results) -> dict[tuple[str, str], Summary]:
    """Summaries by subset and metric."""
    return {(summary.subset, summary.metric): summary for summary in results.summaries}


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


def pictures(results: Results) -> Pictures:
    """The radar of abilities and a dot plot for each metric."""
    found = by_place(results)
    abilities = _abilities(results)
    picked = [*abilities, *_speech(results, found)]
    axes = [axis for axis, _ in picked]
    dots = tuple(
        plot for info in results.metrics.values() if (plot := _dots(results, found, info)) is not None
    )
    if sum(axis.value is not None for axis, _ in abilities) < 3:
        return Pictures(None, "", dots)
    return Pictures(radar(axes, "Abilities, 0 to 100"), _caption(picked), dots)


def ability_radar(runs: Sequence[Results], names: Sequence[str]) -> Markup | None:
    """Several runs on the first one's axes, each only where it shows the same metric; None below three."""
    picked, *others = [[*_abilities(run), *_speech(run, by_place(run))] for run in runs]
    if sum(axis.value is not None for axis, _ in picked) < 3:
        return None
    outlines = [
        Outline(series, tuple(_beside(axis, shows, other) for axis, shows in picked))
        for series, other in zip(of_runs(names)[1:], others, strict=True)
    ]
    return radar([axis for axis, _ in picked], "Abilities, 0 to 100", outlines, names[0])


def _beside(axis: Axis, shows: str, other: Sequence[tuple[Axis, str]]) -> float | None:
    return next((one.value for one, what in other if (one.label, what) == (axis.label, shows)), None)


def _abilities(results: Results) -> list[tuple[Axis, str]]:
    """One axis for each ability, with what it shows: the first of its metrics that has a value.

    An ability that a judge should have seen is not replaced by anything: its axis says "not judged".
    """
    ability_of = {item.id: item.ability or item.subset for item in results.items}
    rows: dict[str, dict[str, list[Score]]] = {name: {} for name in ability_of.values()}
    for score in results.scores:
        info, ability = results.metrics[score.metric], ability_of.get(score.item)
        if ability and info.about == "ability" and info.better == "higher" and _ends(info):
            rows[ability].setdefault(score.metric, []).append(score)
    found: list[tuple[Axis, str]] = []
    for ability, by_metric in rows.items():
        summaries = [(summarise(scores), results.metrics[name]) for name, scores in by_metric.items()]
        valued = [pair for pair in summaries if pair[0].value is not None]
        if valued:
            found.append((_axis(spoken(ability), *valued[0]), valued[0][1].title))
            continue
        words = [f"{many} {word}" for one, _ in summaries[:1] for word, many in gaps(one) if many]
        found.append((Axis(spoken(ability), ", ".join(words) or "nothing measured"), ""))
    return found


# Axes of speech over all items, as the paper's Table 2 has them: name, and the metrics that may stand for it.
_SPEECH_AXES = (
    ("fluency", ("distillmos", "dnsmos_ovrl")),
    ("clarity", ("syllable_error_rate", "error_rate")),
)


def _speech(results: Results, found: Mapping[tuple[str, str], Summary]) -> list[tuple[Axis, str]]:
    axes: list[tuple[Axis, str]] = []
    for label, names in _SPEECH_AXES:
        for name in names:
            info = results.metrics.get(name)
            rows = [score for score in results.scores if score.metric == name]
            summary = found.get((ALL, name)) or (summarise(rows) if rows else None)
            if info and _ends(info) and summary and summary.value is not None:
                axes.append((_axis(label, summary, info), _scale(info)))
                break
    return axes


def _ends(info: MetricInfo) -> tuple[float, float] | None:
    return (0.0, 1.0) if info.percent else info.ends


def _scale(info: MetricInfo) -> str:
    if info.percent:
        return f"100 − {info.title}" if info.better == "lower" else info.title
    return f"{info.title} from 1 to 5 as 0 to 100"


def _axis(label: str, summary: Summary, info: MetricInfo) -> Axis:
    worst, best = _ends(info) or (0.0, 1.0)
    turned = info.better == "lower"
    ends = [
        None if end is None else _clamped((1 - end if turned else (end - worst) / (best - worst)) * 100)
        for end in (summary.low, summary.value, summary.high)
    ]
    low, value, high = reversed(ends) if turned else ends
    shown = f"{figure(summary.value or 0.0, info)} · n\N{NO-BREAK SPACE}{summary.n}"
    note = info.title.lower() if turned else info.title if not info.percent else ""
    return Axis(label, shown, value, low, high, note)


def _clamped(value: float) -> float:
    return min(100.0, max(0.0, value))


def _caption(picked: Sequence[tuple[Axis, str]]) -> str:
    groups: dict[str, list[str]] = {}
    for axis, shows in picked:
        if axis.value is not None:
            groups.setdefault(shows, []).append(axis.label)
    parts = [
        shows if len(groups) == 1 else f"{shows} ({', '.join(names)})" for shows, names in groups.items()
    ]
    missing = " A dotted axis was not measured." if any(axis.value is None for axis, _ in picked) else ""
    return f"Axes run from 0 to 100: {'; '.join(parts)}. Bars along them are 95 % intervals.{missing}"


def _dots(results: Results, found: Mapping[tuple[str, str], Summary], info: MetricInfo) -> Markup | None:
    here = [
        (subset, summary)
        for subset in [*subsets_of(results), ALL]
        if (summary := found.get((subset, info.name))) is not None
    ]
    numbers = [
        scaled(end, info)
        for _, summary in here
        for end in (summary.value, summary.high, summary.low)
        if end is not None
    ]
    if not numbers or min(numbers) < 0:
        return None
    top = 100.0 if info.percent and max(numbers) <= 100 else nice_top(max(numbers))
    title = f"{info.title}, {unit(info)}" if unit(info) else info.title
    return dot_plot(
        [_dot(subset, summary, info) for subset, summary in here], title=title, top=top, digits=info.digits
    )


def _dot(subset: str, summary: Summary, info: MetricInfo) -> Dot:
    ends = [None if end is None else scaled(end, info) for end in (summary.value, summary.low, summary.high)]
    words = ", ".join(f"{many} {word}" for word, many in gaps(summary) if many)
    return Dot(spoken(subset), words, *ends, strong=subset == ALL)


def moments(timing: Timing) -> list[Stage]:
    """A reply's stages: the system's own ones, first text, first speech and the end; in time order."""
    at = {name.removesuffix("_us").replace("_", " "): us for name, us in timing.stages.items()}
    if timing.first_token_us is not None:
        at["first text"] = timing.first_token_us
    if timing.first_audio_us is not None:
        at["first speech"] = timing.first_audio_us
    at["end"] = timing.end_us
    return _filled({name: us / 1e6 for name, us in at.items()})


def _filled(at_s: Mapping[str, float]) -> list[Stage]:
    found: list[Stage] = []
    filling = "wait"
    for name, at in sorted(at_s.items(), key=lambda pair: pair[1]):
        found.append(Stage(name, at, filling))
        if name == "first speech":
            filling = "speech"
        elif name == "first text" and filling == "wait":
            filling = "text"
    return found


def latency(results: Results) -> Latency | None:
    """The typical reply: the median of each moment over replies made with one request in flight."""
    timed = [
        (take, said.timing)
        for take in results.takes.values()
        if take.in_flight == 1
        for said in take.replies
        if said.timing is not None
    ]
    if not timed:
        return None
    seen: dict[str, list[float]] = {}
    for _, timing in timed:
        for stage in moments(timing):
            seen.setdefault(stage.name, []).append(stage.at_s)
    # A stage that only a few replies have would not describe the typical one.
    middle = {name: median(values) for name, values in seen.items() if len(values) * 2 > len(timed)}
    stages = _filled(middle)
    reused = sum(bool(take.meta.get("reused")) for take, _ in timed)
    caption = f"Median of {len(timed)} replies, one request in flight" + (
        f"; {reused} reused" if reused else ""
    )
    return Latency(strip(stages, max(stage.at_s for stage in stages) or 1.0), caption)


def strip_length_s(results: Results) -> float:
    """The length of every reply's strip: 95 % of the replies fit, so that strips compare at a glance."""
    ends = sorted(
        said.timing.end_us / 1e6
        for take in results.takes.values()
        for said in take.replies
        if said.timing is not None
    )
    return nice_top(ends[int(0.95 * (len(ends) - 1))]) if ends else 1.0


def value_text(value: float, info: MetricInfo) -> str:
    """One row's value with its unit, for running text."""
    name = unit(info)
    return figure(value, info) + (f" {name}" if name else "")
