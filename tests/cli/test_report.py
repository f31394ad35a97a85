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
