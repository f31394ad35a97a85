from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from antiphon.errors import ConfigError
from antiphon.stage.folder import lock, lock_unless_held

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys
from pathlib import Path
from antiphon.stage.folder import lock
with lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold_elsewhere(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = hold_elsewhere(folder)
    with pytest.raises(ConfigError) as refused, lock(folder):
        pass
    assert str(refused.value) == (
        f"{folder} is being written by process {process.pid} on {socket.gethostname()}; "
        "wait for it, stop it, or choose another --out"
    )
    with pytest.raises(ConfigError, match="is being written"), lock_unless_held(folder):
        pass
    process.communicate("")
    with lock(folder):
        assert json.loads((folder / ".lock").read_text())["pid"] == os.getpid()


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    process = hold_elsewhere(tmp_path)
    process.kill()
    process.communicate()
    assert json.loads((tmp_path / ".lock").read_text())["pid"] == process.pid
    with lock(tmp_path):
        pass


def test_a_lock_does_not_nest_but_a_stage_joins_the_one_around_it(tmp_path: Path) -> None:
    with lock(tmp_path):
        with lock_unless_held(tmp_path / "." / "x" / ".."):
            pass
        with pytest.raises(ConfigError, match=f"process {os.getpid()} on"), lock(tmp_path):
            pass
        with pytest.raises(ConfigError, match="is being written"), lock(tmp_path):
            pass  # refusing did not free it
    with lock(tmp_path):
        pass


def test_leaving_by_an_error_frees_the_lock(tmp_path: Path) -> None:
    with pytest.raises(KeyError), lock_unless_held(tmp_path):
        raise KeyError
    with lock(tmp_path):
        pass


def test_a_holder_that_has_not_written_its_name_is_another_process(tmp_path: Path) -> None:
    with lock(tmp_path):
        (tmp_path / ".lock").write_text("")
        with pytest.raises(ConfigError, match="is being written by another process; wait"), lock(tmp_path):
            pass


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with (
        pytest.raises(ConfigError, match=r"run cannot be written \(File exists\); choose another --out"),
        lock(tmp_path / "run"),
    ):
        pass
