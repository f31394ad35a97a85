"""A scored run of spoken episodes, played once: a scripted agent claims what it has not done."""

from __future__ import annotations

import asyncio

import pytest

from antiphon.envs.casting import Casting
from antiphon.envs.results import EnvResults, load
from antiphon.envs.run import EnvRun, run_rollouts
from antiphon.envs.scoring import score_run

SPOKEN = "cascade:?transcriber=scripted:&chat=reference:?flaw=claims_success&synthesizer=scripted:"
TASKS = ("write_hold_flex_basic", "refuse_saver", "info_airport_zh")


@pytest.fixture(scope="session")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> EnvResults:
    out = tmp_path_factory.mktemp("env") / "run"
    casting = Casting(SPOKEN, synthesizer="scripted:", telephone=False)
    asyncio.run(run_rollouts(EnvRun("flight_search_desk", out, casting, TASKS, trials=2)))
    asyncio.run(score_run(out))
    return load(out)
