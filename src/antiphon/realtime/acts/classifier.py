"""A linear classifier of dialogue acts: the weights of a line's runs, summed for each act."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from antiphon.realtime.acts.features import features

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

# Said to the agent for an answer; to somebody else; to show that one listens; of the floor; to agree on turns.
ACTS = (
    "request",
    "others",
    "acknowledge",
    "stop",
    "go_on",
    "wait",
    "silence",
    "signal",
    "called",
    "release",
)
_CACHED = 4096
_LEAST = 1e-6


@dataclass(frozen=True)
class ActClassifier:
    """`weights`, (runs, acts): how much each run speaks for each of ACTS; `rows`: where a run stands; `bias`, (acts,)."""

    rows: Mapping[str, int]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    _read: dict[tuple[str, str | None], dict[str, float] | None] = field(default_factory=dict, repr=False)

    def odds(self, text: str, called: str | None = None) -> dict[str, float]:
        """The probability of each act by the words alone; the same for all where there is no word. `called`: the
        name of a person whom the line calls."""
        return self._known(text, called) or dict.fromkeys(ACTS, 1.0 / len(ACTS))

    def log_odds(self, act: str, text: str, called: str | None = None) -> float:
        """How much more likely an act is than all others; 0.0 where there is no word."""
        odds = self._known(text, called)
        if odds is None:
            return 0.0
        share = min(max(odds[act], _LEAST), 1.0 - _LEAST)
        return log(share / (1.0 - share))

    def _known(self, text: str, called: str | None) -> dict[str, float] | None:
        """The odds, computed once: the same words are asked about several times a second."""
        key = (text, called)
        if key not in self._read:
            if len(self._read) >= _CACHED:
                self._read.clear()
            self._read[key] = self._odds(features(text, called))
        return self._read[key]

    def _odds(self, seen: list[str]) -> dict[str, float] | None:
        if not seen:
            return None
        at = [self.rows[run] for run in seen if run in self.rows]
        sums = self.weights[at].sum(axis=0) / sqrt(len(seen)) + self.bias
        raised = np.exp(sums - sums.max())
        return dict(zip(ACTS, map(float, raised / raised.sum()), strict=True))
