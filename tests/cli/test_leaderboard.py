from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.bench_runs import perform
from tests.cli.commands import antiphon


def test_a_program_gets_a_list_of_published_overalls_as_the_last_output() -> None:
    done = antiphon("leaderboard", "vocalbench-zh", "--published", "--json")
    rows = json.loads(done.out.splitlines()[-1])
    assert (done.code, len(rows)) == (0, 15)
    for row in rows:
        assert {"system", "overall_printed", "overall_recomputed", "agrees"} <= set(row)
    assert [row["system"] for row in rows if not row["agrees"]] == ["Qwen3-Omni"]


def test_without_a_form_the_standings_are_printed_within_100_columns() -> None:
    done = antiphon("leaderboard", "vocalbench-zh")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 100
    assert "misprint" in done.out
    assert done.out.splitlines()[-1] == "All tables: --out leaderboard.html, --markdown, --csv or --latex."


def test_a_page_is_written_beside_whatever_is_printed(tmp_path: Path) -> None:
    page = tmp_path / "board.html"
    done = antiphon("leaderboard", "vocalbench-zh", "--json", "--out", page)
    assert len(done.json) == 15
    assert done.err == f"Page: {page}\n"
    assert "<title>Leaderboard of vocalbench-zh</title>" in page.read_text("utf-8")


def test_one_table_can_be_asked_for() -> None:
    done = antiphon("leaderboard", "vocalbench-zh", "--csv", "--table", "14")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert {row["table"] for row in rows} == {"14"}
    assert len(rows) == 39


@pytest.mark.parametrize(("form", "start"), [("--markdown", "## Table 6: "), ("--latex", "\\begin{table}")])
def test_tables_come_in_other_forms(form: str, start: str) -> None:
    assert antiphon("leaderboard", "vocalbench-zh", form, "--table", "6").out.startswith(start)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("starter",), "no published table for suite 'starter'; there are: full-duplex, vocalbench-zh"),
        (("vocalbench-zh", "--no-published"), "nothing to show; name a RUN, or leave out --no-published"),
        (("vocalbench-zh", "--table", "3"), "no table '3'; there are: 10, 11, 12, 13, 14, 15, 2, 5, 6, 7, 8, 9"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused(arguments: tuple[str, ...], complaint: str) -> None:
    done = antiphon("leaderboard", *arguments)
    assert (done.code, done.complaint) == (2, f"antiphon: {complaint}")


@pytest.mark.usefixtures("own_cache")
def test_a_run_of_another_suite_is_refused(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    done = antiphon("leaderboard", "vocalbench-zh", folder.path)
    assert done.code == 2
    assert done.complaint.endswith("is a run of starter; vocalbench-zh ranks its own runs")


@pytest.mark.usefixtures("own_cache")
def test_a_run_stands_beside_published_rows_and_says_why_it_is_not_ranked(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    folder.write(folder.manifest, [replace(folder.read_manifest(), suite="vocalbench-zh")])
    row = antiphon("leaderboard", "vocalbench-zh", folder.path, "--json").json[-1]
    assert (row["system"], row["run"], row["overall_recomputed"]) == ("scripted:echo", str(folder.path), None)
    assert row["missing"][0].startswith("knowledge: ")
    assert {"judge", "recogniser", "query audio", "hardware", "scoring", "replies"} <= set(row["differs"])
    printed = antiphon("leaderboard", "vocalbench-zh", folder.path).out
    assert "  replies differs: scripted; paper: a model's\n" in printed
    assert "  no Overall, fluency: not measured\n" in printed
    page = tmp_path / "board.html"
    antiphon("leaderboard", "vocalbench-zh", folder.path, "--out", page)
    assert "scripted, measured, not ranked" in page.read_text("utf-8")


def test_full_duplex_shows_tables_10_and_11_as_printed() -> None:
    rows = antiphon("leaderboard", "full-duplex", "--table", "11", "--json").json
    assert [row["system"] for row in rows][-1] == "Qwen-Audio-3.1-Realtime"
    assert rows[-1]["values"]["semantic_session"] == 0.68
    printed = antiphon("leaderboard", "full-duplex").out
    assert "| Qwen-Audio-3.1-Realtime (published) | 0.0073 | 0.0509 | 0.9664 | 1.9210 |" in printed
    done = antiphon("leaderboard", "full-duplex", "--table", "3")
    assert (done.code, done.complaint) == (2, "antiphon: no table '3'; there are: 10, 11")
