"""A scored run in the terminal: verdicts in numbers, no wider than 100 columns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group as Lines
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.envs.results import EnvResults, Group
    from antiphon.stats import Summary

_REASONS = 5


def results_table(results: EnvResults) -> Lines:
    """Groups × pass rates with their intervals, counts beside; then labels, stops, and why episodes failed."""
    k = results.k
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("", no_wrap=True, max_width=16, overflow="ellipsis")
    heads = ["tasks", "passed", "invalid", "pass^1, %"]
    heads += [f"pass^{k}, %", f"pass@{k}, %"] if k > 1 else []
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    sort = ""
    for group in results.groups:
        if sort and group.sort != sort:
            table.add_section()
        sort = group.sort
        table.add_row(*_cells(group, several=k > 1))
    return Lines(*(Text(label, style="italic") for label in results.labels), table, *_notes(results))


def rewards_table(levels: Sequence[Mapping[str, Any]]) -> Lines:
    """Levels × how many rewards, how many without a value, their mean, and groups; then why some have no value."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    for head in ("rewards", "without", "mean", "groups", "telling groups"):
        table.add_column(head, justify="right", no_wrap=True)
    reasons: list[Text] = []
    for each in (each for each in levels if each["rewards"]):
        mean = "none" if each["mean"] is None else f"{each['mean']:.3f}"
        counts = (each["rewards"], each["without"], mean, each["groups"], each["telling_groups"])
        table.add_row(each["level"], *map(str, counts))
        for reason, many in each["reasons"].items():
            line = f"{many} × {each['level']} without a value: {reason}"
            reasons.append(Text(line, style="dim", overflow="ellipsis", no_wrap=True))
    return Lines(
        table,
        Text("A group tells when its rewards differ: only then can a trainer learn from it.", style="dim"),
        *reasons[:_REASONS],
    )


def _cells(group: Group, *, several: bool) -> list[Text]:
    name = group.name.replace("_", " ")
    strong = "bold" if group.sort == "all" else ""
    cells = [
        Text(name, style=strong),
        Text(str(group.tasks)),
        Text(f"{group.passed} of {group.episodes - group.invalid}"),
        Text(str(group.invalid), style="" if group.invalid else "dim"),
        _with_interval(group.pass_1, "none valid", strong),
    ]
    for summary in (group.pass_all, group.pass_any) if several else ():
        cells.append(_with_interval(summary, "too few"))
    return cells


def _with_interval(summary: Summary | None, none: str, strong: str = "") -> Text:
    """The value, and its interval in a column of its own width."""
    if summary is None or summary.value is None:
        return Text(none, style="dim")
    return Text(percent(summary.value), style=strong) + Text(f" {between(summary):>9}", style="dim")


def percent(value: float | None) -> str:
    """A share as it prints."""
    return "invalid" if value is None else f"{value * 100:.1f}"


def between(summary: Summary) -> str:
    """An interval as it prints, empty where there is none."""
    if summary.low is None or summary.high is None:
        return ""
    high = f"{summary.high * 100:.1f}"
    return f"{summary.low * 100:.1f}\N{EN DASH}{'100' if high == '100.0' else high}"


def _notes(results: EnvResults) -> list[Text]:
    stops = Counter(trace.stop.replace("_", " ") for trace in results.traces)
    stops.update({"no trace": len(results.failures)} if results.failures else {})
    lines = [Text("Stops: " + ", ".join(f"{many} {stop}" for stop, many in stops.most_common()), style="dim")]
    if results.resampled:
        lines.append(Text(f"{results.resampled} invalid episodes were played again", style="dim"))
    reasons = Counter(each.reason for each in results.verdicts if each.reason)
    for reason, many in reasons.most_common(_REASONS):
        lines.append(Text(f"{many} × {reason}", style="dim", overflow="ellipsis", no_wrap=True))
    if len(reasons) > _REASONS:
        lines.append(Text(f"… and {len(reasons) - _REASONS} other reasons", style="dim"))
    return lines
