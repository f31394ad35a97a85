from __future__ import annotations

from pathlib import Path

import pytest

from antiphon.bench.folder import RunFolder
from antiphon.bench.panel_notes import columns, kappa_among, notes
from antiphon.bench.takes import Judged
from antiphon.judge.judge import Opinion


def judged(item: str, metric: str, *verdicts: bool | float | None) -> Judged:
    opinions = tuple(Opinion(f"j{at}", 0, verdict, "") for at, verdict in enumerate(verdicts))
    return Judged(item, metric, "panel", "p@1", None, "", opinions=opinions)


def test_unanimity_and_kappa_per_metric(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.write(
        folder.judgements,
        [
            judged("a", "accuracy", True, True),
            judged("b", "accuracy", False, False),
            judged("c", "accuracy", True, False),
            judged("d", "accuracy", False, None),
            judged("a", "score", 4.0, 4.0),
        ],
    )
    # yes yes, no no, yes no: observed 2/3, by chance (2/3 * 1/3) * 2 = 4/9, kappa (2/3 - 4/9) / (5/9) = 0.4
    assert notes(folder) == [
        ("accuracy", "all in 2 of 3 (67%), mean kappa of pairs 0.40"),
        ("score", "all in 1 of 1 (100%), kappa of pairs not defined"),
    ]


def test_a_run_judged_by_one_has_nothing_to_note(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    assert notes(folder) == []
    folder.write(folder.judgements, [Judged("a", "score", "j", "p@1", 4.0, "[4]")])
    assert notes(folder) == [("score", "no reply has two verdicts")]


def test_members_are_compared_where_both_spoke() -> None:
    rows = [
        judged("a", "m", 1.0, None, 1.0),
        judged("b", "m", 5.0, 5.0, 4.0),
        judged("c", "m", 3.0, None, 3.0),
    ]
    members = columns(rows)
    assert members == {("j0", 0): [1.0, 5.0, 3.0], ("j1", 0): [None, 5.0, None], ("j2", 0): [1.0, 4.0, 3.0]}
    # j0 against j2: squares 0 1 0, mean 1/3; by chance 1 5 3 against 1 4 3: 0 9 4 16 1 4 4 1 0 = 39/9
    # j0 against j1 say 5 both times, and j1 against j2 is 5 against 4: by chance the same, kappa 0
    assert kappa_among(members) == pytest.approx(((1 - (1 / 3) / (39 / 9)) + 0) / 2)
