from __future__ import annotations

from typing import Any

import pytest

from antiphon.errors import ConfigError
from antiphon.realtime.sets.run import SETS, Config, perform, report


def _figures(name: str, **config: Any) -> dict[str, Any]:
    chosen = Config(name, **config)
    return report(chosen, list(perform(chosen)))


@pytest.mark.parametrize(("name", "least"), [("multi-party", 0.96), ("semantic-control", 0.68)])
def test_the_default_policy_reaches_the_reports_best_session_level(name: str, least: float):
    found = _figures(name, sessions=30, seed=11)
    assert found["session_level"]["n"] == 30
    assert found["session_level"]["rate"] >= least


def test_the_default_policy_yields_and_goes_on_over_speech():
    tasks = _figures("fdb-like", sessions=120, seed=11)["tasks"]
    assert tasks["interruption"]["respond"]["rate"] >= 0.90
    assert tasks["backchannel"]["resume"]["rate"] >= 0.97
    assert tasks["background speech"]["respond"]["rate"] <= 0.05
    assert tasks["talking to others"]["respond"]["rate"] <= 0.03


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("policy", ["always-answer", "never-answer"])
def test_the_baselines_fail_every_set(name: str, policy: str):
    found = _figures(name, sessions=20, policy=policy)
    assert found["session_level"]["rate"] <= 0.65
    assert found["point_level"]["rate"] < 0.7


def test_noisy_ears_are_named_and_cost_something():
    clean, noisy = (_figures("multi-party", sessions=20, observations=each) for each in ("oracle", "noisy"))
    assert (clean["error"], noisy["error"]) == (0.0, 0.05)
    assert noisy["point_level"]["rate"] < clean["point_level"]["rate"]


def test_one_seed_gives_one_log_and_counts_add_up():
    first, again = (_figures("semantic-control", sessions=5, seed=2) for _ in range(2))
    assert first == again
    points = first["point_level"]
    assert sum(row["n"] for row in first["tasks"].values()) == points["n"] == 15 - points["unjudgeable"]
    assert len(first["event_log_sha256"]) == 64


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (Config("x"), "no set 'x'; there are: fdb-like, multi-party, semantic-control"),
        (Config("fdb-like", sessions=0), "--sessions 0: at least 1"),
        (Config("fdb-like", policy="x"), "no turn policy 'x'"),
        (
            Config("fdb-like", policy="semantic"),
            "semantic asks a chat model, .*antiphon serve --policy semantic",
        ),
        (Config("fdb-like", observations="x"), "no kind of observations 'x'; there are: noisy, oracle"),
    ],
)
def test_what_cannot_be_is_one_line(config: Config, problem: str):
    with pytest.raises(ConfigError, match=problem):
        list(perform(config))
