from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from antiphon.errors import DomainError
from tests.envs.bridges.scripted_endpoint import Reply, endpoint
from tests.envs.desk import LEND, REFUSE, write

vf: Any = pytest.importorskip("verifiers.v1", reason="needs the extra: pip install 'antiphon[verifiers]'")
from antiphon.envs.bridges.verifiers_taskset import (  # noqa: E402  needs verifiers
    CallEnv,
    CallTask,
    DomainConfig,
    DomainTaskset,
)
from antiphon.envs.bridges.verifiers_tools import CallState  # noqa: E402  needs verifiers

MODULE = """from antiphon.envs.bridges.verifiers_taskset import CallEnv, DomainTaskset

__all__ = ["CallEnv", "DomainTaskset"]
"""
JUDGED = {**LEND, "task_id": "judged", "assertions": ["Must be polite."]}
WRONG = {**LEND, "task_id": "wrong", "expected_db": {"loans": {"L101": {"weeks": 2}}}}


def taskset(folder: Path, *tasks: dict[str, Any]) -> dict[str, CallTask]:
    config = DomainConfig(id="my-desk", domain=str(write(folder, *tasks)))
    return {task.data.task_id: task for task in DomainTaskset(config)}


def test_tasks_carry_their_rules_and_a_durable_key(tmp_path: Path):
    loaded = taskset(tmp_path, LEND, {**REFUSE, "expected_outcome": "unlabelled"})
    (task,) = loaded.values()
    assert (task.data.idx, task.data.id, task.data.description, task.data.prompt) == (
        0,
        "lend_emma",
        "write",
        None,
    )
    assert task.data.system_prompt.startswith("# Lending desk")
    assert task.key == f"{tmp_path / 'desk'}/lend_emma"
    assert DomainTaskset.task_type() is CallTask


async def test_validating_a_task_is_its_construction_check(tmp_path: Path):
    loaded = taskset(tmp_path, LEND, WRONG)
    assert [await task.validate(None) for task in loaded.values()] == [True, False]


async def test_an_untouched_episode_has_no_reward_to_give_away(tmp_path: Path):
    loaded = taskset(tmp_path, LEND, REFUSE, JUDGED)
    for name in ("lend_emma", "refuse_second"):
        trace = SimpleNamespace(state=CallState(), info={})
        assert await loaded[name].passed(trace) == 0.0
        assert trace.info["antiphon"]["verdict"]["passed"] is False
    played = await _recited(loaded["judged"])
    with pytest.raises(
        DomainError, match=r"no verdict: no judgement of 'Must be polite.': no judge was given"
    ):
        await loaded["judged"].passed(SimpleNamespace(state=CallState(so_far=played), info={}))


async def _recited(task: CallTask) -> dict[str, Any]:
    """The reference of a task, played, as the row of a trace."""
    from antiphon.clock import VirtualClock
    from antiphon.envs.domain import open_domain
    from antiphon.envs.episode import Episode
    from antiphon.envs.recital import recite
    from antiphon.jsonl import to_row

    domain = open_domain(task.data.domain)
    return to_row(recite(Episode(domain, domain.task(task.data.task_id), VirtualClock())))


def reply(seen: str) -> Reply:
    """Scripted: the reference, with the words that the assertions ask for."""
    if "L101" in seen:
        return ("end_call", {}) if "Your loan" in seen else "Your loan is L101."
    if "books" not in seen:
        return ("find", {"title": "Emma"})
    return ("lend", {"member": "4711", "book": "B1"}) if "Yes." in seen else "Emma, is that right?"


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("default")  # verifiers and what it stands on warn of each other
async def test_verifiers_plays_a_call_with_its_own_harness_and_tool_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "my_desk.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", ":".join(filter(None, sys.path)))
    monkeypatch.setenv("SCRIPTED_KEY", "none")
    subprocesses = pytest.importorskip("verifiers.v1.runtimes.subprocess")
    monkeypatch.setattr(subprocesses, "CACHE_DIR", tmp_path / "cache")

    async def here(runtime: Any, script: Any, env: Any = None, *, activate: bool = True) -> list[str]:
        """The chat program in this Python, which has what it needs; verifiers would have uv install it."""
        del runtime, env, activate
        program = tmp_path / "chat.py"
        program.write_bytes(script.encode() if isinstance(script, str) else script)
        return [sys.executable, str(program)]

    monkeypatch.setattr(subprocesses.SubprocessRuntime, "prepare_uv_script", here)
    env = vf.load_environment(
        vf.resolve_env_config({"taskset": {"id": "my-desk", "domain": str(write(tmp_path, LEND))}})
    )
    assert isinstance(env, CallEnv)
    async with endpoint(reply) as url, env.serving():
        client = vf.EvalClientConfig(base_url=url, api_key_var="SCRIPTED_KEY")
        context = vf.ModelContext(model="scripted", client=client, sampling=vf.SamplingConfig())
        (task,) = env.taskset
        episode = await env.run_episode(task, context)
    (trace,) = episode.traces
    assert (episode.ok, episode.errors, trace.errors, trace.stop_condition) == (True, [], [], "hung_up")
    assert trace.reward == 1.0
    kept = json.loads(json.dumps(trace.info["antiphon"]))
    assert kept["verdict"]["passed"] is True
    assert [step.get("text") or step["call"]["name"] for step in kept["trace"]["steps"]] == [
        "Emma, please.", "find", "Emma, is that right?", "Yes.", "lend", "Your loan is L101.", "I'm listening.",
    ]  # fmt: skip
    assert kept["trace"]["system"] == "verifiers"
