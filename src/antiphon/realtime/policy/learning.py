"""Learning what words do from labelled lines, with the names that they call left out of sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.errors import ConfigError
from antiphon.realtime.acts import lines, stored, training
from antiphon.realtime.acts.classifier import ACTS
from antiphon.realtime.policy.vocatives import addressee

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LEAST = 0.02  # a run all of whose weights are below this is not kept


def learn(paths: Iterable[Path], out: Path, *, only: bool = False, folds: int = 5) -> dict[str, Any]:
    """Learn from our lines and those of `paths`, write the classifier, and tell what it was learned from and how it
    tells lines that it has not seen.

    Raises ConfigError where there is nothing to learn from or `out` cannot be written, DataError for bad lines.
    """
    chosen = [] if only else lines.ours()
    for path in paths:
        chosen += lines.read(path)
    counts = lines.counted(chosen)
    if missing := [act for act in ACTS if not counts[act]]:
        raise ConfigError(f"no lines for {', '.join(missing)}: give some, or leave out --only")
    if out.suffix != ".npz" or not out.parent.is_dir():
        raise ConfigError(f"--out {out}: a file that ends in .npz, in a folder that exists")
    told = training.held_out(chosen, addressee, folds=folds) if folds > 1 else None
    classifier = training.learn(chosen, addressee)
    runs = stored.save(classifier, out, least=LEAST)
    return {"out": str(out), "lines": len(chosen), "acts": counts, "runs": runs, "held_out": told}
