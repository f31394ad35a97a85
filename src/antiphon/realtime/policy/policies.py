"""Turn policies by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from antiphon.errors import ConfigError, unknown
from antiphon.realtime.acts import stored
from antiphon.realtime.policy.rules import ByRules
from antiphon.realtime.policy.semantic import BySemantics
from antiphon.realtime.policy.words import Words
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
    """A policy by name; `default?acts=FILE` reads words with a classifier of your own (`antiphon realtime learn`).

    Raises ConfigError that lists the choices, DataError for a file without weights.
    """
    base, _, asked = name.partition("?")
    if base not in POLICIES:
        raise unknown("turn policy", base, POLICIES)
    if not asked:
        return POLICIES[base]
    chosen = dict(parse_qsl(asked, keep_blank_values=True))
    if base != "default" or list(chosen) != ["acts"]:
        raise ConfigError(f"turn policy {name!r}: only default takes a part after '?', and that is acts=FILE")
    return ByRules(name=name, words=Words(stored.load(Path(chosen["acts"]))))
