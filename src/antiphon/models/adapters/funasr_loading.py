"""Models of the funasr package: quiet loading, and proof that the weights of the folder are what runs.

funasr fills parameters that its checkpoint lacks, or has in another shape, with random numbers and goes on;
and it prints, and sets up logging for the whole process. None of that is let through.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import re
import warnings
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from antiphon.errors import ConfigError, UnavailableError, unknown
from antiphon.models.native import need
from antiphon.models.weights import repos

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from antiphon.models.uri import Uri

REMEDY = "pip install 'antiphon[funasr]'"
_NEEDED = ("config.yaml", "model.pt")
# Parameters on the way from sound to result; training alone needs the others.
_DECISIVE = ("encoder.", "decoder.", "predictor.", "ctc.", "embed.", "blocks.", "norm.", "proj.",
             "modality_encoders.AUDIO.local", "modality_encoders.AUDIO.project", "modality_encoders.AUDIO.context")  # fmt: skip
_LACKING = re.compile(r"miss key in ckpt: (\S+),")

# Short name -> repository on ModelScope, on the Hugging Face hub.
Names = dict[str, tuple[str, str]]


def folder_of(uri: Uri, names: Names, default: str) -> repos.Found:
    """The model's folder: by a short name or `owner/name`, of the hub that `hub=ms|hf` says, or a folder.

    Raises ConfigError, and UnavailableError when package or weights are missing.
    """
    for package in ("torch", "funasr"):
        need(package, REMEDY)
    chosen = uri.options.get("hub", "ms")
    if chosen not in ("ms", "hf"):
        raise ConfigError(f"{uri.text}: no hub {chosen!r}; there are: hf (Hugging Face), ms (ModelScope)")
    path = uri.path or default
    pair = names.get(path) or next((pair for pair in names.values() if path in pair), (path, path))
    repo = repos.named(chosen, pair[chosen == "hf"], uri.options.get("revision", ""))
    if repo is None and "/" not in path:
        raise unknown("model", path, names, "or write owner/name of a hub, or a folder")
    return repos.model_of(uri, repo, _NEEDED)


def load(folder: Path, device: str, threads: int, **settings: Any) -> Any:
    """funasr's `AutoModel` of a folder. Raises UnavailableError when the folder holds no whole model."""
    said = io.StringIO()
    try:
        with _quiet(said):
            auto_model = importlib.import_module("funasr").AutoModel
            model = auto_model(
                model=str(folder), device=device, ncpu=threads, disable_update=True, disable_pbar=True,
                ignore_init_mismatch=False, **settings,
            )  # fmt: skip
    except ImportError:
        raise
    except Exception as error:
        words = " ".join(str(error).split())[:200]
        raise UnavailableError(
            f"funasr cannot load {folder} ({type(error).__name__}: {words})", "fetch the model again"
        ) from error
    if lacking := [key for key in _LACKING.findall(said.getvalue()) if key.startswith(_DECISIVE)]:
        raise UnavailableError(
            f"{folder / 'model.pt'} lacks {len(lacking)} parameters such as {lacking[0]}",
            "fetch the model again",
        )
    return model


def generate(model: Any, sounds: Sequence[NDArray[np.float32]], **settings: Any) -> list[dict[str, Any]]:
    """What funasr says of each sound (16 kHz, shape (n,)), one after the other: a batch in which Paraformer
    finds no word at all would come back as a single row."""
    found: list[dict[str, Any]] = []
    with _quiet(io.StringIO()):
        for samples in sounds:
            found += model.generate(samples, batch_size=1, **settings)
    return found


def packages() -> str:
    """The packages that decide a result, with versions."""
    return f"(funasr {version('funasr')} torch {version('torch')})"


@contextlib.contextmanager
def _quiet(said: io.StringIO) -> Generator[None]:
    """Keep what funasr prints, and keep it from setting up logging: `basicConfig` leaves a root alone that
    has a handler. Its imports warn of deprecated modules, and their failure would be swallowed."""
    root, nobody = logging.getLogger(), logging.NullHandler()
    root.addHandler(nobody)
    try:
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        root.removeHandler(nobody)
