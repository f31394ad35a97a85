"""Every `antiphon` command in docs/models.md is one that this command line takes."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from antiphon.cli.main import VERBS, group
from antiphon.clock import RealClock
from antiphon.errors import UnavailableError
from antiphon.models.catalog import open_chat

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONFIGS = {
    "Qwen/Qwen2.5-Omni-7B": '{"model_type": "qwen2_5_omni"}',
    "Qwen/Qwen3-Omni-30B-A3B-Instruct": '{"model_type": "qwen3_omni_moe"}',
    "Qwen/Qwen3-8B": '{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]}',
}


def commands() -> Iterator[list[str]]:
    blocks = re.findall(r"^```shell\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for line in "".join(blocks).replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words and words[0] == "antiphon":
            yield words[1:]


FOUND = list(commands())
RUNS = [words for words in FOUND if words[0] == "run"]


def parsed(words: list[str]) -> dict[str, Any]:
    # A command remembers the help option of its first context, so that one must be the group's too.
    above = click.Context(group, **group.context_settings)
    command = group.get_command(above, words[0])
    assert command is not None
    return command.make_context(words[0], list(words[1:]), parent=above).params


def test_every_model_of_the_paper_has_a_command_that_measures_it():
    said = " ".join(word for words in FOUND for word in words)
    for name in (
        "LLaMA-Omni2-7B-Bilingual", "Freeze-Omni", "Step-Audio-2-mini", "Baichuan-Omni-1.5", "MiniCPM-o-2_6",
        "VocalNet-Qwen3-1.7B", "VocalNet-Qwen25-7B", "GLM-4-Voice", "VITA-Audio-Plus-Vanilla", "Qwen2.5-Omni-7B",
        "VocalNet-Qwen3-8B", "Kimi-Audio-7B-Instruct", "MiMo-Audio-7B-Instruct", "Qwen3-Omni-30B-A3B-Instruct",
        "whisper-large-v3",
    ):  # fmt: skip
        assert name in said, name


@pytest.mark.parametrize("words", FOUND, ids=[" ".join(words)[:60] for words in FOUND])
def test_each_command_parses(words):
    assert words[0] in VERBS
    params = parsed(words)
    if words[0] in ("run", "score"):
        assert params["suite"] == "vocalbench-zh"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub cache with configurations only, and a machine on which packaged weights and a GPU are there."""
    for repository, config in CONFIGS.items():
        folder = tmp_path / f"models--{repository.replace('/', '--')}"
        snapshot = folder / "snapshots" / COMMIT
        snapshot.mkdir(parents=True)
        (snapshot / "config.json").write_text(config, encoding="utf-8")
        (folder / "refs").mkdir()
        (folder / "refs" / "main").write_text(COMMIT, encoding="utf-8")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    if find_spec("torch"):
        import torch

        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)


@pytest.mark.parametrize("words", RUNS, ids=[words[words.index("--out") + 1] for words in RUNS])
@pytest.mark.usefixtures("hub")
def test_each_system_opens_as_what_the_page_says(words):
    uri = parsed(words)["system"]
    if "hf:" in uri and not (find_spec("transformers") and find_spec("torch")):
        with pytest.raises(UnavailableError, match=r"pip install 'antiphon\[transformers\]'"):
            open_chat(uri, RealClock())
        return
    try:
        chat = open_chat(uri, RealClock())
    except UnavailableError as error:
        if uri.startswith("cascade:") and "hf:" in uri:  # its ears and its voice are packaged weights
            pytest.skip(str(error))
        raise
    assert "speech" in chat.accepts
    assert ("speech" in chat.gives) == (not words[words.index("--out") + 1].endswith("-text"))
