from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.audio.files import decode
from antiphon.cli.main import main
from antiphon.envs.casting import Casting
from antiphon.envs.results import load
from antiphon.envs.rollout import RolloutSettings
from antiphon.envs.run import EnvRun, clip_name, run_rollouts
from antiphon.envs.scoring import score_run
from antiphon.trace import INVALID_STOPS

if TYPE_CHECKING:
    from collections.abc import Callable

HEARING = "cascade:?chat=reference:"
TASK = "write_hold_flex_basic"


@pytest.mark.parametrize(
    ("flaw", "passed"),
    [
        ("", 31), ("wrong_argument", 19), ("missing_write", 19), ("extra_write", 0), ("claims_success", 19),
        ("refuses_allowed", 14), ("hangs_up", 0),
    ],
)  # fmt: skip
def test_the_flight_desk_is_played_well_and_badly_in_six_ways(
    flaw: str, passed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    system = f"reference:?flaw={flaw}" if flaw else "reference:"
    arguments = [
        "envs",
        "run",
        "flight_search_desk",
        "--system",
        system,
        "--out",
        str(tmp_path / "run"),
        "--json",
    ]
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    whole = found["groups"][0]
    assert (whole["episodes"], whole["passed"], whole["invalid"]) == (31, passed, 0)
    assert found["labels"][0].startswith("scripted system")


@pytest.mark.weights
@pytest.mark.timeout(600)
async def test_an_episode_by_voice_is_heard_by_the_real_recogniser_and_judged(
    weights: Callable[..., list[Path]], tmp_path: Path
):
    weights("whisper-base", "kokoro")
    casting = Casting(HEARING, synthesizer="kokoro:", telephone=True)
    run = EnvRun("flight_search_desk", tmp_path / "run", casting, (TASK,))
    await run_rollouts(run)
    (verdict,) = await score_run(run.out)
    results = load(run.out)
    (trace,) = results.traces
    assert (verdict.status, verdict.passed, trace.stop) == ("valid", True, "partner_hung_up")
    said = [step for step in trace.steps if step.role == "user"]
    assert all(step.cues["speech"] == "synthetic speech" for step in said)
    assert said[0].cues["style"] == "said fast, in one breath"
    sound = decode((run.out / clip_name(said[0].clip or "")).read_bytes(), "clip")
    assert (sound.rate_hz, sound.duration_s > 2) == (8000, True)
    heard = [step.cues["heard"] for step in trace.steps if "heard" in step.cues]
    assert "2859" in heard[0].replace(" ", "")
    assert "415" in heard[1]
    assert results.groups[0].pass_1.value == 1.0
    assert [group.name for group in results.groups if group.sort == "tag"] == ["spoken_number", "fast_speech"]
    assert "synthetic speech" in results.labels[-1]


@pytest.mark.weights
@pytest.mark.timeout(600)
async def test_by_voice_too_a_claim_without_a_write_fails(weights: Callable[..., list[Path]], tmp_path: Path):
    weights("whisper-base", "kokoro")
    casting = Casting("cascade:?chat=reference:?flaw=claims_success", synthesizer="kokoro:")
    run = EnvRun("flight_search_desk", tmp_path / "run", casting, (TASK,))
    await run_rollouts(run)
    (verdict,) = await score_run(run.out)
    assert (verdict.status, verdict.passed) == ("valid", False)
    assert (verdict.reason or "").startswith("terminal state: /holds/HD482902 must be {")


@pytest.mark.weights
@pytest.mark.timeout(900)
async def test_the_embedded_language_model_is_an_agent_whatever_it_scores(
    weights: Callable[..., list[Path]], tmp_path: Path
):
    weights("qwen2.5-coder-1.5b")
    casting = Casting("llama:qwen2.5-coder-1.5b?context=8192&cache=1")
    settings = RolloutSettings(max_turns=2, max_calls=4, max_tokens=120)
    run = EnvRun("flight_search_desk", tmp_path / "run", casting, (TASK,), settings=settings)
    await run_rollouts(run)
    (verdict,) = await score_run(run.out)
    (trace,) = load(run.out).traces
    assert trace.stop not in INVALID_STOPS, trace.why
    assert verdict.status == "valid"
    assert any(step.role == "assistant" for step in trace.steps)
    assert all(step.result is not None for step in trace.steps if step.call is not None)
    assert trace.meta["replies"][0]["prompt_tokens"] > 1000
