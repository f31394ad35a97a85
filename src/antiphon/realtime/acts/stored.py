"""The classifier as a file: runs of words, and their weights in 8 bits."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from antiphon.errors import DataError
from antiphon.realtime.acts.classifier import ACTS, ActClassifier

if TYPE_CHECKING:
    from pathlib import Path

OURS = "acts.npz"
_STEPS = 127  # of the heaviest weight


@cache
def ours() -> ActClassifier:
    """The classifier that ships with the package."""
    with as_file(files("antiphon.realtime.acts") / OURS) as path:
        return load(path)


def save(classifier: ActClassifier, path: Path, *, least: float = 0.0) -> int:
    """Write it whole or not at all; how many runs it has. Those all of whose weights are below `least` are left out."""
    heavy = np.abs(classifier.weights).max(axis=1, initial=0.0) >= least
    runs = [run for run, at in sorted(classifier.rows.items()) if heavy[at]]
    kept = classifier.weights[[classifier.rows[run] for run in runs]].reshape(len(runs), len(ACTS))
    step = float(np.abs(kept).max(initial=1e-9)) / _STEPS
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        np.savez_compressed(
            file,
            acts=np.array(ACTS),
            runs=np.frombuffer("\n".join(runs).encode(), np.uint8),
            weights=np.round(kept / step).astype(np.int8),
            step=np.float32(step),
            bias=classifier.bias.astype(np.float32),
        )
    part.replace(path)
    return len(runs)


def load(path: Path) -> ActClassifier:
    """Read what `save` wrote. Raises DataError for anything else."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            acts = tuple(map(str, found["acts"]))
            runs = found["runs"].tobytes().decode().split("\n")
            weights = found["weights"].astype(np.float32) * found["step"]
            bias = found["bias"]
    except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
        raise DataError(
            path, f"no weights of dialogue acts ({error}); antiphon realtime learn writes them"
        ) from error
    if acts != ACTS or weights.shape != (len(runs), len(ACTS)) or bias.shape != (len(ACTS),):
        raise DataError(
            path,
            f"weights of other acts ({', '.join(acts)}), and here they are {', '.join(ACTS)}: learn them again",
        )
    return ActClassifier({run: at for at, run in enumerate(runs)}, weights, bias)
