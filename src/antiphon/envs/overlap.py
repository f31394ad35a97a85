"""Overlap with evaluation data: tool names, dialogue fragments and rules text (section 4.4, last paragraph).

Training on what is measured with measures memory. A text overlaps when the share of its n-grams that stand in the
evaluation text too reaches a threshold. An n-gram is `N` units on end; a unit is a Latin word, a number, or a
Chinese character. Numbers and names of records are units as well, so two tasks that share only a sentence pattern
do not overlap.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.envs.knowledge import spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from antiphon.envs.domain import Domain
    from antiphon.envs.task import Task

N = 8  # units: longer than a phrase that anybody would use, shorter than a sentence
THRESHOLD = 0.2  # share of n-grams: one sentence of five is copied
NAMES = 0.5  # share of tool names that are the same, of the smaller pool; from two names on
_UNIT = re.compile(r"[一-鿿]|[^\W_一-鿿]+")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What evaluation data says, ready to be compared with: n-grams of texts, and tool pools by domain."""

    grams: frozenset[tuple[str, ...]] = frozenset()
    pools: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


def units(text: str) -> list[str]:
    """Words, numbers and Chinese characters, in one spelling."""
    return _UNIT.findall(unicodedata.normalize("NFKC", text).casefold())


def grams(text: str, n: int = N) -> set[tuple[str, ...]]:
    """Every n units on end."""
    found = units(text)
    return {tuple(found[at : at + n]) for at in range(len(found) - n + 1)}


def share(text: str, known: frozenset[tuple[str, ...]], n: int = N) -> float:
    """The share of a text's n-grams that are known; 0.0 for a text with fewer than n units: it tells nothing."""
    mine = grams(text, n)
    return len(mine & known) / len(mine) if mine else 0.0


def evaluation(domains: Sequence[Domain]) -> Evaluation:
    """What some domains say that are kept for evaluation."""
    texts = [text for domain in domains for text in _texts(domain)]
    found: set[tuple[str, ...]] = set()
    for text in texts:
        found |= grams(text)
    return Evaluation(
        frozenset(found),
        {domain.name: frozenset({*domain.tools, *domain.partner_tools}) for domain in domains},
    )


def _texts(domain: Domain) -> Iterator[str]:
    yield domain.rules
    for task in domain.tasks:
        yield dialogue(task)


def dialogue(task: Task) -> str:
    """All that the partner of a task is told and says."""
    return "\n".join(text for _, text in spoken(task))


def rules_overlap(rules: str, kept: Evaluation, threshold: float = THRESHOLD) -> str | None:
    """Why a domain's rules are too near to evaluation data, None when they are not."""
    return _too_near("rules.md", rules, kept, threshold)


def task_overlap(task: Task, kept: Evaluation, threshold: float = THRESHOLD) -> str | None:
    """Why a task's words are too near to evaluation data, None when they are not."""
    return _too_near("what the partner says", dialogue(task), kept, threshold)


def _too_near(what: str, text: str, kept: Evaluation, threshold: float) -> str | None:
    found = share(text, kept.grams)
    if found < threshold:
        return None
    return (
        f"{what}: {found:.0%} of its {N}-grams stand in evaluation data; below {threshold:.0%} is let through"
    )


def pool_overlap(names: Iterable[str], kept: Evaluation, threshold: float = NAMES) -> str | None:
    """Why a tool pool is too near to that of an evaluation domain, None when it is not.

    One name in common proves nothing: every desk has a `find_customer`.
    """
    mine = {each.casefold() for each in names}
    for domain, pool in kept.pools.items():
        theirs = {each.casefold() for each in pool}
        same = sorted(mine & theirs)
        smaller = min(len(mine), len(theirs))
        if len(same) >= 2 and len(same) / smaller >= threshold:
            return f"{len(same)} of {smaller} tool names are those of {domain}: {', '.join(same[:5])}"
    return None
