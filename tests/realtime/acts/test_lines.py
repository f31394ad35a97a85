from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from antiphon.errors import DataError
from antiphon.realtime.acts.classifier import ACTS
from antiphon.realtime.acts.lines import Line, counted, ours, read


def test_our_lines_are_of_every_act_and_none_comes_twice():
    lines = ours()
    assert min(counted(lines).values()) >= 50
    assert [text for text, n in Counter(line.text for line in lines).items() if n > 1] == []
    assert {line.act for line in lines} == set(ACTS)


def test_lines_are_read_and_empty_ones_passed_over(tmp_path: Path):
    path = tmp_path / "mine.tsv"
    path.write_text("request\tWhat now?\n\nothers\t走吧。\n", encoding="utf-8")
    assert read(path) == [Line("request", "What now?"), Line("others", "走吧。")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("request\tYes?\nask\tWhat now?\n", r"mine.tsv:2: unknown act 'ask'; there are: request, others"),
        ("What now?\n", r"mine.tsv:1: 'What now\?' is no act, a tab and words"),
        ("request\t  \n", r"mine.tsv:1: .* is no act, a tab and words"),
        ("\n", r"mine.tsv: no lines"),
    ],
)
def test_what_is_no_line_is_told_with_its_place(tmp_path: Path, text: str, problem: str):
    path = tmp_path / "mine.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=problem):
        read(path)


def test_a_missing_file_is_told(tmp_path: Path):
    with pytest.raises(DataError, match="not a readable text file"):
        read(tmp_path / "none.tsv")
