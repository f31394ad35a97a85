"""A whole run on a Ray cluster scores as one in one process does."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from subprocess import run

import pytest

ANTIPHON = Path(sys.executable).with_name("antiphon")
OPTIONS = (
    "--limit", "24", "--balanced", "--system", "scripted:echo", "--transcriber", "scripted:",
    "--scorer", "scripted:?names=distillmos", "--synthesizer", "scripted:",
)  # fmt: skip


def performed(out: Path, *options: str) -> dict[str, bytes]:
    """The scores and summaries of a run of the starter suite, as bytes."""
    environment = {**os.environ, "ANTIPHON_CACHE": str(out.parent / "cache")}
    run([ANTIPHON, "run", *OPTIONS, *options, "--out", out], check=True, capture_output=True, env=environment)
    return {name: (out / name).read_bytes() for name in ("scores.jsonl", "summaries.jsonl", "queries.jsonl")}


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs ray: pip install 'antiphon[ray]'")
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_cluster_gives_the_same_scores(tmp_path: Path) -> None:
    here = performed(tmp_path / "here", "--in-flight", "2", "--workers", "2")
    there = performed(tmp_path / "there", "--in-flight", "2", "--workers", "2", "--cluster", "local")
    assert there == here
    assert here["scores.jsonl"].count(b"\n") > 24
