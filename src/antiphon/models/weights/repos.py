"""Repositories of the Hugging Face hub (`hf:owner/name@revision`) and of ModelScope (`ms:…`), and single files there.

    found = locate(Repo("hf", "openai/whisper-large-v3"), "*.safetensors")    # never fetches
    folder = bring(parse_repo("hf:openai/whisper-large-v3"))                  # fetches what is missing

Files lie in the hub's own cache, where other programs find them too. What the table pins by SHA-256 comes
through `fetch`; a repository is pinned by its revision, or by the hash of what lies there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from antiphon.errors import ConfigError, UnavailableError
from antiphon.ids import hash_json
from antiphon.models.native import need
from antiphon.models.weights import store
from antiphon.models.weights.missing import MissingWeightsError
from antiphon.models.weights.transports import probe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.models.uri import Uri

_TEXT = re.compile(r"(hf|ms):([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
# The same weights again for other frameworks or in single precision, and demonstrations. A network that exists as
# ONNX only lies beside the weights, as CosyVoice's do; exports of the whole lie in a folder.
_NOT_WANTED = ["*.msgpack", "*.h5", "*.ot", "onnx/*", "*fp32*", "pytorch_model*", "example/*", "fig/*"]
_CLIENTS = {
    "hf": ("huggingface_hub", "pip install huggingface_hub"),
    "ms": ("modelscope", "pip install modelscope"),
}


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository of a hub. An empty `revision` is the hub's default branch."""

    hub: Literal["hf", "ms"]
    name: str
    revision: str = ""

    @property
    def text(self) -> str:
        """How it is written on the command line."""
        return f"{self.hub}:{self.name}@{self.revision}" if self.revision else f"{self.hub}:{self.name}"


@dataclass(frozen=True, slots=True)
class Found:
    """A model's folder, and its name with the commit or the hash of its files."""

    folder: Path
    label: str


def parse_repo(text: str) -> Repo | None:
    """`hf:owner/name@revision` taken apart, None for what is no repository."""
    if not (match := _TEXT.fullmatch(text)):
        return None
    hub: Literal["hf", "ms"] = "hf" if match[1] == "hf" else "ms"
    return Repo(hub, match[2], match[3] or "")


def model_of(uri: Uri, repo: Repo | None, files: Sequence[str]) -> Found:
    """The folder that a URI's path names, or the snapshot of a repository; `files` are what it must hold.

    `repo` is what a path that is no folder stands for, None where it can stand for nothing. Raises
    ConfigError for a folder without these files and for a path that is neither; MissingWeightsError for a
    repository that was never fetched.
    """
    folder = Path(uri.path).expanduser()
    if uri.path and folder.is_dir():
        if lacking := [pattern for pattern in files if not any(folder.glob(pattern))]:
            raise ConfigError(
                f"{uri.text}: no {', '.join(lacking)} in {folder}; give a folder that holds a model"
            )
        return Found(folder, f"{folder.name}@{_digest(folder, files)}")
    if repo is None or uri.path.startswith(("/", "~", ".")):
        raise ConfigError(f"{uri.text}: no folder {folder}; give a folder, or owner/name of a hub")
    return locate(repo, *files)


def named(hub: str, path: str, revision: str = "") -> Repo | None:
    """The repository that `owner/name` says, None for anything else."""
    return parse_repo(f"{hub}:{path}@{revision}" if revision else f"{hub}:{path}")


def locate(repo: Repo, *files: str) -> Found:
    """The snapshot of a repository that is here with these files (patterns); never fetches.

    Raises MissingWeightsError, UnavailableError when the hub's client is missing.
    """
    folder = _snapshot(repo, local=True)
    if folder is None or not all(any(folder.glob(pattern)) for pattern in files):
        raise MissingWeightsError(repo.text, f"the model {repo.text} is not here")
    if _COMMIT.fullmatch(folder.name):
        return Found(folder, f"{repo.name}@{folder.name[:12]}")
    return Found(folder, f"{repo.name}@{_digest(folder, files)}")


def locate_file(name: str, file: str, kind: Literal["model", "space"] = "model") -> Path:
    """One file of a repository of the Hugging Face hub, from its cache; never fetches. Raises UnavailableError with
    the command that brings this file alone."""
    need(*_CLIENTS["hf"])
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(name, file, repo_type=kind)
    if isinstance(found, str):
        return Path(found)
    flag = "" if kind == "model" else f" --repo-type {kind}"
    raise UnavailableError(f"{name}/{file} is not here", f"hf download{flag} {name} '{file}'")


def bring(repo: Repo) -> Path:
    """The snapshot of a repository, fetched where files of it are missing. Raises UnavailableError."""
    remedy = "with files at hand, give their folder in the model's name: SCHEME:/FOLDER"
    try:
        folder = _snapshot(repo, local=False)
    except UnavailableError:
        raise
    except Exception as error:
        words = " ".join(str(error).split())[:200]
        raise UnavailableError(
            f"{repo.text} did not come ({type(error).__name__}: {words})", remedy
        ) from error
    if folder is None:
        raise UnavailableError(f"{repo.text} did not come: the hub is not asked offline", remedy)
    return folder


def unreachable() -> str | None:
    """Why the Hugging Face hub does not answer, None when it does, in a few seconds at most: its own client keeps
    asking for half a minute. None, too, where the user keeps that client offline: it then looks in its cache."""
    need(*_CLIENTS["hf"])
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or (why := probe(constants.ENDPOINT)) is None:
        return None
    return f"{constants.ENDPOINT} does not answer: {why}"


def _snapshot(repo: Repo, *, local: bool) -> Path | None:
    """Where a repository lies; None when only looking here and it does not."""
    need(*_CLIENTS[repo.hub])
    download: Any  # the two take the same arguments, and say different things about them
    if repo.hub == "hf":
        from huggingface_hub import snapshot_download as download
    else:
        from modelscope.hub.snapshot_download import snapshot_download as download
    try:
        return Path(
            download(
                repo.name, revision=repo.revision or None, local_files_only=local, ignore_patterns=_NOT_WANTED
            )
        )
    except Exception as error:
        # Each client has an error of its own for "not in the cache", and both say so in its name.
        if local and type(error).__name__ in ("LocalEntryNotFoundError", "CacheNotFound"):
            return None
        raise


def _digest(folder: Path, files: Sequence[str]) -> str:
    """Twelve hex digits that name the bytes of these files."""
    found = sorted({path for pattern in files for path in folder.glob(pattern)})
    if len(found) == 1:
        return store.digest_of(found[0])
    return hash_json([(path.name, store.digest_of(path)) for path in found])[:12]
