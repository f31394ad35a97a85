from __future__ import annotations

from pathlib import Path

from antiphon.envs.defects import Defect, Report, of_file
from antiphon.errors import DataError

HOME = Path("/d")


def test_a_problem_of_a_task_names_file_task_and_field():
    error = DataError(HOME / "tasks" / "a.json", "Expected `str`", field="lend_emma db")
    assert of_file(error, HOME) == Defect("tasks/a.json", "lend_emma", "db", "Expected `str`")


def test_a_task_without_a_name_is_known_by_its_number():
    error = DataError(HOME / "tasks" / "a.json", "is empty", field="task 3 task_id")
    assert of_file(error, HOME) == Defect("tasks/a.json", "task 3", "task_id", "is empty")
    assert of_file(DataError(HOME / "tasks" / "a.json", "no", field="task 3"), HOME).task == "task 3"


def test_a_problem_of_another_file_keeps_its_line():
    assert of_file(DataError(HOME / "tools.py", "bad", line=7), HOME) == Defect("tools.py:7", "", "", "bad")
    other = DataError("/elsewhere/x.json", "bad", field="current_date")
    assert of_file(other, HOME) == Defect("/elsewhere/x.json", "", "current_date", "bad")


def test_a_report_is_json():
    report = Report("desk", 2, (Defect("a", "b", "c", "two\nlines"),))
    assert report.row() == {
        "domain": "desk", "tasks": 2,
        "defects": [{"file": "a", "task": "b", "field": "c", "problem": "two\nlines"}],
    }  # fmt: skip
    assert report.defects[0].line == "a b c: two lines"
