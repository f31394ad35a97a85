"""Where the weights of `hf:` lie: a folder, or a repository of the Hugging Face hub at one commit."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx

from antiphon.errors import ConfigError, UnavailableError
from antiphon.models.weights import repos

_SAMPLE = 1 << 20  # bytes from either end of a large file: hashing 60 GB would take minutes
_FAILURES = (OSError, ValueError, httpx.HTTPError)  # what the hub's client raises, offline or refused
_PATTERN = ("*.json", "*.jinja", "*.safetensors", "*.bin", "*.pt", "*.model", "*.txt")


@dataclass(frozen=True, slots=True)
class Source:
    """A model's files. `name` tells apart models that may answer differently: repository and commit, or
    folder and hash. `config` is its config.json."""

    name: str
    config: dict[str, Any]
    folder: Path | None
    repository: str = ""
    commit: str = ""

    def fetch(self) -> Path:
        """The folder with everything, downloaded where the hub has to bring it. Raises UnavailableError."""
        if self.folder is not None:
            return self.folder
        hub = importlib.import_module("huggingface_hub")
        try:
            found = hub.snapshot_download(self.repository, revision=self.commit, cache_dir=_cache())
        except _FAILURES as error:
            raise _absent(self.repository, str(error) or type(error).__name__) from None
        return Path(found)


def find(path: str, revision: str) -> Source:
    """The source that a URI names. Of a repository only config.json is read, from the hub's cache when it is
    there: a branch that was downloaded once stays at that commit.

    Raises ConfigError for a folder that holds no model, UnavailableError when nothing can be had.
    """
    folder = Path(path).expanduser()
    if path and folder.is_dir():
        return _in_folder(folder)
    if path.count("/") != 1 or path.startswith((".", "/", "~")):
        raise ConfigError(
            f"hf:{path}: no such folder; write hf:OWNER/NAME of the hub, or hf:/path/of/a/model"
        )
    config = _config_from_hub(path, revision)
    commit = config.parent.name
    return Source(f"{path}@{commit[:12]}", _read(config), None, path, commit)


def _in_folder(folder: Path) -> Source:
    config = folder / "config.json"
    if not config.is_file():
        raise ConfigError(f"hf:{folder}: no config.json in it; give the folder of a whole model")
    return Source(f"{folder.resolve().name}@{_digest(folder)}", _read(config), folder)


def _read(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"hf: {path} is no JSON: {error}") from None
    if not isinstance(config, dict):
        raise ConfigError(f"hf: {path} holds no JSON object")
    return cast("dict[str, Any]", config)


def _digest(folder: Path) -> str:
    """A hash of every file's name, size, first and last megabyte: enough to tell checkpoints apart."""
    digest = hashlib.sha256()
    files = {path for pattern in _PATTERN for path in folder.glob(pattern)}
    for path in sorted(files):
        size = path.stat().st_size
        digest.update(f"{path.name}:{size}:".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            if size > _SAMPLE:
                file.seek(max(_SAMPLE, size - _SAMPLE))
                digest.update(file.read())
    return digest.hexdigest()[:12]


def _config_from_hub(repository: str, revision: str) -> Path:
    hub = importlib.import_module("huggingface_hub")
    cached = hub.try_to_load_from_cache(repository, "config.json", revision=revision, cache_dir=_cache())
    if isinstance(cached, str):
        return Path(cached)
    if (why := repos.unreachable()) is not None:
        raise _absent(repository, why)
    try:
        found = hub.hf_hub_download(repository, "config.json", revision=revision, cache_dir=_cache())
    except _FAILURES as error:
        raise _absent(repository, str(error) or type(error).__name__) from None
    return Path(found)


def _cache() -> str | None:
    """The hub reads its own variable when it is imported; this one may have changed since."""
    return os.environ.get("HF_HUB_CACHE")


def _absent(repository: str, why: str) -> UnavailableError:
    said = " ".join(why.split())[:120]
    return UnavailableError(
        f"the weights of {repository} are not in the hub's cache and cannot be fetched ({said})",
        f"where there is a network: hf download {repository} --local-dir FOLDER, then hf:/path/of/FOLDER",
    )
