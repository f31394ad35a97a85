from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.bench.folder import RunFolder
from antiphon.bench.rating.ballots import Ballot
from antiphon.bench.rating.ratings import Rating, open_box, path_of, ratings_of, response_of
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError
from antiphon.jsonl import read_records

YES = Ballot("a", 0, "i1", "safe", "p@1", "r", ("是", "否"), None, "q", "", "", "words", None, None)
SCORE = replace(YES, id="b", item="i2", metric="score", words=(), top=5)


def folder(path: Path) -> RunFolder:
    path.mkdir()
    return RunFolder(path)


def test_answers_are_on_the_disk_at_once_and_go_on_in_the_next_session(tmp_path: Path) -> None:
    run = folder(tmp_path / "run")
    with open_box([run], [YES, SCORE], "ann", VirtualClock()) as box:
        assert box.next == YES
        box.rate("a", value=True)
        assert read_records(path_of(run, "ann"), Rating)[0].value is True
        assert (box.next, box.done) == (SCORE, 1)
    with open_box([run], [YES, SCORE], "ann", VirtualClock()) as box:
        assert (box.next, box.done) == (SCORE, 1)
        box.rate("b", 4)
        assert (box.next, box.done) == (None, 2)
    assert [(one.item, one.value) for one in ratings_of(run)["ann"]] == [("i1", True), ("i2", 4.0)]


def test_the_last_answer_can_be_taken_back_even_later(tmp_path: Path) -> None:
    run = folder(tmp_path / "run")
    with open_box([run], [YES, SCORE], "ann", VirtualClock()) as box:
        box.rate("a", value=True)
        box.rate("b", None)
        assert ratings_of(run)["ann"] == box_values(run, "i1")
    with open_box([run], [YES, SCORE], "ann", VirtualClock()) as box:
        assert box.done == 2
        box.undo()
        assert box.next == SCORE
        box.undo()
        assert (box.next, box.done) == (YES, 0)
        box.undo()
    assert ratings_of(run)["ann"] == []
    assert [one.state for one in read_records(path_of(run, "ann"), Rating)] == [
        "rated", "skipped", "undone", "undone",
    ]  # fmt: skip


def box_values(run: RunFolder, item: str) -> list[Rating]:
    return [one for one in read_records(path_of(run, "ann"), Rating) if one.item == item]


def test_a_rating_of_other_words_does_not_count_for_these(tmp_path: Path) -> None:
    run = folder(tmp_path / "run")
    with open_box([run], [YES], "ann", VirtualClock()) as box:
        box.rate("a", value=False)
    with open_box([run], [replace(YES, response="other words")], "ann", VirtualClock()) as box:
        assert box.done == 0
    assert response_of("words") != response_of("other words")


def test_each_run_keeps_its_own_and_raters_work_side_by_side(tmp_path: Path) -> None:
    runs = [folder(tmp_path / name) for name in ("one", "two")]
    other = replace(YES, id="c", run=1)
    with open_box(runs, [YES, other], "ann", VirtualClock()) as box:
        box.rate("c", value=False)
        with open_box(runs, [YES, other], "bob", VirtualClock()) as second:
            second.rate("a", value=True)
    assert [{rater: len(rows) for rater, rows in ratings_of(run).items()} for run in runs] == [
        {"ann": 0, "bob": 1},
        {"ann": 1, "bob": 0},
    ]


@pytest.mark.parametrize(
    ("ballot", "value", "problem"),
    [
        ("a", 3, "3 is neither yes nor no"),
        ("b", 6, "6 is no whole number from 1 to 5"),
        ("b", True, "True is no whole number"),
        ("x", True, "no ballot 'x'; load the page again"),
    ],
)
def test_a_value_off_its_scale_is_refused_and_not_kept(
    tmp_path: Path, ballot: str, value: bool | int, problem: str
) -> None:
    run = folder(tmp_path / "run")
    with open_box([run], [YES, SCORE], "ann", VirtualClock()) as box:
        with pytest.raises(ConfigError, match=problem):
            box.rate(ballot, value)
        assert box.done == 0


def test_a_rater_is_a_plain_name(tmp_path: Path) -> None:
    assert path_of(RunFolder(tmp_path), "李雷").parent.name == "李雷"
    for name in ("../x", "", "a/b", ".a"):
        with pytest.raises(ConfigError, match="must be a plain name"):
            path_of(RunFolder(tmp_path), name)
