"""The paper's figures of systems: the radar over its ten indicators (figure 3), and the score at every level
of each strain with the clean score dotted (figure 18); runs, and published rows beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.bench.measured import Group, Rows, found
from antiphon.bench.metrics.robustness import clean_rows
from antiphon.bench.results import names_of
from antiphon.bench.suites.vocalbench_zh.columns import SIX, SOURCES
from antiphon.bench.suites.vocalbench_zh.overall import POINTS
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS
from antiphon.bench.suites.vocalbench_zh.tables import table
from antiphon.report.levels import Course, Level, Scale, level_plot
from antiphon.report.radar import Axis, Outline, radar
from antiphon.report.series import legend, of_published, of_runs
from antiphon.stats import summarise

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from markupsafe import Markup

    from antiphon.bench.results import Results
    from antiphon.report.series import Series
    from antiphon.stats import Summary

SUITE = "vocalbench-zh"
OVERVIEW, ROBUST = 2, 15

# Indicator → its axis, what it shows, and its worst and best value in the unit of Table 2.
_AXES: dict[str, tuple[str, str, float, float]] = {
    "knowledge": ("knowledge", "accuracy", 0, 100),
    "reasoning": ("reasoning", "accuracy", 0, 100),
    "creativity": ("creativity", "score 1–5", 1, 5),
    "fluency": ("fluency", "UTMOS 1–5", 1, 5),
    "clarity": ("clarity", "PER, turned", 100, 0),
    "single_round": ("single round", "score 1–5", 1, 5),
    "instruction": ("instruction following", "following rate", 0, 100),
    "empathy": ("emotional empathy", "EER", 0, 100),
    "safety": ("safety", "refusal rate", 0, 100),
    "robust": ("robust", "preserve rate", 0, 100),
}
_PERCENT = set(_AXES) - {"creativity", "fluency", "single_round"}  # a run has these as 0..1

# Strain → its title, its x axis, how a level's name reads, and whether the data lists the hardest first.
_STRAINS: dict[str, tuple[str, str, bool]] = {
    "white_noise": ("White noise", "speech over noise, dB", True),
    "background_noise": ("Background noise", "speech over noise, dB", True),
    "reverberation": ("Reverberation", "RT60, s", False),
    "farfield": ("Far field", "low-pass, Hz", True),
    "packet_loss": ("Packet loss", "frames lost, %", False),
    "distortion": ("Clipping", "threshold, of the peak", True),
}
_TOLD = (
    "Published systems (hollow marks) are as printed in Tables 2 and 15 of arXiv 2511.08230, scored with the "
    "paper's own judge, recogniser and UTMOS; their distance from a run counts only where the run used the same."
)


@dataclass(frozen=True, slots=True)
class Figures:
    """What can be drawn: `radar` is None below three measured indicators, `levels` is empty without robustness."""

    radar: Markup | None
    caption: str
    levels: tuple[Markup, ...]
    legend: Markup


def figures(runs: Sequence[Results], shown: Collection[str] = ()) -> Figures:
    """The figures of runs of VocalBench-zh, in their order; `shown` published systems are switched on at first.

    Without runs the radar is of published systems only, and there are no levels.
    """
    mine, told = of_runs(names_of(runs)), of_published([row.system for row in table(OVERVIEW).rows], shown)
    rows = [Rows(run) for run in runs]
    drawn = _radar([_indicators(one) for one in rows], mine, told)
    strains = [_strain(kind, runs, rows, mine, told) for kind in CONDITIONS]
    return Figures(
        drawn,
        _CAPTION if drawn else "",
        tuple(plot for plot in strains if plot is not None),
        legend((*mine, *told), _TOLD),
    )


_CAPTION = (
    "The ten indicators of the paper's Overall, each from its worst (centre) to its best (rim): scores and UTMOS "
    "from 1 to 5, clarity as 100 − PER; robust is the mean preserve rate of the six scored conditions, each at "
    "most 100 %. Bars are 95 % intervals. A dotted axis was not measured; an outline is open there."
)


def _indicators(rows: Rows) -> dict[str, Summary | None]:
    known = {name: found(rows, SOURCES[OVERVIEW][name]) for name in POINTS}
    return {name: None if one is None else one.summary for name, one in known.items()}


def _radar(
    runs: Sequence[dict[str, Summary | None]], mine: Sequence[Series], told: Sequence[Series]
) -> Markup | None:
    valued = [sum(one is not None and one.value is not None for one in run.values()) for run in runs]
    if runs and max(valued) < 3:
        return None
    overview = table(OVERVIEW)
    others = [
        Outline(series, tuple(_share(name, _value(run[name], name)) for name in _AXES))
        for series, run in zip(mine[1:], runs[1:], strict=True)
    ]
    others += [
        Outline(series, tuple(_share(name, overview.number(series.name, name)) for name in _AXES))
        for series in told
    ]
    return radar(
        [_axis(name, runs) for name in _AXES],
        "The paper's ten indicators, 0 to 100",
        others,
        mine[0].name if mine else "",
    )


def _axis(name: str, runs: Sequence[dict[str, Summary | None]]) -> Axis:
    label, what, _, _ = _AXES[name]
    if not runs:
        return Axis(label, "", note=what)
    values = [_value(run[name], name) for run in runs]
    if all(value is None for value in values):
        return Axis(label, "not measured", note=what)
    told = " / ".join("–" if value is None else _figure(name, value) for value in values)
    n = " / ".join(str(one.n) if (one := run[name]) else "–" for run in runs)
    first = runs[0][name]
    low, high = (None, None) if first is None else (first.low, first.high)
    ends = [None if end is None else _share(name, _scaled(name, end)) for end in (low, high)]
    low, high = sorted(ends, key=lambda end: end or 0.0)
    if len(runs) > 1:  # beside each other the values need the line
        return Axis(label, told, _share(name, values[0]), low, high, f"n {n}")
    return Axis(label, f"{told} · n\N{NO-BREAK SPACE}{n}", _share(name, values[0]), low, high, what)


def _figure(name: str, value: float) -> str:
    return f"{value:.1f}" if name in _PERCENT else f"{value:.2f}"


def _scaled(name: str, value: float) -> float:
    return value * 100 if name in _PERCENT else value


def _value(summary: Summary | None, name: str) -> float | None:
    """In the unit of Table 2."""
    return None if summary is None or summary.value is None else _scaled(name, summary.value)


def _share(name: str, value: float | None) -> float | None:
    """Where a value of Table 2 lies from its worst (0) to its best (100); beyond both it stays at the end."""
    if value is None:
        return None
    _, _, worst, best = _AXES[name]
    return min(100.0, max(0.0, (value - worst) / (best - worst) * 100))


def _strain(
    kind: str, runs: Sequence[Results], rows: Sequence[Rows], mine: Sequence[Series], told: Sequence[Series]
) -> Markup | None:
    """One strain's plot; None where no run has a score in it."""
    title, strain, hardest_first = _STRAINS[kind]
    levels = CONDITIONS[kind][::-1] if hardest_first else CONDITIONS[kind]
    courses = [
        _course(kind, levels, series, run, one) for series, run, one in zip(mine, runs, rows, strict=True)
    ]
    values = [level.value for course in courses for level in course.levels if level.value is not None]
    if not values:
        return None
    lows = [level.low for course in courses for level in course.levels if level.low is not None]
    worst = 1.0 if min(values + lows) >= 1 else 0.0  # the published parser lets a 0 through
    scale = Scale(strain, tuple(map(level_words, levels)), "judge's score, clean dotted", worst, 5.0)
    return level_plot(title, scale, [*courses, *(_printed(kind, levels, series) for series in told)])


def _course(kind: str, levels: Sequence[str], series: Series, run: Results, rows: Rows) -> Course:
    groups = [rows.of(Group("score", ("robust",), kind, level)) for level in levels]
    by_item = {score.item: score for score in run.scores if score.metric == "score"}
    sources = {score.cluster or score.item for group in groups for score in group}
    clean = clean_rows(run.items, by_item, sources)
    sums = [summarise(group) if group else None for group in groups]
    return Course(
        series,
        tuple(Level(None) if one is None else Level(one.value, one.low, one.high, one.n) for one in sums),
        summarise(clean).value if clean else None,
    )


def _printed(kind: str, levels: Sequence[str], series: Series) -> Course:
    """Table 15 prints one level of each strain, and the clean score."""
    key, scored = next((key, level) for key, (name, level) in SIX.items() if name == kind)
    printed = table(ROBUST)
    value = printed.number(series.name, f"{key}_score")
    return Course(
        series,
        tuple(Level(value if level == scored else None) for level in levels),
        printed.number(series.name, "clean"),
    )


def level_words(level: str) -> str:
    """A level as it stands at the axis: "snr_-5" is −5, "rt60_05" is 0.5, "dropping_0.70" is 70."""
    kind, _, value = level.partition("_")
    match kind:
        case "rt60":
            return f"{int(value) / 10:.1f}"
        case "dropping":
            return f"{float(value) * 100:.0f}"
        case "clipping":
            return f"{float(value):g}" if float(value) >= 0.001 else f"{float(value):.4f}"
        case _:
            return value.removesuffix("hz").replace("-", "\N{MINUS SIGN}")
