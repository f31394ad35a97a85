"""Learning the weights: multinomial logistic regression over the runs of labelled lines, with an L2 penalty."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.ids import rng
from antiphon.realtime.acts.classifier import ACTS, ActClassifier
from antiphon.realtime.acts.features import features

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from antiphon.realtime.acts.lines import Line

PENALTY = 0.03
SELDOM = 2  # a run that fewer lines have is not learned from


def learn(
    lines: Sequence[Line],
    called: Callable[[str], str | None],
    *,
    penalty: float = PENALTY,
    seldom: int = SELDOM,
) -> ActClassifier:
    """Weights that tell the acts of lines apart. `called`: whom a text calls, or None.

    `penalty`: on the squares of the weights, against the summed log loss; that sum is convex, so the same lines give
    the same weights, up to the optimizer's tolerance. `seldom`: how many lines must have a run.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp

    seen = [features(line.text, called(line.text)) for line in lines]
    counts = Counter(run for runs in seen for run in runs)
    rows = {run: at for at, run in enumerate(sorted(run for run, count in counts.items() if count >= seldom))}
    x = _matrix(seen, rows)
    transposed = x.T.tocsr()
    which = np.array([ACTS.index(line.act) for line in lines])
    target = np.eye(len(ACTS))[which]
    shape = (len(rows), len(ACTS))
    size = shape[0] * shape[1]

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, bias = flat[:size].reshape(shape), flat[size:]
        scores = x @ weights + bias
        scores -= logsumexp(scores, axis=1, keepdims=True)
        wrong = np.exp(scores) - target
        value = 0.5 * penalty * float((weights * weights).sum()) - float((scores * target).sum())
        return value, np.concatenate([(transposed @ wrong + penalty * weights).ravel(), wrong.sum(axis=0)])

    start = np.zeros(size + len(ACTS))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x.astype(np.float32)
    return ActClassifier(rows, found[:size].reshape(shape), found[size:])


def held_out(
    lines: Sequence[Line], called: Callable[[str], str | None], *, folds: int = 5, seed: int = 0
) -> dict[str, Any]:
    """How often lines are told right by a classifier that has not seen them: of each act, and whether it is for
    somebody else, each with counts."""
    order = rng(seed, "acts", "folds").permutation(len(lines))
    right = dict.fromkeys(ACTS, 0)
    asides = 0
    for fold in range(folds):
        left = set(order[fold::folds].tolist())
        classifier = learn([line for at, line in enumerate(lines) if at not in left], called)
        for line in (lines[at] for at in left):
            odds = classifier.odds(line.text, called(line.text))
            right[line.act] += max(odds, key=odds.__getitem__) == line.act
            asides += (odds["others"] > 0.5) == (line.act == "others")
    return {"folds": folds, "n": len(lines), "right": right, "for_others_right": asides}


def _matrix(seen: Sequence[Sequence[str]], rows: dict[str, int]) -> csr_matrix:
    """(lines, runs): 1/√n where a line of n runs, known or not, has the run."""
    from scipy.sparse import csr_matrix

    known = [[rows[run] for run in runs if run in rows] for runs in seen]
    sizes = [len(columns) for columns in known]
    columns = np.array([column for line in known for column in line], dtype=np.int64)
    values = np.repeat([1.0 / sqrt(max(1, len(runs))) for runs in seen], sizes)
    return csr_matrix(
        (values, (np.repeat(np.arange(len(seen)), sizes), columns)), shape=(len(seen), len(rows))
    )
