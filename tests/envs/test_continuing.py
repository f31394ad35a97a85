from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from antiphon.envs.casting import Casting
from antiphon.envs.continuing import ContinueRun, continue_run
from antiphon.envs.rewarding import RewardSettings, reward_run
from antiphon.envs.run import EnvFolder, EnvManifest, EnvRun, run_rollouts
from antiphon.envs.scoring import score_run
from antiphon.errors import ConfigError
from antiphon.jsonl import to_row, write_rows
from tests.envs.desk import LEND, REFUSE, write

HEARS = "cascade:?transcriber=scripted:&chat=reference:&synthesizer=scripted:"
SCRIPT = {"opening": "I want Emma.", "done": ["one loan"], "goodbye": "Bye."}
TASKS = (LEND | {"script": LEND["script"] | {"done": ["L101"]}}, REFUSE | {"script": SCRIPT})


async def played(folder: Path, system: str = "reference:", **more: str) -> Path:
    out = folder / "run"
    await run_rollouts(EnvRun(str(write(folder, *TASKS)), out, Casting(system, **more)))
    await score_run(out)
    return out


async def test_every_milestone_is_continued_and_gives_comparable_rewards(tmp_path: Path):
    source, out = await played(tmp_path), tmp_path / "on"
    assert (await continue_run(ContinueRun(source, out, count=2))).rows == 6  # two milestones and one
    await score_run(out)
    found = await reward_run(out, RewardSettings(("milestone",)))
    assert [(each.task, each.trial, each.value) for each in found] == [
        ("lend_emma", 0, 1.0), ("lend_emma", 1, 1.0), ("lend_emma", 2, 1.0), ("lend_emma", 3, 1.0),
        ("refuse_second", 0, 1.0), ("refuse_second", 1, 1.0),
    ]  # fmt: skip
    assert [
        len({each.group for each in found if each.task == task}) for task in ("lend_emma", "refuse_second")
    ] == [2, 1]
    originals = {trace.task: trace for trace in EnvFolder(source).read_traces()[0]}
    for trace in EnvFolder(out).read_traces()[0]:
        assert trace.steps == originals[trace.task].steps


async def test_a_failure_is_continued_from_its_first_wrong_reply(tmp_path: Path):
    source, out = await played(tmp_path, "reference:?flaw=missing_write"), tmp_path / "again"
    await continue_run(ContinueRun(source, out, "failures", 1, system="reference:"))
    await score_run(out)
    found = await reward_run(out, RewardSettings(("milestone",)))
    assert [(each.task, each.value) for each in found] == [("lend_emma", 1.0)]
    assert EnvFolder(out).read_manifest().settings["from"] == "failures"


async def test_finished_continuations_are_not_played_again(tmp_path: Path):
    source, out = await played(tmp_path), tmp_path / "on"
    await continue_run(ContinueRun(source, out, count=1))
    before = EnvFolder(out).traces.read_bytes()
    with pytest.raises(ConfigError, match="add --resume"):
        await continue_run(ContinueRun(source, out, count=1))
    done = await continue_run(ContinueRun(source, out, count=1, resume=True))
    assert (done.reused, done.made) == (3, 0)
    assert EnvFolder(out).traces.read_bytes() == before


async def test_another_temperature_is_another_run(tmp_path: Path):
    source, out = await played(tmp_path), tmp_path / "on"
    await continue_run(ContinueRun(source, out, count=1, temperature=0.7))
    assert EnvFolder(out).read_manifest().settings["temperature"] == 0.7
    with pytest.raises(ConfigError):
        await continue_run(ContinueRun(source, out, count=1, resume=True))


async def test_spoken_episodes_go_on_with_their_clips(tmp_path: Path):
    source, out = await played(tmp_path, HEARS, synthesizer="scripted:"), tmp_path / "on"
    await continue_run(ContinueRun(source, out, count=1))
    traces, failures = EnvFolder(out).read_traces()
    assert failures == []
    clips = {step.clip for trace in traces for step in trace.steps if step.clip}
    assert {path.stem for path in (out / "clips").iterdir()} == clips
    assert all(each.passed for each in await score_run(out))


async def test_a_run_with_a_recogniser_is_gone_on_with_by_a_system_without_words(tmp_path: Path):
    script = tmp_path / "mute.jsonl"
    script.write_text('{"audio": {"tone_s": 0.1}}\n', encoding="utf-8")
    stops: dict[str, set[str]] = {}
    for name, more in (("with", {"transcriber": "scripted:"}), ("without", {})):
        source, out = await played(tmp_path / name, **more), tmp_path / name / "on"
        await continue_run(ContinueRun(source, out, count=1, system=f"scripted:{script}"))
        stops[name] = {trace.stop for trace in EnvFolder(out).read_traces()[0]}
    assert stops["without"] == {"infrastructure"}
    assert "infrastructure" not in stops["with"]


async def test_only_a_scripted_partner_can_be_brought_back(tmp_path: Path):
    source = await played(tmp_path)
    folder = EnvFolder(source)
    manifest: EnvManifest = replace(folder.read_manifest(), partner="partner(gpt)")
    write_rows(folder.manifest, [to_row(manifest)])
    with pytest.raises(ConfigError, match="may not answer alike"):
        await continue_run(ContinueRun(source, tmp_path / "on"))


async def test_what_cannot_be_continued_is_told(tmp_path: Path):
    source = await played(tmp_path)
    with pytest.raises(ConfigError, match="nothing to continue from failures"):
        await continue_run(ContinueRun(source, tmp_path / "on", "failures"))
    with pytest.raises(ConfigError, match="at least 1"):
        ContinueRun(source, tmp_path / "on", count=0)
    with pytest.raises(ConfigError, match="choose another --out"):
        ContinueRun(source, source)
