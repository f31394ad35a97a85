"""Repeated trials: pass^k (all of k trials pass) and pass@k (one of k does), with counts and intervals."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Literal

from antiphon.score import Score
from antiphon.stats import summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.envs.verdict import Verdict
    from antiphon.stats import Summary

Kind = Literal["pass^k", "pass@k"]


def pass_hat_k(passed: int, n: int, k: int) -> float:
    """The chance that k of n trials, drawn without replacement, all passed: C(passed, k) / C(n, k).

    Source: Yao et al., tau-bench (2024), section 3. Raises ValueError when n < k.
    """
    _possible(passed, n, k)
    return comb(passed, k) / comb(n, k)


def pass_at_k(passed: int, n: int, k: int) -> float:
    """The chance that of k of n trials at least one passed: 1 - C(n - passed, k) / C(n, k).

    Source: Chen et al., Evaluating Large Language Models Trained on Code (2021), eq. 1.
    """
    _possible(passed, n, k)
    return 1 - comb(n - passed, k) / comb(n, k)


def _possible(passed: int, n: int, k: int) -> None:
    if not (0 <= passed <= n and 1 <= k <= n):
        raise ValueError(f"{passed} of {n} trials passed; of these no {k} can be drawn")


def task_scores(verdicts: Sequence[Verdict], k: int, kind: Kind = "pass^k") -> list[Score]:
    """One row a task. Invalid trials don't count; a task with fewer than k valid ones is invalid, with the
    numbers, and not a zero."""
    estimate = pass_hat_k if kind == "pass^k" else pass_at_k
    metric = kind.replace("k", str(k))
    rows: list[Score] = []
    for task in dict.fromkeys(each.task for each in verdicts):
        trials = [each for each in verdicts if each.task == task]
        valid = [each for each in trials if each.status == "valid"]
        passed = sum(each.passed is True for each in valid)
        evidence = {"passed": passed, "valid": len(valid), "invalid": len(trials) - len(valid)}
        subset = trials[0].domain
        if len(valid) >= k:
            value = estimate(passed, len(valid), k)
            rows.append(Score(task, subset, metric, value, evidence=evidence))
        else:
            reason = f"{len(valid)} valid trials of {len(trials)}; {metric} needs {k}"
            rows.append(Score(task, subset, metric, None, status="invalid", reason=reason, evidence=evidence))
    return rows


def reliability(verdicts: Sequence[Verdict], k: int, kind: Kind = "pass^k", *, seed: int = 0) -> Summary:
    """pass^k or pass@k over tasks, with its interval and how many tasks counted. Raises ValueError for none."""
    return summarise(task_scores(verdicts, k, kind), seed=seed)
