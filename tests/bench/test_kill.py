"""A run killed at any moment and resumed: the same files, and nothing asked twice but what was in flight."""

from __future__ import annotations

import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from antiphon.bench.folder import load
from antiphon.ids import rng
from tests.bench.bench_runs import kept, own_suite, script
from tests.bench.endpoint import Endpoint, listening
from tests.cli.commands import antiphon, finish, start

pytestmark = pytest.mark.usefixtures("own_cache")
COUNT = 24
STAGES = ("queries", "takes", "transcripts", "measures-scripted")
# Each part takes its time, so that a kill lands anywhere: about 1.5 s from the first question to the report.
SLOW = (
    "--transcriber", "scripted:?delay_ms=100", "--scorer", "scripted:?names=distillmos",
    "--synthesizer", "scripted:?delay_ms=15",
)  # fmt: skip


@pytest.fixture
def given(tmp_path: Path) -> tuple[str | Path, ...]:
    """The command of a run over an own suite, without --out."""
    suite = own_suite(tmp_path / "suite", *[{}] * COUNT)
    line = {"match": "*", "text": "是北京。", "audio": {"tone_s": 1}, "first_token_us": 5_000}
    system = script(tmp_path / "s.jsonl", {**line, "first_audio_us": 10_000, "end_us": 20_000})
    return ("run", "--suite", suite, "--speak-missing", "--system", f"{system}?pace=1", *SLOW, "--out")


def begun(out: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a process has begun to write, or is over."""
    lock = out / ".lock"
    while process.poll() is None and not (lock.exists() and f"{process.pid}," in lock.read_text()):
        _wait(process, 0.01)


def _wait(process: subprocess.Popen[str], seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def rows(folder: Path) -> set[bytes]:
    """Every row of a stage that reached the disk whole, sealed or in a journal."""
    files = [path for name in STAGES for path in folder.rglob(f"{name}*.jsonl")]
    lines = [line for path in files for line in path.read_bytes().splitlines(keepends=True)]
    return {line for line in lines if line.endswith(b"\n")}


@pytest.mark.timeout(600)
def test_kill_9_at_random_moments_changes_no_byte_and_loses_no_row(
    tmp_path: Path, given: tuple[str | Path, ...], request: pytest.FixtureRequest
) -> None:
    runs = 10 if request.config.getoption("--slow", default=False) else 1
    assert antiphon(*given, tmp_path / "undisturbed").code == 0
    wanted = kept(tmp_path / "undisturbed")
    delays = rng(0, "kill a run").uniform(0, 0.45, size=(runs, 5))
    for number in range(runs):
        out, saved = tmp_path / f"run{number}", set[bytes]()
        for delay in delays[number]:
            process = start(*given, out, "--resume")
            begun(out, process)
            _wait(process, float(delay))
            process.kill()
            process.communicate()
            assert saved <= rows(out)  # what was on disk before is there still
            saved = rows(out)
        assert saved
        assert antiphon(*given, out, "--resume").code == 0
        assert kept(out) == wanted


def paid(folder: Path, endpoint: Endpoint) -> tuple[str | Path, ...]:
    suite = own_suite(folder / "suite", *[{}] * COUNT)
    return (
        "run", "--suite", suite, "--speak-missing", "--system", endpoint.uri, *SLOW, "--out", folder / "run",
    )  # fmt: skip


def answered(folder: Path, process: subprocess.Popen[str], endpoint: Endpoint, count: int) -> None:
    """Wait until so many questions were asked."""
    while process.poll() is None and endpoint.asked.total() < count:
        _wait(process, 0.01)
    assert (folder / "run" / "takes.journal.jsonl").exists()


def test_kill_9_pays_twice_for_nothing_but_the_question_in_flight(tmp_path: Path) -> None:
    with listening() as endpoint:
        endpoint.pause_s = 0.02
        command = paid(tmp_path, endpoint)
        process = start(*command)
        answered(tmp_path, process, endpoint, 8)
        process.kill()
        process.communicate()
        done = antiphon(*command, "--resume")
        assert done.code == 0
        twice = [question for question, times in endpoint.asked.items() if times > 1]
        assert len(twice) <= 1
        assert (len(endpoint.asked), endpoint.asked.total()) == (COUNT, COUNT + len(twice))
        results = load(tmp_path / "run")
        assert (len(results.takes), results.failures) == (COUNT, {})


def test_ctrl_c_ends_in_one_line_that_says_how_to_go_on(tmp_path: Path) -> None:
    with listening() as endpoint:
        endpoint.pause_s = 0.02
        command = paid(tmp_path, endpoint)
        process = start(*command)
        answered(tmp_path, process, endpoint, 5)
        process.send_signal(signal.SIGINT)
        done = finish(process)
        assert done.code == 130
        assert done.complaint == (
            "antiphon: stopped; finished work is kept; the same command goes on (`antiphon run`: with --resume)"
        )
        assert "Traceback" not in done.err
        assert antiphon(*command, "--resume").code == 0
        assert endpoint.asked.total() <= COUNT + 1


def test_a_second_writer_is_refused_in_one_line(tmp_path: Path) -> None:
    with listening() as endpoint:
        endpoint.pause_s = 0.02
        command = paid(tmp_path, endpoint)
        process = start(*command)
        answered(tmp_path, process, endpoint, 2)
        second = antiphon(*command, "--resume")
        assert second.code == 2
        assert second.err.startswith(
            f"antiphon: {tmp_path / 'run'} is being written by process {process.pid} on "
        )
        assert second.err.endswith("; wait for it, stop it, or choose another --out\n")
        assert finish(process).code == 0
        assert endpoint.asked.total() == COUNT
