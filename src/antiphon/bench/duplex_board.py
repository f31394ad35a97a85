"""The leaderboard of full-duplex: Tables 10 and 11 as printed, and a user's runs beside them, unranked."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from antiphon.bench.leaderboard import Board, Line, Sheet, Shown, published_sheet
from antiphon.bench.results import MetricInfo
from antiphon.bench.speech import run_speech
from antiphon.bench.suites.full_duplex.judging import BEHAVIOURS
from antiphon.bench.suites.full_duplex.suite import NAME, PUBLISHED
from antiphon.bench.suites.vocalbench_zh.stamp import scripted
from antiphon.bench.suites.vocalbench_zh.tables import read_tables
from antiphon.errors import ConfigError
from antiphon.report.tables import cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.results import Results
    from antiphon.bench.suites.vocalbench_zh.tables import Column, Table

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
_RECOGNISER = "parakeet-tdt-0.6b-v2"


@lru_cache(maxsize=1)
def duplex_tables() -> tuple[Table, ...]:
    """Tables 10 and 11."""
    return read_tables(PUBLISHED)


def duplex_board(runs: Sequence[Results], *, published: bool = True) -> Board:
    """The tables with their published rows and the runs. Raises ConfigError for a run of another suite."""
    for run in runs:
        if not run.manifest.suite.startswith(f"{NAME}-"):
            raise ConfigError(f"{run.folder} is a run of {run.manifest.suite}; {NAME} shows its own runs")
    if not runs and not published:
        raise ConfigError("nothing to show; name a RUN, or leave out --no-published")
    sheets = [_sheet(one, runs, published) for one in duplex_tables()]
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
    source = SOURCES.get(column.key)
    summary = next((each for each in run.summaries if source == (each.metric, each.subset)), None)
    if summary is None:
        return Shown("not measured")
    info = MetricInfo(column.key, column.title, column.unit, column.better, 4, column.group, False)
    found = cell(summary, info)
    return Shown(found.value, summary.value, found, hint=found.hint)


def _differs(run: Results) -> str:
    """What stands between a run and the paper's rows: they name neither their judge's prompt nor their days."""
    manifest = run.manifest
    found: list[str] = []
    if manifest.scoring != "paper":
        found.append(f"scoring is {manifest.scoring}, the paper's scripts compute otherwise")
    if _RECOGNISER not in manifest.transcriber:
        found.append(f"words in time come from {manifest.transcriber}, the scripts take {_RECOGNISER}")
    found.append("the judge's prompt is ours")
    return "; ".join(found)
