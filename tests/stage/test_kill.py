"""Killed at any moment, resumed: the same file, and nothing performed twice but what was in flight."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.ids import rng
from antiphon.stage.map import Settings, map_records
from antiphon.stage.outcome import Made

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

RIG = Path(__file__).with_name("rig.py")


def start(out: Path, *options: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(RIG), str(out), *map(str, options)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def finish(out: Path, *options: object) -> str:
    """Run to the end; the counts that the rig prints last."""
    process = start(out, *options)
    printed, complaint = process.communicate()
    assert (process.returncode, complaint) == (0, "")
    return printed.splitlines()[-1]


def performed(out: Path) -> list[str]:
    log = out.with_name("performed.log")
    return log.read_text().splitlines() if log.exists() else []


def kept(out: Path) -> set[str]:
    """The keys of all rows that reached the system whole."""
    whole = [
        line
        for path in (out, out.with_name("takes.journal.jsonl"))
        if path.exists()
        for line in path.read_bytes().splitlines(keepends=True)
        if line.endswith(b"\n")
    ]
    return {json.loads(line)["key"] for line in whole}


def blobs(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out.parent / "clips").glob("*.flac")}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "takes.jsonl"
    assert finish(out, "--n", 120, "--in-flight", 4, "--pause-us", 0) == "120 0 0 120"
    return out


@pytest.mark.timeout(300)
def test_kill_9_at_random_moments_repeats_only_what_was_in_flight(
    tmp_path: Path, undisturbed: Path, request: pytest.FixtureRequest
) -> None:
    kills = 50 if request.config.getoption("--slow", default=False) else 5
    delays = rng(0, "kill").uniform(0, 0.08, size=kills)
    done, folder = 0, 0
    while done < kills:
        out = tmp_path / str(folder) / "takes.jsonl"
        expected: Counter[str] = Counter()
        while done < kills and not out.exists():
            before = len(performed(out))
            process = start(out, "--n", 120, "--in-flight", 4, "--pause-us", 4000)
            _kill_after(process, delays[done])
            in_flight = set(performed(out)[before:]) - kept(out)
            assert len(in_flight) <= 4
            expected.update(in_flight)
            done += 1
        finish(out, "--n", 120, "--in-flight", 4, "--pause-us", 0)
        expected.update(kept(undisturbed))
        assert Counter(performed(out)) == expected
        assert out.read_bytes() == undisturbed.read_bytes()
        assert blobs(out) == blobs(undisturbed)
        folder += 1


def _kill_after(process: subprocess.Popen[str], seconds: float) -> None:
    assert process.stdout is not None
    process.stdout.readline()
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.kill()
    process.communicate()


def test_killing_the_parent_ends_its_worker_processes(tmp_path: Path, undisturbed: Path) -> None:
    out = tmp_path / "takes.jsonl"
    process = start(out, "--n", 120, "--workers", 2, "--in-flight", 2, "--pause-us", 4000)
    _kill_after(process, 0.02)  # reads until every process has let go of the pipe
    saved = len(kept(out))
    assert len(performed(out)) - saved <= 4
    assert finish(out, "--n", 120, "--pause-us", 0) == f"120 0 {saved} {120 - saved}"
    assert out.read_bytes() == undisturbed.read_bytes()


@pytest.mark.parametrize("workers", [0, 2])
def test_ctrl_c_keeps_what_has_finished(workers: int, tmp_path: Path, undisturbed: Path) -> None:
    out = tmp_path / "takes.jsonl"
    process = start(out, "--n", 120, "--workers", workers, "--in-flight", 2, "--pause-us", 4000)
    assert process.stdout is not None
    for _ in range(12):
        process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process of the group
    _, complaint = process.communicate()
    assert (process.returncode, complaint) == (1, "interrupted\n")
    saved = kept(out)
    in_flight = set(performed(out)) - saved
    assert len(in_flight) <= 2 * max(workers, 1)
    assert not out.exists()
    assert finish(out, "--n", 120, "--pause-us", 0) == f"120 0 {len(saved)} {120 - len(saved)}"
    assert Counter(performed(out)) == Counter(kept(undisturbed)) + Counter(in_flight)
    assert out.read_bytes() == undisturbed.read_bytes()


@pytest.mark.parametrize(
    ("max_bytes", "file", "problem"),
    [
        (3000, "takes.journal.jsonl", "row not written"),
        (1000, "clips/381f1ae6cc1b8e86.flac", "not written (File too large)"),
    ],
)
def test_a_full_disk_stops_the_stage_and_leaves_nothing_half_written(
    max_bytes: int, file: str, problem: str, tmp_path: Path, undisturbed: Path
) -> None:
    out = tmp_path / "takes.jsonl"
    process = start(out, "--n", 120, "--in-flight", 4, "--pause-us", 0, "--max-bytes", max_bytes)
    _, complaint = process.communicate()
    assert process.returncode == 1
    assert complaint.startswith(f"DataError: {out.parent / file}: {problem}")
    assert complaint.endswith("; free some space and resume\n")
    journal = out.with_name("takes.journal.jsonl").read_bytes()
    assert (journal == b"") == (max_bytes == 1000)
    assert journal == b"" or journal.endswith(b"}\n")
    assert not [path for path in out.parent.rglob(".*") if path.name != ".lock"]
    saved = len(kept(out))
    assert finish(out, "--n", 120, "--pause-us", 0) == f"120 0 {saved} {120 - saved}"
    assert out.read_bytes() == undisturbed.read_bytes()


def test_a_disk_too_full_for_sealing_loses_no_row(tmp_path: Path, undisturbed: Path) -> None:
    out = tmp_path / "takes.jsonl"
    finish(out, "--n", 80, "--pause-us", 0)
    enough_for_the_rest = out.stat().st_size + 1000
    process = start(out, "--n", 120, "--pause-us", 0, "--max-bytes", enough_for_the_rest)
    _, complaint = process.communicate()
    assert complaint == f"DataError: {out}: not written (File too large); free some space and resume\n"
    assert sorted(path.name for path in out.parent.iterdir()) == [
        ".lock", "clips", "performed.log", "takes.journal.jsonl", "takes.jsonl", "takes.stage.json",
    ]  # fmt: skip
    assert finish(out, "--n", 120) == "120 0 120 0"
    assert out.read_bytes() == undisturbed.read_bytes()


# What changes a file. A kill before each call visits every state in which a stage can leave its folder.
CALLS = {"open", "write", "pwrite", "replace", "unlink", "ftruncate", "mkdir", "chmod", "close"}


def test_a_kill_before_any_write_of_a_fresh_stage_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_waiting_for_the_disk(monkeypatch)
    _kill_everywhere(tmp_path, lambda _: None, list("abc"))


def test_a_kill_before_any_write_of_a_changed_list_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_waiting_for_the_disk(monkeypatch)

    def earlier(out: Path) -> None:
        _map(out, list("abcd"))

    _kill_everywhere(tmp_path, earlier, list("xdb"))


def _without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Syncing matters to power cuts, not to kills, and there are many kills."""
    monkeypatch.setattr(os, "sync", lambda: None)
    monkeypatch.setattr(os, "fsync", lambda _: None)


def _kill_everywhere(tmp_path: Path, prepare: Callable[[Path], object], words: list[str]) -> None:
    reference = tmp_path / "reference" / "takes.jsonl"
    _map(reference, words)
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    prepare(prepared / "takes.jsonl")
    points, killed = 0, True
    while killed:
        out = tmp_path / f"kill{points}" / "takes.jsonl"
        shutil.copytree(prepared, out.parent)
        before = kept(out)
        killed = _map_killed_before_call(points, out, words)
        saved = kept(out)
        assert before <= saved
        assert sorted(_map(out, words)) == sorted(set(words) - saved)
        assert out.read_bytes() == reference.read_bytes()
        assert blobs(out).items() >= blobs(reference).items()
        assert _map(out, sorted(saved | set(words))) == []
        points += 1
    assert points > 30


def _map_killed_before_call(point: int, out: Path, words: list[str]) -> bool:
    """Whether it was killed, rather than finished with fewer calls."""
    child = os.fork()
    if child == 0:
        calls = 0

        def count(_frame: object, event: str, called: Any) -> None:
            nonlocal calls
            if event == "c_call" and getattr(called, "__name__", "") in CALLS:
                if calls == point:
                    os.kill(os.getpid(), signal.SIGKILL)
                calls += 1

        sys.setprofile(count)
        _map(out, words)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


def _map(out: Path, words: list[str]) -> list[str]:
    """Run the stage; the words that it performed."""
    asked: list[str] = []

    @asynccontextmanager
    async def open_worker() -> AsyncIterator[Any]:
        async def perform(records: Sequence[str]) -> list[Made]:
            asked.extend(records)
            await asyncio.sleep(0)
            return [Made({"word": record}, {f"clips/{record}.flac": record.encode()}) for record in records]

        yield perform

    asyncio.run(
        map_records(words, open_worker, key=str, fingerprint={}, out=out, settings=Settings(in_flight=2))
    )
    return asked
