"""Turn policies by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.errors import unknown
from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.policy.semantic import BySemantics
from antiphon.realtime.turn_policy import AlwaysAnswer, ByScores, NeverAnswer

if TYPE_CHECKING:
    from antiphon.realtime.turn_policy import TurnPolicy

POLICIES: dict[str, TurnPolicy] = {
    "default": ByRules(),
    "always-answer": AlwaysAnswer(),
    "never-answer": NeverAnswer(),
    "scores": ByScores(ByRules()),
    "semantic": BySemantics(),
}


def policy_named(name: str) -> TurnPolicy:
    """A policy by name. Raises ConfigError that lists the choices."""
    if name not in POLICIES:
        raise unknown("turn policy", name, POLICIES)
    return POLICIES[name]
