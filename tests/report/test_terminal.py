from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Literal

import pytest
from rich.console import Console

from antiphon.report.terminal import compare_table, run_table, verdict
from antiphon.stats import Paired, Summary


@dataclass(frozen=True)
class Metric:
    name: str
    title: str
    better: Literal["higher", "lower", "neither"] = "higher"
    digits: int = 1
    percent: bool = True
    unit: str = ""
    what: str = "What it is."


@dataclass(frozen=True)
class Run:
    summaries: tuple[Summary, ...]
    metrics: dict[str, Metric]


METRICS = {
    name: Metric(name, title)
    for name, title in (
        ("acc", "Accuracy"), ("b", "A long name for a metric"), ("c", "Another rather long name"),
        ("d", "Fourth"), ("e", "Fifth"), ("judged", "Judged good"),
    )
}  # fmt: skip


def printed(part: object, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(part)
    return console.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]


def lines_of(part: object) -> list[str]:
    lines = [" ".join(line.split()) for line in printed(part).splitlines()]
    return [line for line in lines if line.strip("─")]


def test_a_run_prints_value_interval_and_n_and_names_what_was_not_measured() -> None:
    run = Run(
        (
            Summary("acc", "chinese_knowledge", 0.769, 0.497, 0.918, "wilson", 13, invalid=1),
            Summary(
                "judged",
                "chinese_knowledge",
                None,
                None,
                None,
                "none",
                0,
                0,
                0,
                7,
                0,
                ("no judge was given",),
            ),
        ),
        METRICS,
    )
    assert lines_of(run_table(run)) == [
        "value 95 % n",
        "Accuracy, % 76.9 49.7–91.8 13 1 invalid",
        "Judged good: 7 not judged (no judge was given)",
    ]
    assert lines_of(run_table(run, by_subset=True)) == [
        "Accuracy, %",
        "chinese knowledge 76.9",
        "49.7–91.8, n 13",
        "1 invalid",
        "Judged good: 7 not judged (no judge was given)",
    ]


def test_tables_are_no_wider_than_a_hundred_columns() -> None:
    summaries = tuple(
        Summary(name, subset, 1.0, 0.619, 1.0, "wilson", 300, 12, 3)
        for name in METRICS
        for subset in ("a_subset_with_a_very_long_name_indeed", "all")
    )
    assert max(map(len, printed(run_table(Run(summaries, METRICS), by_subset=True), 200).splitlines())) <= 100
    rows = [
        Paired(name, subset, 3000, 0.5, 1.0, 0.5, -0.25, 0.75, 0.0001, "mcnemar")
        for name in METRICS
        for subset in ("a_subset_with_a_very_long_name_indeed", "all")
    ]
    assert (
        max(map(len, printed(compare_table(rows, METRICS, "runs/2026-08-01", "x" * 40), 200).splitlines()))
        <= 100
    )


def test_a_comparison_says_what_the_change_means() -> None:
    row = Paired("acc", "all", 13, 0.769, 0.615, -0.154, -0.3, -0.01, 0.04, "mcnemar")
    head, _, line = printed(compare_table([row], METRICS)).splitlines()
    assert head.split() == ["metric", "n", "A", "B", "change", "95", "%", "p"]
    assert line.split() == [
        "Accuracy,",
        "%",
        "13",
        "76.9",
        "61.5",
        "−15.4",
        "−30.0",
        "to",
        "−1.0",
        "0.040",
        "worse",
    ]


def test_better_is_said_only_where_the_interval_excludes_zero() -> None:
    def row(low: float, high: float) -> Paired:
        return Paired("m", "all", 9, 0.0, 0.0, (low + high) / 2, low, high, 0.1, "paired bootstrap")

    up, down, open_ = row(0.1, 0.3), row(-0.3, -0.1), row(-0.1, 0.3)
    found = {
        better: [verdict(one, Metric("m", "M", better=better)) for one in (up, down, open_)]
        for better in ("higher", "lower", "neither")
    }
    assert found == {
        "higher": ["better", "worse", "unclear"],
        "lower": ["worse", "better", "unclear"],
        "neither": ["higher", "lower", "unclear"],
    }


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    console.print(
        compare_table([Paired("acc", "all", 9, 0.9, 0.1, -0.8, -0.9, -0.7, 0.001, "mcnemar")], METRICS)
    )
    assert "\x1b[31m" not in console.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]
    assert "\x1b[1;31m" not in console.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]
