"""The first screen of a run's report: the summary table, the pictures, the latency of a typical reply."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from antiphon.report.plots import Dot, dot_plot, nice_top
from antiphon.report.radar import Axis, Outline, radar
from antiphon.report.series import of_runs
from antiphon.report.strips import Stage, Strip, strip
from antiphon.report.tables import figure, gaps, scaled, unit
from antiphon.stats import summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from antiphon.bench.results import MetricInfo, Results
    from antiphon.bench.takes import Timing
    from antiphon.score import Score
    from antiphon.stats import Summary

ALL = "all"


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
    ("fluency", ("utmos22", "utmosv2", "distillmos", "dnsmos_ovrl")),
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
