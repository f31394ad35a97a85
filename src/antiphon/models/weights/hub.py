"""What the user already fetched from the Hugging Face hub: files found in its cache, nothing downloaded."""

from __future__ import annotations

from pathlib import Path

from antiphon.errors import UnavailableError

_REMEDY = "pip install 'antiphon[mos]'"


def cached_file(repo: str, file: str, kind: str = "model") -> Path:
    """A file of a repository; `kind` is "model" or "space". Raises UnavailableError with the command that
    fetches it."""
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        raise UnavailableError("the package huggingface_hub is missing", _REMEDY) from None
    found = try_to_load_from_cache(repo, file, repo_type=kind)
    if isinstance(found, str):
        return Path(found)
    flag = "" if kind == "model" else f" --repo-type {kind}"
    raise UnavailableError(f"{repo}/{file} is not here", f"hf download{flag} {repo} '{file}'")


def cached_folder(repo: str, file: str) -> Path:
    """The newest folder of a model that holds `file`. Raises UnavailableError likewise, for all its files."""
    try:
        return cached_file(repo, file).parent
    except UnavailableError as error:
        raise UnavailableError(error.what, f"hf download {repo}") from None
