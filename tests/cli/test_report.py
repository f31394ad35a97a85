from __future__ import annotations

from pathlib import Path

import pytest

from tests.bench.bench_runs import perform
from tests.cli.commands import antiphon

pytestmark = pytest.mark.usefixtures("own_cache")


def test_a_report_is_written_again_and_its_table_printed(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    assert not folder.report.exists()
    done = antiphon("report", folder.path)
    assert done.code == 0
    assert folder.report.exists()
    assert any(line.startswith("Syllable error rate, %") for line in done.out.splitlines())
    assert max(map(len, done.out.splitlines()[:-1])) <= 100


def test_subsets_are_printed_on_request(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    assert "multi round" not in antiphon("report", folder.path).out
    assert "multi round" in antiphon("report", folder.path, "--by-subset").out


def test_sound_travels_inside_the_page_on_request(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    antiphon("report", folder.path, "--embed-audio")
    assert "data:audio/" in folder.report.read_text("utf-8")


def test_a_program_gets_one_object(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    assert antiphon("report", folder.path, "--json").json["report"] == str(folder.report)


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    done = antiphon("report", tmp_path)
    assert done.code == 2
    assert done.err == f"antiphon: no run in {tmp_path}: run.json is missing; `antiphon run` makes one\n"


def test_several_runs_are_one_page_side_by_side(tmp_path: Path) -> None:
    one, other = perform(tmp_path / "one"), perform(tmp_path / "other")
    done = antiphon("report", one.path, other.path)
    page = tmp_path / "one" / "report" / "beside.html"
    assert done.out.splitlines()[-1] == f"Report: {page}"
    assert max(map(len, done.out.splitlines()[:-1])) <= 100
    assert "<h1>2 runs <small>of starter, side by side</small></h1>" in page.read_text("utf-8")
    assert antiphon("report", one.path, other.path, "--json", "--out", tmp_path / "two.html").json == {
        "runs": [str(one.path), str(other.path)],
        "report": str(tmp_path / "two.html"),
    }


def test_what_belongs_to_one_run_or_to_several_is_said(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert antiphon("report", one, other, "--embed-audio").err == (
        "antiphon: --embed-audio and --by-subset belong to the report of one RUN\n"
    )
    assert antiphon("report", one, "--out", tmp_path / "x.html").err == (
        "antiphon: --out belongs to several RUNs; the page of one lies in its own folder\n"
    )


def test_the_table_says_whether_questions_were_recorded(tmp_path: Path) -> None:
    folder = perform(tmp_path / "run")
    assert "Questions: synthetic." in antiphon("report", folder.path).out
    assert "Questions: synthetic." in antiphon("compare", folder.path, folder.path).out
