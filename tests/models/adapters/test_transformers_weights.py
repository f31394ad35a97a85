from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from antiphon.errors import ConfigError, UnavailableError
from antiphon.models.adapters.transformers_weights import find

if TYPE_CHECKING:
    from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def cached(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub cache with the configuration of one repository."""
    repository = cache / "models--Qwen--Tiny"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(COMMIT, encoding="utf-8")
    snapshot = repository / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text('{"model_type": "qwen3"}', encoding="utf-8")
    monkeypatch.setenv("HF_HUB_CACHE", str(cache))


def test_a_repository_is_named_with_the_commit_that_lies_in_the_cache(tmp_path, monkeypatch):
    pytest.importorskip("huggingface_hub")
    cached(tmp_path, monkeypatch)
    source = find("Qwen/Tiny", "main")
    assert (source.name, source.commit, source.config) == (
        f"Qwen/Tiny@{COMMIT[:12]}",
        COMMIT,
        {"model_type": "qwen3"},
    )


def test_what_is_nowhere_is_said_in_one_line_with_the_way_to_bring_it(tmp_path, monkeypatch):
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UnavailableError) as caught:
        find("Qwen/Qwen2.5-Omni-7B", "main")
    assert "\n" not in str(caught.value)
    assert "the weights of Qwen/Qwen2.5-Omni-7B are not in the hub's cache" in str(caught.value)
    assert "hf download Qwen/Qwen2.5-Omni-7B --local-dir FOLDER, then hf:/path/of/FOLDER" in str(caught.value)


def test_a_folder_is_named_with_a_hash_of_its_files(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "qwen3"}), encoding="utf-8")
    weights = folder / "model.safetensors"
    weights.write_bytes(bytes(3 << 20))
    before = find(str(folder), "main").name
    assert before.startswith("mine@")
    assert find(str(folder), "main").name == before
    weights.write_bytes(bytes((3 << 20) - 1) + b"\x01")
    assert find(str(folder), "main").name != before, "another last byte is another checkpoint"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("nothing", "no such folder; write hf:OWNER/NAME"),
        ("./nothing/here", "no such folder"),
        ("", "no such folder"),
    ],
)
def test_a_path_that_is_neither_folder_nor_repository_is_refused(path, problem):
    with pytest.raises(ConfigError, match=problem):
        find(path, "main")


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"no config\.json in it"):
        find(str(tmp_path), "main")
    (tmp_path / "config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ConfigError, match="holds no JSON object"):
        find(str(tmp_path), "main")
