from __future__ import annotations

import json
from pathlib import Path

import pytest

from antiphon.cli.main import main
from tests.envs.desk import REFUSE, write


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["envs", *arguments])
    code = stop.value.code
    assert isinstance(code, int)
    return code


def test_a_sound_domain_exits_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run("check", str(write(tmp_path))) == 0
    assert capsys.readouterr().out == "desk: tasks 2, defects 0\n"


def test_each_defect_is_a_line_and_the_exit_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run("check", str(write(tmp_path, REFUSE | {"clauses": ["No."]}))) == 1
    assert capsys.readouterr().out == (
        "desk/tasks/all.json refuse_second clauses[0]: rules.md does not say 'No.'\ndesk: tasks 1, defects 1\n"
    )


def test_json_is_a_list_of_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    home = write(tmp_path, REFUSE | {"clauses": ["No."]})
    assert run("check", str(home), "flight_search_desk", "--json") == 1
    first, second = json.loads(capsys.readouterr().out)
    assert first == {
        "domain": "desk", "tasks": 1,
        "defects": [
            {
                "file": "tasks/all.json", "task": "refuse_second", "field": "clauses[0]",
                "problem": "rules.md does not say 'No.'",
            }
        ],
    }  # fmt: skip
    assert (second["domain"], second["defects"]) == ("flight_search_desk", [])


def test_all_are_our_own(capsys: pytest.CaptureFixture[str]):
    assert run("check", "--all") == 0
    assert "flight_search_desk: " in capsys.readouterr().out


def test_nothing_named_or_something_unknown_is_the_users_error(capsys: pytest.CaptureFixture[str]):
    assert run("check") == 2
    assert "name a domain or its folder, or --all; there are: " in capsys.readouterr().err
    assert run("check", "nowhere") == 2
    assert "no domain 'nowhere'; there are: " in capsys.readouterr().err
