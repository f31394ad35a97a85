from __future__ import annotations

import sys
from pathlib import Path

import pytest

from antiphon.cli.main import main
from tests.envs.desk import LEND, write


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["envs", "mcp", *arguments])
    code = stop.value.code
    assert isinstance(code, int)
    return code


def test_a_task_that_is_not_there_is_the_users_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(str(write(tmp_path, LEND)), "--task", "none") == 2
    assert "no task of desk 'none'; there are: lend_emma" in capsys.readouterr().err


def test_without_the_sdk_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "mcp", None)  # as if it were not installed
    assert run(str(write(tmp_path, LEND)), "--out", str(tmp_path / "kept" / "traces.jsonl")) == 2
    assert "the package mcp is missing" in capsys.readouterr().err
    assert (tmp_path / "kept" / "traces.jsonl").read_text() == ""


def test_help_tells_how_it_is_served(capsys: pytest.CaptureFixture[str]):
    assert run("--help") == 0
    shown = capsys.readouterr().out
    assert "Streamable HTTP at /mcp" in shown
    assert "--no-control" in shown
