from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from antiphon.audio.files import read
from antiphon.envs.casting import Casting
from antiphon.envs.domain import open_domain
from antiphon.envs.rollout import RolloutSettings
from antiphon.envs.run import EnvFolder, EnvRun, Trial, clip_name, run_rollouts
from antiphon.errors import ConfigError
from antiphon.models.scripted_sound import words_in
from antiphon.stage.map import Settings
from tests.envs.desk import LEND, open_desk, write

SPOKEN = "cascade:?transcriber=scripted:&chat=reference:&synthesizer=scripted:"


def desk(tmp_path: Path, **more: Any) -> EnvRun:
    home = write(tmp_path, LEND)
    return EnvRun(**{"domain": str(home), "out": tmp_path / "run", **more})


async def test_every_task_and_trial_gives_a_trace(tmp_path: Path):
    run = desk(tmp_path, trials=3, seed=7)
    finished = await run_rollouts(run)
    assert (finished.rows, finished.failed) == (3, 0)
    traces, failures = EnvFolder(run.out).read_traces()
    assert failures == []
    assert [(trace.task, trace.trial) for trace in traces] == [("lend_emma", n) for n in range(3)]
    assert len({trace.seed for trace in traces}) == 3
    manifest = EnvFolder(run.out).read_manifest()
    assert (manifest.domain, manifest.system, manifest.partner, manifest.tasks, manifest.trials) == (
        "desk", "scripted:reference", "scripted:partner", 1, 3,
    )  # fmt: skip
    assert manifest.domain_at == str((tmp_path / "desk").resolve())


async def test_the_same_run_gives_the_same_bytes_with_workers_too(tmp_path: Path):
    runs = [
        desk(tmp_path, out=tmp_path / name, trials=3, how=how)
        for name, how in (
            ("a", Settings()),
            ("b", Settings(batch=1, in_flight=2)),
            ("c", Settings(workers=2)),
        )
    ]
    for run in runs:
        await run_rollouts(run)
    first, *others = [EnvFolder(run.out).traces.read_bytes() for run in runs]
    assert others == [first, first]


async def test_a_folder_with_a_run_is_only_gone_on_with_when_asked(tmp_path: Path):
    run = desk(tmp_path)
    await run_rollouts(run)
    with pytest.raises(ConfigError, match="holds a run already; add --resume"):
        await run_rollouts(run)
    again = await run_rollouts(replace(run, resume=True, trials=2))
    assert (again.rows, again.reused, again.made) == (2, 1, 1)
    with pytest.raises(ConfigError, match="were made with seed 0 \\(now 1\\)"):
        await run_rollouts(replace(run, resume=True, seed=1))


async def test_a_task_that_changes_is_played_again(tmp_path: Path):
    run = desk(tmp_path)
    await run_rollouts(run)
    write(tmp_path, LEND | {"tags": ["new"]})
    again = await run_rollouts(replace(run, resume=True))
    assert (again.reused, again.made) == (0, 1)
    assert Trial("a", "f00", 1).key == "a@f00 1"


async def test_what_cannot_be_played_is_said_before_anything_is_written(tmp_path: Path):
    with pytest.raises(ConfigError, match="no task of desk 'nothing'; there are: lend_emma"):
        await run_rollouts(desk(tmp_path, tasks=("nothing",)))
    with pytest.raises(ConfigError, match="--trials must be at least 1, not 0"):
        desk(tmp_path, trials=0)
    silent = {key: value for key, value in LEND.items() if key != "script"}
    write(tmp_path, silent, silent | {"task_id": "other"})
    with pytest.raises(ConfigError, match=r"lend_emma has no script; .* \(and 1 more tasks\)"):
        await run_rollouts(EnvRun(str(tmp_path / "desk"), tmp_path / "run"))
    assert not (tmp_path / "run").exists()


async def test_a_domain_at_hand_is_played_here(tmp_path: Path):
    domain = open_desk(tmp_path, LEND)
    await run_rollouts(EnvRun(domain, tmp_path / "run"))
    assert EnvFolder(tmp_path / "run").read_manifest().domain_at == ""
    with pytest.raises(ConfigError, match="name its folder to use workers"):
        EnvRun(domain, tmp_path / "run", how=Settings(workers=1))


async def test_a_spoken_episode_keeps_every_sound(tmp_path: Path):
    run = desk(tmp_path, casting=Casting(SPOKEN, synthesizer="scripted:"))
    await run_rollouts(run)
    (trace,) = EnvFolder(run.out).read_traces()[0]
    assert trace.stop == "partner_hung_up"
    for step in trace.steps[:4]:
        if step.call is None:
            assert step.clip is not None
            assert (words_in(read(run.out / clip_name(step.clip))) or "").strip() == step.text
    assert trace.steps[1].cues == {"heard": "Emma, please."}
    assert "synthetic speech" in trace.partner


BROKEN = '{"error": {"problem": "busy", "transient": true}}\n'


def scripted(tmp_path: Path, *rows: str) -> str:
    path = tmp_path / "agent.jsonl"
    path.write_text("".join(rows), encoding="utf-8")
    return f"scripted:{path}"


async def test_an_invalid_episode_is_played_again_and_counted(tmp_path: Path):
    once = scripted(
        tmp_path, '{"error": {"problem": "busy", "transient": true}, "times": 1}\n', '{"text": "Hm."}\n'
    )
    run = desk(tmp_path, casting=Casting(once))
    await run_rollouts(run)
    (trace,) = EnvFolder(run.out).read_traces()[0]
    (thrown,) = trace.meta["resampled"]
    assert (thrown["stop"], thrown["why"]) == ("infrastructure", f"{trace.system}: busy")
    assert thrown["seed"] != trace.seed
    assert trace.stop == "partner_hung_up"


async def test_after_the_last_resample_it_is_a_failure_that_resuming_repeats(tmp_path: Path):
    run = desk(tmp_path, casting=Casting(scripted(tmp_path, BROKEN)), resamples=1)
    assert (await run_rollouts(run)).failed == 1
    traces, (failure,) = EnvFolder(run.out).read_traces()
    assert traces == []
    assert (failure.transient, failure.reason[:16]) == (True, "infrastructure: ")
    again = await run_rollouts(replace(run, resume=True))
    assert (again.made, again.failed) == (1, 1)


async def test_what_will_not_pass_by_itself_is_not_tried_again(tmp_path: Path):
    gone = scripted(tmp_path, '{"error": {"problem": "no such model"}}\n')
    run = desk(tmp_path, casting=Casting(gone))
    await run_rollouts(run)
    (trace,) = EnvFolder(run.out).read_traces()[0]
    assert (trace.stop, "resampled" in trace.meta) == ("infrastructure", False)


async def test_a_partner_that_leaves_its_script_is_resampled_to_the_limit(tmp_path: Path):
    caller = scripted(tmp_path, '{"text": "How can I help you?"}\n')
    run = desk(tmp_path, casting=Casting(partner=caller), resamples=2)
    await run_rollouts(run)
    (trace,) = EnvFolder(run.out).read_traces()[0]
    assert (trace.stop, len(trace.meta["resampled"])) == ("partner_left_script", 2)


COMMAND = "from antiphon.cli.main import main; import sys; main(sys.argv[1:])"


@pytest.mark.timeout(120)
async def test_a_killed_run_goes_on_and_ends_as_an_undisturbed_one(tmp_path: Path):
    trials, out = 40, tmp_path / "killed"
    arguments = ["envs", "run", "flight_search_desk", "--trials", str(trials), "--out", str(out)]
    journal = out / "traces.journal.jsonl"

    def start(*more: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments, *more],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    killed = start()
    _wait(lambda: journal.exists() and journal.stat().st_size > 60_000, killed)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert not (out / "traces.jsonl").exists()
    kept = sum(line.endswith(b"\n") for line in journal.read_bytes().splitlines(keepends=True))
    again = start("--resume")
    said = again.communicate()[1].decode()
    assert again.returncode == 0, said
    assert f"{kept} reused" in said
    undisturbed = EnvRun("flight_search_desk", tmp_path / "whole", trials=trials)
    await run_rollouts(undisturbed)
    assert (out / "traces.jsonl").read_bytes() == (tmp_path / "whole" / "traces.jsonl").read_bytes()
    assert len(open_domain("flight_search_desk").tasks) * trials > kept


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs ray: pip install 'antiphon[ray]'")
@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_a_cluster_plays_the_same_episodes(tmp_path: Path):
    run = desk(tmp_path, trials=3)
    await run_rollouts(run)
    out = tmp_path / "cluster"
    arguments = ["envs", "run", str(run.domain), "--trials", "3", "--cluster", "local", "--workers", "2"]
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", COMMAND, *arguments, "--out", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert (out / "traces.jsonl").read_bytes() == EnvFolder(run.out).traces.read_bytes()


def _wait(ready: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Look again until it is so: another process has no virtual time."""
    while not ready():
        assert process.poll() is None, (process.stderr.read() if process.stderr else b"").decode()
        os.sched_yield()


async def test_settings_are_kept_with_the_run(tmp_path: Path):
    run = desk(tmp_path, settings=RolloutSettings(max_turns=3))
    await run_rollouts(run)
    settings = EnvFolder(run.out).read_manifest().settings
    assert (settings["max_turns"], settings["unreachable"], settings["resamples"]) == (3, None, 2)
    (trace,) = EnvFolder(run.out).read_traces()[0]
    assert trace.stop == "turn_limit"


def test_what_is_no_run_is_the_users_error(tmp_path: Path):
    with pytest.raises(ConfigError, match="no rollouts in"):
        EnvFolder(tmp_path).read_manifest()
    with pytest.raises(ConfigError, match="are not finished; go on with --resume"):
        EnvFolder(tmp_path).read_traces()
