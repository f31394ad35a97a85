from __future__ import annotations

from dataclasses import replace

import pytest

from antiphon.envs.results import EnvResults, groups, row
from antiphon.envs.verdict import Verdict


def verdict(task: str, trial: int, passed: bool | None, outcome: str = "write", *tags: str) -> Verdict:
    return Verdict(
        "desk", task, trial, 0, "agent", "partner", outcome, "partner_hung_up",
        "invalid" if passed is None else "valid", passed, "strict", None if passed else "why", tags=tags,
    )  # fmt: skip


ALL = (
    verdict("a", 0, True, "write", "negation"),
    verdict("a", 1, True, "write", "negation"),
    verdict("b", 0, True, "refusal"),
    verdict("b", 1, False, "refusal"),
    verdict("c", 0, None, "refusal"),
    verdict("c", 1, True, "refusal"),
)


def test_rates_stand_over_all_by_outcome_and_by_tag_with_every_episode_counted():
    whole, write_, refusal, negation = groups(ALL, 2)
    assert [each.name for each in (whole, write_, refusal, negation)] == [
        "all",
        "write",
        "refusal",
        "negation",
    ]
    assert (whole.tasks, whole.episodes, whole.passed, whole.invalid) == (3, 6, 4, 1)
    assert whole.pass_1.value == pytest.approx((1 + 0.5 + 1) / 3)
    assert whole.pass_all is not None
    assert whole.pass_any is not None
    # c has one valid trial, so that of two nothing can be said.
    assert (whole.pass_all.value, whole.pass_all.n, whole.pass_all.invalid) == (0.5, 2, 1)
    assert (whole.pass_any.value, whole.pass_any.n) == (1.0, 2)
    assert (negation.sort, negation.tasks, negation.passed) == ("tag", 1, 2)
    assert list(groups((), 1)) == []
    assert next(groups(ALL, 1)).pass_all is None


def test_json_carries_the_same(spoken: EnvResults):
    found = row(spoken)
    assert (found["domain"], found["trials"], found["resampled"]) == ("flight_search_desk", 2, 0)
    assert found["stops"] == {"partner_hung_up": 6}
    assert len(found["labels"]) == 3
    whole = found["groups"][0]
    assert (whole["name"], whole["passed"], whole["invalid"], whole["pass_all"]["metric"]) == (
        "all",
        4,
        0,
        "pass^2",
    )


def test_the_label_says_what_the_speech_went_through(spoken: EnvResults):
    settings = {**spoken.manifest.settings, "noise": ["white_noise:snr_db=5"], "telephone": True}
    other = replace(spoken, manifest=replace(spoken.manifest, settings=settings))
    assert other.labels[-1] == (
        "synthetic speech: every turn of the partner is spoken by scripted:, "
        "heard through white_noise:snr_db=5, telephone"
    )
