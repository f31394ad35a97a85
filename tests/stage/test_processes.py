"""Worker processes give the same file as this process, and die without taking rows along."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

RIG = Path(__file__).with_name("rig.py")


def rig(out: Path, *options: object) -> tuple[int, str, str]:
    """Exit code, last line printed, complaint."""
    done = subprocess.run(
        [sys.executable, str(RIG), str(out), *map(str, options)], capture_output=True, text=True, check=False
    )
    return done.returncode, (done.stdout.splitlines() or [""])[-1], done.stderr


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("here") / "takes.jsonl"
    assert rig(out, "--pause-us", 0, "--extra", "bad?", "busy!") == (0, "62 2 0 62", "")
    return out


def blobs(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out.parent / "clips").iterdir()}


@pytest.mark.parametrize(
    "how", [("--workers", 1), ("--workers", 3, "--in-flight", 2), ("--workers", 2, "--batch", 7)]
)
def test_processes_give_the_same_file_as_one_process(
    how: tuple[object, ...], here: Path, tmp_path: Path
) -> None:
    out = tmp_path / "takes.jsonl"
    assert rig(out, *how, "--extra", "bad?", "busy!") == (0, "62 2 0 62", "")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[-2:] == [
        {"kind": "failure", "v": 1, "key": "bad?", "reason": "rig.wav: is no sound", "transient": False},
        {"kind": "failure", "v": 1, "key": "busy!", "reason": "rig:: busy", "transient": True},
    ]
    assert out.read_bytes() == here.read_bytes()
    assert blobs(out) == blobs(here)


def test_a_dead_worker_costs_only_what_it_had_in_flight_and_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "takes.jsonl"
    assert rig(out, "--workers", 1, "--in-flight", 1, "--die-on", "item-xx5") == (0, "60 1 0 60", "")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row for row in rows if row["kind"] == "failure"] == [
        {
            "kind": "failure", "v": 1, "key": "item-xx5", "transient": True,
            "reason": "the worker died while performing this (SIGKILL, perhaps out of memory)",
        }
    ]  # fmt: skip
    assert rig(out) == (0, "60 0 59 1", "")


def test_workers_that_keep_dying_end_the_stage(tmp_path: Path) -> None:
    out = tmp_path / "takes.jsonl"
    assert rig(out, "--workers", 1, "--always-die") == (
        1, "performing item-3",
        "ConfigError: a worker process died 4 times (last: SIGKILL, perhaps out of memory); finished rows "
        "are kept: resume with fewer --workers or more free memory\n",
    )  # fmt: skip
    assert rig(out) == (0, "60 0 0 60", "")


def test_a_bug_in_a_process_names_the_record_and_the_error(tmp_path: Path) -> None:
    out = tmp_path / "takes.jsonl"
    code, _, complaint = rig(out, "--workers", 2, "--break-on", "item-12")
    assert (code, complaint) == (
        1, "RuntimeError: a bug in the worker, performing item-12: RuntimeError: KeyError: 'item-12'; "
        "finished rows are kept\n",
    )  # fmt: skip
    code, counts, complaint = rig(out)
    assert (code, complaint, counts.split()[:2]) == (0, "", ["60", "0"])


def test_a_row_that_cannot_leave_its_process_is_a_bug(tmp_path: Path) -> None:
    out = tmp_path / "takes.jsonl"
    code, _, complaint = rig(out, "--workers", 1, "--unpicklable-on", "item-6")
    assert code == 1
    assert "performing item-6: RuntimeError: AttributeError: Can't pickle" in complaint
    assert rig(out) == (0, "60 0 6 54", "")


def test_a_worker_that_cannot_be_opened_ends_the_stage_with_its_own_error(tmp_path: Path) -> None:
    out = tmp_path / "takes.jsonl"
    assert rig(out, "--workers", 2, "--unavailable") == (
        1, "", "UnavailableError: the rig is not here; pip install rig\n",
    )  # fmt: skip
