"""The examples of docs/bridges.md run as they stand, against the real libraries where these are installed."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from antiphon.cli.envs import command
from antiphon.envs.bridges.practice import Practice
from tests.envs.bridges.tiny_grpo import model, tokenizer
from tests.envs.desk import LEND, open_desk

PAGE = Path(__file__).resolve().parents[3] / "docs" / "bridges.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]
USUAL = pytest.mark.filterwarnings("default")  # libraries warn of what they stand on
MAIN = "from antiphon.cli.main import main; main()"


def block(*holds: str) -> str:
    """The one example that holds all of these words."""
    (found,) = [text for text in PYTHON if all(each in text for each in holds)]
    return found


async def run(source: str, **names: Any) -> dict[str, Any]:
    code = compile(source, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    found = eval(code, names)
    if inspect.iscoroutine(found):
        await found
    return names


async def test_a_seat_is_played_as_the_page_says():
    names = await run(block("PracticeSettings("))
    assert [task.task_id for task in names["practice"].tasks] == [
        "write_hold_flex_basic", "refuse_third_hold"
    ]  # fmt: skip
    played = await run(block("practice.seat("), practice=names["practice"])
    assert played["trace"].stop == "agent_hung_up"
    assert [step.role for step in played["trace"].steps] == ["user", "assistant", "assistant", "user"]
    assert (played["outcome"].verdict.passed, played["outcome"].reward.value) == (False, 0.0)


def test_the_commands_are_those_of_the_command_line():
    lines = [line.split() for language, text in BLOCKS if language == "shell" for line in text.splitlines()]
    assert len(lines) == 2
    for words in lines:
        assert words[:3] == ["antiphon", "envs", "mcp"]
        found = command.get_command(click.Context(command), "mcp")
        assert found is not None
        assert found.make_context("mcp", words[3:]).params["domain"] == "flight_search_desk"


@pytest.mark.slow
@USUAL
@pytest.mark.parametrize("which", ["environment_factory=", "rollout_func="])
async def test_trl_trains_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str):
    trl = pytest.importorskip("trl", reason="needs the extra: pip install 'antiphon[trl]'")
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    practice = Practice(open_desk(tmp_path, LEND))
    words = tokenizer([practice.domain.rules])
    args = trl.GRPOConfig(
        output_dir=str(tmp_path), per_device_train_batch_size=2, num_generations=2, max_steps=1,
        max_completion_length=16, report_to=[], use_cpu=True, bf16=False, save_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    names = await run(
        block("GRPOTrainer", which), practice=practice, model=model(words), tokenizer=words, args=args
    )
    assert names["trainer"].state.global_step == 1


async def test_an_mcp_client_plays_as_the_page_says():
    pytest.importorskip("mcp.client.client", reason="needs the extra: pip install 'antiphon[mcp]'")
    installed = 'command="antiphon", args=["envs", '
    source = block("StdioServerParameters")
    assert installed in source
    here = f"command={sys.executable!r}, env={{'PYTHONPATH': {':'.join(filter(None, sys.path))!r}}}, args=['-c', {MAIN!r}, 'envs', "
    names = await run(source.replace(installed, here))
    assert names["begun"].structured_content["caller"].startswith("Hi")
    assert names["holds"].structured_content["holds"][0]["hold_ref"].startswith("HD")
    assert "four one five" in names["answer"].structured_content["caller"]
    assert names["verdict"].structured_content["passed"] is False


async def test_the_openenv_server_is_made_as_the_page_says(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("openenv", reason="needs the extra: pip install 'antiphon[openenv]'")
    uvicorn = pytest.importorskip("uvicorn")
    served: list[Any] = []
    monkeypatch.setattr(uvicorn, "run", lambda app, port: served.append((app, port)))
    await run(block("uvicorn.run"))
    ((app, port),) = served
    assert port == 8000
    assert {"/reset", "/step", "/state"} <= {getattr(route, "path", "") for route in app.routes}


async def test_the_verifiers_module_exports_what_verifiers_looks_for():
    vf = pytest.importorskip("verifiers.v1", reason="needs the extra: pip install 'antiphon[verifiers]'")
    names = await run(block("__all__"))
    assert names["__all__"] == ["CallEnv", "DomainTaskset"]
    assert issubclass(names["CallEnv"], vf.Env)
    assert issubclass(names["DomainTaskset"], vf.Taskset)
