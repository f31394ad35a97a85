from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antiphon.bench.folder import load
from antiphon.bench.page_beside import render, write
from tests.bench.bench_runs import perform

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.bench.results import Results


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Results]:
    folder = tmp_path_factory.mktemp("runs")
    return [load(perform(folder / name).path) for name in ("one", "other")]


def text(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_the_page_loads_nothing_and_says_that_it_is_scripted(runs: list[Results]) -> None:
    html = render(runs)
    assert not re.search(r'(?:src|href)="(?!#|\.\./|data:)', html)
    assert "default-src &#39;none&#39;" in html
    assert "Scripted scripted:echo (one) and scripted:echo (other)" in text(html)


def test_two_runs_have_their_paired_change_on_every_row(runs: list[Results]) -> None:
    html = render(runs)
    assert "The change is the second run less the first" in html
    assert "0.00 to 0.00, p 1.000" in html
    assert "What was asked" in html


def test_three_runs_have_no_change_and_say_so(runs: list[Results], tmp_path: Path) -> None:
    third = replace(runs[0], folder=tmp_path)
    html = render([*runs, third])
    assert "Changes with intervals are shown for two runs" in html
    assert '<th scope="col">change</th>' not in html


def test_what_makes_numbers_incomparable_is_said_above_them(runs: list[Results]) -> None:
    one, other = runs
    html = render([one, replace(other, manifest=replace(other.manifest, transcriber="another"))])
    assert "The runs differ in recogniser: what rests on that does not compare." in html


def test_runs_of_other_questions_show_each_its_own_set(runs: list[Results]) -> None:
    one, other = runs
    html = render([one, replace(other, items=other.items[:4])])
    assert "<h3>scripted:echo (one)</h3>" in html
    assert "<h3>scripted:echo (other)</h3>" in html


def test_the_page_is_written(runs: list[Results], tmp_path: Path) -> None:
    assert write(runs, tmp_path / "beside.html").read_text("utf-8") == render(runs)
