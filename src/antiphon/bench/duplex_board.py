"""The leaderboard of full-duplex: Tables 10 and 11 as printed, a user's runs beside them, unranked; and our open sets."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from antiphon.bench.leaderboard import Board, Line, Sheet, Shown, published_sheet
from antiphon.bench.results import MetricInfo
from antiphon.bench.speech import run_speech
from antiphon.bench.suites.full_duplex.judging import BEHAVIOURS
from antiphon.bench.suites.full_duplex.open_sets import SETS
from antiphon.bench.suites.full_duplex.subsets import OPEN
from antiphon.bench.suites.full_duplex.suite import NAME, PUBLISHED
from antiphon.bench.suites.vocalbench_zh.stamp import scripted
from antiphon.bench.suites.vocalbench_zh.tables import Column, Table, read_tables
from antiphon.errors import ConfigError
from antiphon.report.tables import cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.results import Results

SOURCE = "the technical report of Qwen-Audio-3.1-Realtime, section 6.4"
_OVERLAPS = {
    "interruption": "user_interruption",
    "backchannel": "user_backchannel",
    "background": "background_speech",
    "others": "talking_to_other",
}
_TIMES = {"stop_latency": "stop_latency_s", "response_latency": "response_latency_s"}
# Column → (metric, subset) of ours. The columns of Qwen-Audio-FDB have none: that set is not public.
SOURCES: dict[str, tuple[str, str]] = {
    "pause_synthetic_tor": ("pause_takeover", "synthetic_pause_handling"),
    "pause_candor_tor": ("pause_takeover", "candor_pause_handling"),
    "turn_candor_tor": ("turn_takeover", "candor_turn_taking"),
    "turn_latency": ("takeover_latency_s", "candor_turn_taking"),
    **{
        f"{key}_{name}": (_TIMES.get(name, name), subset)
        for key, subset in _OVERLAPS.items()
        for name in (*BEHAVIOURS, *(_TIMES if key in ("interruption", "backchannel") else ()))
    },
    **{
        name: (name, "tool_use")
        for name in (
            "tool_selection", "argument_accuracy", "response_quality", "pass_1", "take_turn", "interrupt", "filler",
        )
    },
}  # fmt: skip
# Our open sets: nothing is published for them. Column → (title, better).
_OPEN: dict[tuple[str, str], tuple[str, Literal["higher", "lower"]]] = {
    ("session_pass", "multi-party"): ("Session", "higher"),
    ("point_pass", "multi-party"): ("Point", "higher"),
    ("session_pass", "semantic-control"): ("Session", "higher"),
    ("point_pass", "semantic-control"): ("Point", "higher"),
    ("did_respond", "interruption"): ("Respond", "higher"),
    ("did_resume", "backchannel"): ("Resume", "higher"),
    ("did_respond", "background-speech"): ("Respond", "lower"),
    ("did_resume", "background-speech"): ("Resume", "higher"),
    ("did_respond", "talking-to-others"): ("Respond", "lower"),
    ("did_resume", "talking-to-others"): ("Resume", "higher"),
}
_RECOGNISER = "parakeet-tdt-0.6b-v2"


@lru_cache(maxsize=1)
def duplex_tables() -> tuple[Table, ...]:
    """Tables 10 and 11."""
    return read_tables(PUBLISHED)


@lru_cache(maxsize=1)
def open_table() -> Table:
    """Our open sets, in the columns that the paper has for its own; rows come from runs only."""
    columns = tuple(
        Column(f"{metric} {subset}", title, subset, "", better)
        for (metric, subset), (title, better) in _OPEN.items()
    )
    title = f"Our open sets ({', '.join(SETS)}), virtual time; not the in-house sets of Table 11"
    return Table(0, "docs/realtime.md", title, columns, ())


def duplex_board(runs: Sequence[Results], *, published: bool = True) -> Board:
    """The tables with their published rows and the runs. Raises ConfigError for a run of another suite."""
    for run in runs:
        if not run.manifest.suite.startswith(f"{NAME}-"):
            raise ConfigError(f"{run.folder} is a run of {run.manifest.suite}; {NAME} shows its own runs")
    if not runs and not published:
        raise ConfigError("nothing to show; name a RUN, or leave out --no-published")
    sheets = [_sheet(one, runs, published) for one in (*duplex_tables(), open_table())]
    return Board((), tuple(sheet for sheet in sheets if sheet.lines), ())


def _sheet(one: Table, runs: Sequence[Results], published: bool) -> Sheet:
    sheet = published_sheet(one, speech="")
    lines = [line for line in (_line(one, run) for run in runs) if line is not None]
    kept = sheet.lines if published else ()
    return replace(sheet, lines=(*kept, *lines), notes=sheet.notes if published else ())


def _line(one: Table, run: Results) -> Line | None:
    """A run's row; None where it measures nothing of this table."""
    cells = tuple(_shown(column, run) for column in one.columns)
    if all(shown.measured is None for shown in cells):
        return None
    return Line(
        run.system, "measured", cells, unranked=_differs(run), run=str(run.folder), scripted=scripted(run),
        speech=run_speech(run),
    )  # fmt: skip


def _shown(column: Column, run: Results) -> Shown:
    source = SOURCES.get(column.key) or next((each for each in _OPEN if " ".join(each) == column.key), None)
    summary = next((each for each in run.summaries if source == (each.metric, each.subset)), None)
    if summary is None:
        return Shown("not measured")
    info = MetricInfo(column.key, column.title, column.unit, column.better, 4, column.group, False)
    found = cell(summary, info)
    return Shown(found.value, summary.value, found, hint=found.hint)


def _differs(run: Results) -> str:
    """What stands between a run and the paper's rows: they name neither their judge's prompt nor their days."""
    manifest = run.manifest
    if manifest.suite == f"{NAME}-{OPEN}":
        return (
            "sessions, people and the model's words are our own scripts; nothing is published to rank against"
        )
    found: list[str] = []
    if manifest.scoring != "paper":
        found.append(f"scoring is {manifest.scoring}, the paper's scripts compute otherwise")
    if _RECOGNISER not in manifest.transcriber:
        found.append(f"words in time come from {manifest.transcriber}, the scripts take {_RECOGNISER}")
    found.append("the judge's prompt is ours")
    return "; ".join(found)
