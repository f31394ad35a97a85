"""Search rewards: the decision, the queries (equation 5), and the answer from evidence. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_QUERIES = 5
QUALITIES = ("accuracy", "coverage", "specificity", "diversity")
FINAL = ("faithfulness", "usefulness", "safety", "spoken")


@dataclass(frozen=True, slots=True)
class SearchReward:
    """The reward of a tool-call turn or of a final turn, from 0 to 1. `value` is None when a part that it needs is
    missing, and `reason` says which. `n_ref` and `n_pred` are of equation 5."""

    value: float | None
    parts: Mapping[str, float]
    n_ref: int | None = None
    n_pred: int | None = None
    reason: str | None = None


def decision_reward(needed: bool, searched: bool) -> float:
    """1 for searching exactly when it was needed, else 0. A missing search call is its business alone."""
    return 1.0 if needed == searched else 0.0


def query_quality(qualities: Mapping[str, float]) -> float:
    """q: the mean of accuracy, coverage, specificity and diversity, each from 0 to 1.

    Raises ValueError when one is missing or out of range.
    """
    return _mean_of(QUALITIES, qualities)


def query_reward(q: float, n_ref: int, n_pred: int) -> float:
    """r_query = q · min(1, n_ref / n_pred) (equation 5): q at or below the estimated count, less above it.

    `n_ref` is from 1 to 5; raises ValueError otherwise, and for n_pred < 1: no query is no search call.
    """
    if not (isfinite(q) and 0 <= q <= 1):
        raise ValueError(f"q is {q}; it is from 0 to 1")
    if not 1 <= n_ref <= MOST_QUERIES:
        raise ValueError(f"n_ref is {n_ref}; it is from 1 to {MOST_QUERIES}")
    if n_pred < 1:
        raise ValueError(f"n_pred is {n_pred}; a search call has at least one query")
    return q * min(1.0, n_ref / n_pred)


def tool_turn_reward(
    needed: bool,
    n_pred: int | None,
    qualities: Mapping[str, float | None] | None = None,
    n_ref: int | None = None,
) -> SearchReward:
    """The reward of the turn that may search. `n_pred` is None without a search call, 0 for a call without queries.

    A wrong decision is worth 0, a right one without search 1; a right search is worth the mean of its decision and
    its query reward (our choice: the report keeps the two apart and gives no weights). A needless search needs no
    judge.
    """
    decision = decision_reward(needed, n_pred is not None)
    parts = {"decision": decision}
    if n_pred is None or not decision:
        return SearchReward(decision, parts, n_pred=n_pred)
    if n_pred == 0:
        return SearchReward(0.0, {"decision": 0.0}, n_ref, 0, "a search call without a query")
    known = {name: value for name, value in (qualities or {}).items() if value is not None}
    lacking = [name for name in QUALITIES if name not in known] + (["n_ref"] if n_ref is None else [])
    if lacking or n_ref is None:
        return SearchReward(None, parts, n_ref, n_pred, f"no judgement of {', '.join(lacking)}")
    q = query_quality(known)
    query = query_reward(q, n_ref, n_pred)
    return SearchReward((decision + query) / 2, {**parts, "q": q, "query": query}, n_ref, n_pred)


def final_turn_reward(judged: Mapping[str, float | None]) -> SearchReward:
    """The reward of the answer: the mean of faithfulness, usefulness, safety and spoken expression, from 0 to 1."""
    known = {name: value for name, value in judged.items() if value is not None}
    lacking = [name for name in FINAL if name not in known]
    if lacking:
        return SearchReward(None, known, reason=f"no judgement of {', '.join(lacking)}")
    return SearchReward(_mean_of(FINAL, known), known)


def _mean_of(names: tuple[str, ...], values: Mapping[str, float]) -> float:
    for name in names:
        if name not in values or not (isfinite(values[name]) and 0 <= values[name] <= 1):
            raise ValueError(f"{name} is {values.get(name)}; it is from 0 to 1")
    return sum(values[name] for name in names) / len(names)
