"""A Ray cluster gives the same file as this process."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import run
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.errors import UnavailableError
from antiphon.stage.map import Settings, map_records

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

RIG = Path(__file__).with_name("rig.py")
HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="needs ray: pip install 'antiphon[ray]'")


def rig(out: Path, *options: object) -> tuple[int, str, str]:
    """Exit code, last line printed, complaint (Ray logs before it)."""
    done = run(
        [sys.executable, str(RIG), str(out), *map(str, options)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.splitlines()[-1] if done.stdout else "", done.stderr


@needs_ray
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_cluster_gives_the_same_file_as_one_process(tmp_path: Path) -> None:
    here, there = tmp_path / "here" / "takes.jsonl", tmp_path / "there" / "takes.jsonl"
    extra = ("--extra", "bad?", "busy!")
    assert rig(here, "--pause-us", 0, *extra)[:2] == (0, "62 2 0 62")
    assert rig(there, "--cluster", "local", "--workers", 2, "--in-flight", 2, *extra)[:2] == (0, "62 2 0 62")
    assert there.read_bytes() == here.read_bytes()
    assert {path.name: path.read_bytes() for path in (there.parent / "clips").iterdir()} == {
        path.name: path.read_bytes() for path in (here.parent / "clips").iterdir()
    }


@needs_ray
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_dead_actor_costs_only_what_it_had_in_flight(tmp_path: Path) -> None:
    out = tmp_path / "takes.jsonl"
    assert rig(out, "--cluster", "local", "--die-on", "item-xx5")[:2] == (0, "60 1 0 60")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["key"], row["transient"]) for row in rows if row["kind"] == "failure"] == [
        ("item-xx5", True)
    ]
    assert rig(out) == (0, "60 0 59 1", "")


@needs_ray
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_an_error_that_ends_the_stage_comes_home_from_the_cluster(tmp_path: Path) -> None:
    code, _, complaint = rig(tmp_path / "a" / "takes.jsonl", "--cluster", "local", "--unavailable")
    assert code == 1
    assert complaint.endswith("UnavailableError: the rig is not here; pip install rig\n")


@needs_ray
def test_a_cluster_that_does_not_answer_is_said_at_once(tmp_path: Path) -> None:
    code, _, complaint = rig(tmp_path / "takes.jsonl", "--cluster", "127.0.0.1:1")
    assert code == 1
    assert complaint.startswith("ConfigError: no Ray cluster at '127.0.0.1:1' (")
    assert complaint.endswith("; give its address, or 'local' for one here\n")


@pytest.mark.skipif(HAS_RAY, reason="ray is here")
def test_a_cluster_without_ray_names_the_extra(tmp_path: Path) -> None:
    @asynccontextmanager
    async def open_nothing() -> AsyncIterator[Any]:
        yield None

    with pytest.raises(UnavailableError) as missing:
        asyncio.run(
            map_records(
                ["a"], open_nothing, key=str, fingerprint={}, out=tmp_path / "a.jsonl",
                settings=Settings(cluster="local"),
            )
        )  # fmt: skip
    assert str(missing.value) == "--cluster needs ray; pip install 'antiphon[ray]'"
