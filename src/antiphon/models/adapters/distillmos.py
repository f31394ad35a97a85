"""`distillmos:`: Microsoft's DistillMOS, a predicted opinion (1 to 5) of how good speech sounds.

The package `distillmos` (MIT) carries its weights. Its command line alone needs torchaudio, so an empty
module stands in for it. Source: Stahl and Gamper, "Distillation and Pruning for Scalable Self-Supervised
Representation-Based Speech Quality Assessment", 2025.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import sys
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.errors import ConfigError, UnavailableError
from antiphon.models.native import Engines, need
from antiphon.models.scorable import NativeScorer
from antiphon.models.weights import store

if TYPE_CHECKING:
    from collections.abc import Generator

    from numpy.typing import NDArray

    from antiphon.clock import Clock
    from antiphon.models.uri import Uri

NAMES = ("distillmos",)
_WINDOW = 122_880  # samples, 7.68 s
_LONGEST_HOP = 16_000
_BATCH = 4  # windows at once: a long clip must not need memory for all of them
_WEIGHTS = "distill_mos_v7.pt"
_REMEDY = "pip install 'antiphon[mos]' && pip install --no-deps distillmos xls-r-sqa"

_engines: Engines[Any] = Engines()


def open_scorer(uri: Uri, clock: Clock) -> DistillMos:
    """A scorer; nothing is loaded before its first clip.

    Raises ConfigError for unknown options, UnavailableError when a package is missing.
    """
    uri.only("threads")
    threads = uri.whole("threads", 2)
    if threads < 1 or uri.path:
        raise ConfigError(f"{uri.text}: write distillmos: or distillmos:?threads=N, N from 1")
    for package in ("torch", "distillmos", "xls_r_sqa"):
        need(package, _REMEDY)
    engine = _engines.get((threads,), lambda: _load(threads))
    return DistillMos(f"distillmos:v7@{_digest()} (distillmos {version('distillmos')})", engine)


@lru_cache(maxsize=1)
def _digest() -> str:
    spec = importlib.util.find_spec("distillmos")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    weights = [path for folder in folders if (path := Path(folder) / "weights" / _WEIGHTS).is_file()]
    if not weights:
        raise UnavailableError(f"this distillmos carries no {_WEIGHTS}", _REMEDY)
    return store.digest_of(weights[0])


def _load(threads: int) -> Any:
    torch = importlib.import_module("torch")
    with _stand_in("torchaudio"), contextlib.redirect_stdout(io.StringIO()):  # it prints where it loads from
        model = importlib.import_module("distillmos").ConvTransformerSQAModel(segmenting_in_forward=False)
    torch.set_num_threads(threads)
    return model.eval()


@contextlib.contextmanager
def _stand_in(name: str) -> Generator[None]:
    """While a package is imported, an empty module for something it names and we never use."""
    missing = name not in sys.modules and importlib.util.find_spec(name) is None
    if missing:
        sys.modules[name] = ModuleType(name)
    try:
        yield
    finally:
        if missing:
            del sys.modules[name]


class DistillMos(NativeScorer[Any]):
    """One number, the mean over windows of 7.68 s."""

    names = NAMES

    def measure(self, model: Any, samples: NDArray[np.float32]) -> dict[str, float]:
        torch = importlib.import_module("torch")
        rows = windows(samples)
        with torch.inference_mode():
            batches = (torch.from_numpy(rows[at : at + _BATCH]) for at in range(0, len(rows), _BATCH))
            values = np.concatenate([model(batch).numpy().reshape(-1) for batch in batches])
        return {"distillmos": float(values.mean())}


def windows(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Windows of 7.68 s spread evenly over the clip, at most a second apart, as the model's own forward
    pass cuts them; shape (n, 122880). A short clip is filled up with zeros."""
    over = max(0, len(samples) - _WINDOW)
    padded = np.pad(samples, (0, max(0, _WINDOW - len(samples))))
    count = int(np.ceil(over / _LONGEST_HOP)) + 1
    starts = [int(share * over) for share in np.linspace(0, 1, count)]
    return np.stack([padded[start : start + _WINDOW] for start in starts])
