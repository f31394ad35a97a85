"""Emotion in a voice: probabilities of a scorer, taken by the names of its classes and never by their place.

The published code drops three of emotion2vec_plus_large's nine classes by editing its token file; whoever skips
that edit reads other classes' numbers. A name says what it is.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from antiphon.bench.suite import NoValue

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from antiphon.bench.suite import Evidence

# The five that VocalBench-zh considers, in the order of its items' `Score`.
FIVE = ("angry", "happy", "neutral", "sad", "surprised")
# The other classes of emotion2vec_plus_large.
NINE = (*FIVE, "disgusted", "fearful", "other", "unknown")

_UNKNOWN = {"unk": "unknown"}
NO_SCORER = NoValue(
    "unavailable",
    "no scorer of speech emotion was given, and none is packaged; add --scorer URI of one that names "
    + ", ".join(FIVE),
)


def named(label: str) -> str:
    """A class's plain name: "生气/angry" is angry, "<unk>" unknown."""
    plain = label.rsplit("/", 1)[-1].strip("<> ").lower()
    return _UNKNOWN.get(plain, plain)


def emotions(evidence: Evidence, among: Collection[str] = FIVE) -> dict[str, float] | NoValue:
    """Probabilities of these classes in a reply's voice, made to sum to 1 (appendix C.1, eq. 1)."""
    if evidence.said.clip is None:
        return NoValue("excluded", "the reply has no speech")
    if gap := next((evidence.gaps[name] for name in FIVE if name in evidence.gaps), None):
        return NoValue(*gap)
    return among_of(evidence.measured, among)


def among_of(
    measured: Mapping[str, float | str], among: Collection[str] = FIVE
) -> dict[str, float] | NoValue:
    """The same from a clip's columns; a class that is not named makes the whole invalid, not a zero."""
    found = {name: value for label, value in measured.items() if (name := named(label)) in NINE}
    if not found:
        return NO_SCORER
    refused = next((value for value in found.values() if isinstance(value, str)), None)
    if refused is not None:
        return NoValue("invalid", refused)
    if missing := [name for name in among if name not in found]:
        return NoValue("invalid", f"the scorer of speech emotion names no {', '.join(missing)}")
    kept = {name: float(found[name]) for name in among}
    total = sum(kept.values())
    if not (isfinite(total) and total > 0 and min(kept.values()) >= 0):
        return NoValue("invalid", f"these are no probabilities: {kept}")
    return {name: value / total for name, value in kept.items()}
