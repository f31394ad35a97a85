from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from antiphon.bench.results import names_of
from tests.bench.bench_boards import results


def test_runs_of_one_system_are_told_apart_by_their_folders() -> None:
    one = results([], [])
    other = replace(one, folder=Path("runs/two"))
    third = results([], [], system="cascade", system_uri="imported:")
    assert names_of([one, other, third]) == [
        "openai:some-model (one)",
        "openai:some-model (two)",
        "cascade",
    ]
