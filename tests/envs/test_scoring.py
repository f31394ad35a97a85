from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antiphon.clock import VirtualClock
from antiphon.envs.casting import Casting
from antiphon.envs.run import EnvFolder, EnvRun, run_rollouts
from antiphon.envs.scoring import ScoringSettings, read_verdicts, score_run, score_traces
from antiphon.errors import ConfigError
from antiphon.judge.budget import Budget
from antiphon.judge.judge import Judge
from antiphon.models.ports import Request
from antiphon.models.scripted import Line, ScriptedChat
from antiphon.trace import Trace
from tests.envs.desk import LEND, open_desk, write

POLITE = "Must be polite."


def judge(*rows: Line) -> Judge:
    return Judge(ScriptedChat("judge", rows, VirtualClock()))


class Counting(ScriptedChat):
    """A judge that counts what it is asked."""

    def __init__(self) -> None:
        super().__init__("judge", [Line(text="kept")], VirtualClock())
        self.calls = 0

    async def stream(self, request: Request):
        self.calls += 1
        async for chunk in super().stream(request):
            yield chunk


async def rolled(tmp_path: Path, trials: int = 1, **task: Any) -> EnvRun:
    home = write(tmp_path, LEND | task)
    run = EnvRun(str(home), tmp_path / "run", trials=trials)
    await run_rollouts(run)
    return run


async def test_kept_traces_are_judged_without_rolling_out(tmp_path: Path):
    run = await rolled(tmp_path, trials=2)
    (first, second) = await score_run(run.out)
    assert (first.passed, first.status, first.outcome, first.trial, second.trial) == (
        True,
        "valid",
        "write",
        0,
        1,
    )
    assert read_verdicts(run.out) == [first, second]


async def test_scoring_again_follows_the_checks_as_they_are_now(tmp_path: Path):
    run = await rolled(tmp_path)
    never = {"text": "Never say the loan.", "predicate": "never_says", "arguments": {"forms": ["L101"]}}
    write(tmp_path, LEND | {"assertions": [never]})
    (verdict,) = await score_run(run.out)
    assert (verdict.passed, verdict.reason) == (False, "Never say the loan.: step 8 says 'L101'")


async def test_without_its_judge_an_episode_that_needs_one_is_invalid(tmp_path: Path):
    run = await rolled(tmp_path, assertions=[*LEND["assertions"], POLITE])
    (unjudged,) = await score_run(run.out)
    assert (unjudged.status, unjudged.reason) == (
        "invalid", "no judgement of 'Must be polite.': no judge was given",
    )  # fmt: skip
    (kept,) = await score_run(run.out, ScoringSettings(judge=judge(Line(text="kept"))))
    assert (kept.passed, kept.judgements[0].answer, kept.judgements[0].judge) == (
        True,
        "kept",
        "scripted:judge",
    )
    (broken,) = await score_run(run.out, ScoringSettings(judge=judge(Line(text="violated"))))
    assert (broken.passed, broken.reason) == (False, "Must be polite.: violated")


async def test_a_judge_is_asked_no_more_than_it_may_be(tmp_path: Path):
    run = await rolled(tmp_path, trials=5, assertions=[*LEND["assertions"], POLITE])
    chat = Counting()
    found = await score_run(run.out, ScoringSettings(judge=Judge(chat, budget=Budget(most_calls=2))))
    assert chat.calls == 2
    assert [each.passed for each in found] == [True, True, None, None, None]
    assert found[2].reason == "no judgement of 'Must be polite.': not asked: the judge's 2 calls are made"


async def test_an_episode_without_a_trace_is_invalid_and_not_left_out(tmp_path: Path):
    path = tmp_path / "agent.jsonl"
    path.write_text('{"error": {"problem": "busy", "transient": true}}\n', encoding="utf-8")
    run = EnvRun(str(write(tmp_path, LEND)), tmp_path / "run", Casting(f"scripted:{path}"), resamples=0)
    await run_rollouts(run)
    (verdict,) = await score_run(run.out)
    assert (verdict.task, verdict.trial, verdict.status, verdict.stop) == (
        "lend_emma",
        0,
        "invalid",
        "infrastructure",
    )
    assert (verdict.reason or "").endswith(": busy")


async def test_a_task_that_is_gone_or_contradicts_itself_makes_its_traces_invalid(tmp_path: Path):
    run = await rolled(tmp_path)
    traces, _ = EnvFolder(run.out).read_traces()
    broken = LEND | {"expected_db": {"loans": {"L999": {}}}}
    (verdict,) = await score_traces(open_desk(tmp_path, broken), traces)
    assert (verdict.status, (verdict.reason or "")[:46]) == (
        "invalid",
        "desk lend_emma: its reference does not hold: /",
    )
    gone: Trace = replace(traces[0], task="gone")
    (lost,) = await score_traces(open_desk(tmp_path, LEND), [gone])
    assert (lost.status, (lost.reason or "")[:25]) == ("invalid", "no task of desk 'gone'; t")


async def test_a_run_of_a_domain_in_memory_is_scored_with_that_domain(tmp_path: Path):
    domain = open_desk(tmp_path, LEND)
    await run_rollouts(EnvRun(domain, tmp_path / "run"))
    with pytest.raises(ConfigError, match="its domain desk was made in memory"):
        await score_run(tmp_path / "run")
    (verdict,) = await score_run(tmp_path / "run", domain=domain)
    assert verdict.passed is True


def test_a_run_without_verdicts_says_what_to_do(tmp_path: Path):
    with pytest.raises(ConfigError, match="have no verdicts; antiphon envs score"):
        read_verdicts(tmp_path)
