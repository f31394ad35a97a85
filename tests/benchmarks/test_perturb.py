from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from antiphon.audio.perturb import KINDS

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "perturb.py"


def test_each_kind_is_timed() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--seconds", "10", "--rounds", "1", "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr  # a busy machine may be slow
    *table, last = done.stdout.splitlines()
    found = json.loads(last)
    assert set(found["times_real_time"]) == set(KINDS)
    assert [line.split()[0] for line in table[2:]] == list(found["times_real_time_of_recipe"])
    assert min(found["times_real_time"].values()) > 1
