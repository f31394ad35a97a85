from __future__ import annotations

import pytest

from antiphon.envs.evolve.labels import Labelled, Levels, label, label_all, label_of
from antiphon.errors import ConfigError
from tests.envs.test_hard_cases import verdict


@pytest.mark.parametrize(
    ("passed", "valid", "expected"),
    [(4, 4, "solved"), (0, 4, "failed"), (1, 4, "frontier"), (3, 4, "frontier"), (1, 1, "unknown"), (0, 0, "unknown")],
)  # fmt: skip
def test_a_label_follows_from_the_counts(passed: int, valid: int, expected: str):
    assert label_of(passed, valid) == expected


@pytest.mark.parametrize(
    ("passed", "expected"), [(9, "solved"), (10, "solved"), (8, "frontier"), (2, "frontier"), (1, "failed")]
)
def test_levels_can_be_wider(passed: int, expected: str):
    assert label_of(passed, 10, Levels(solved_from=0.9, failed_to=0.1, least=5)) == expected


def test_invalid_rollouts_do_not_count():
    verdicts = [
        verdict(passed=True),
        verdict(reason="terminal state: x"),
        verdict(reason="terminal state: x"),
        verdict(reason="turn limit"),
        verdict(passed=None, reason="infrastructure"),
        verdict("refuse_second", passed=True),
    ]
    assert label("lend_emma", verdicts) == Labelled(
        "lend_emma", "frontier", 1, 4, 1, {"terminal state: x": 2, "turn limit": 1}, {"infrastructure": 1}
    )


def test_a_task_without_rollouts_is_unknown_and_no_failure():
    found = label_all(["a", "lend_emma"], [verdict(passed=None), verdict(passed=True), verdict(passed=True)])
    assert [each.label for each in found.values()] == ["unknown", "solved"]


def test_levels_that_make_no_sense_are_refused():
    with pytest.raises(ConfigError, match="0 <= failed < solved <= 1"):
        Levels(solved_from=0.2, failed_to=0.2)
    with pytest.raises(ConfigError, match="at least 1"):
        Levels(least=0)
