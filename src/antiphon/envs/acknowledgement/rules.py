"""Rules on acknowledging, such as "acknowledge only the first call", compiled to one label for each turn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from antiphon.errors import ConfigError
from antiphon.text.mentions import fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.envs.acknowledgement.turns import ToolTurn

Label = Literal["required", "disallowed", "optional"]
Scope = Literal["dialogue", "request"]


@dataclass(frozen=True, slots=True)
class Rule:
    """Which turns get which label. Every condition that is given must hold; without any it is every turn.

    `first`: it is the first tool-call turn of its `scope`; `slow`: one of its tools is slow; `tools`: it calls one
    of them.
    """

    label: Label
    first: bool | None = None
    scope: Scope = "dialogue"
    slow: bool | None = None
    tools: tuple[str, ...] = ()

    def covers(self, turn: ToolTurn) -> bool:
        """Whether it says something about a turn."""
        place = turn.number if self.scope == "dialogue" else turn.of_request
        return (
            (self.first is None or self.first == (place == 1))
            and (self.slow is None or self.slow == turn.slow)
            and (not self.tools or any(name in self.tools for name in turn.tools))
        )


Rules = tuple[Rule, ...]

_EVERY, _NONE, _FREE = Rule("required"), Rule("disallowed"), Rule("optional")
_SAID: Mapping[str, Rules] = {
    "always acknowledge": (_EVERY,),
    "never acknowledge": (_NONE,),
    "acknowledge if you like": (_FREE,),
    "acknowledge the first call": (Rule("required", first=True), _FREE),
    "acknowledge only the first call": (Rule("required", first=True), _NONE),
    "acknowledge only the first call of each request": (Rule("required", first=True, scope="request"), _NONE),
    "acknowledge slow tools": (Rule("required", slow=True), _FREE),
    "acknowledge only slow tools": (Rule("required", slow=True), _NONE),
    "每次调用前都要告知": (_EVERY,),
    "调用前不要告知": (_NONE,),
    "调用前可以告知": (_FREE,),
    "第一次调用前要告知": (Rule("required", first=True), _FREE),
    "只在第一次调用前告知": (Rule("required", first=True), _NONE),
    "每个请求只在第一次调用前告知": (Rule("required", first=True, scope="request"), _NONE),
    "慢的工具要告知": (Rule("required", slow=True), _FREE),
    "只在慢的工具前告知": (Rule("required", slow=True), _NONE),
}
_NAMED: tuple[tuple[re.Pattern[str], Label, Label], ...] = (
    (re.compile(r"never acknowledge ([\w, ]+)|(?:调用)?([\w, 、]+?)前不要告知"), "disallowed", "optional"),
    (re.compile(r"acknowledge only ([\w, ]+)|只在(?:调用)?([\w, 、]+?)前告知"), "required", "disallowed"),
    (re.compile(r"acknowledge ([\w, ]+)|(?:调用)?([\w, 、]+?)前要告知"), "required", "optional"),
)
_NAME = re.compile(r"[a-z]\w*")


def rules_of(words: str, tools: Sequence[str] = ()) -> Rules:
    """The rules in a sentence, English or Mandarin. Raises ConfigError listing the sentences that are understood.

    Of `tools` any may be named: "acknowledge only search_flights", 只在search_flights前告知.
    """
    said = fold(words).strip(" .。!！")
    if said in _SAID:
        return _SAID[said]
    for pattern, named, others in _NAMED:
        found = pattern.fullmatch(said)
        names = tuple(_NAME.findall(found[1] or found[2])) if found else ()
        if names and all(name in {fold(tool) for tool in tools} for name in names):
            chosen = tuple(tool for tool in tools if fold(tool) in names)
            return (Rule(named, tools=chosen), Rule(others))
    known = "; ".join(_SAID)
    raise ConfigError(
        f"no rule {words!r}; there are: {known}; and with names of tools: acknowledge [only] TOOL, never acknowledge "
        f"TOOL ({', '.join(tools) or 'no tools'})"
    )


def labels(rules: Sequence[Rule], turns: Sequence[ToolTurn]) -> tuple[Label, ...]:
    """One label a turn: that of the first rule that covers it, optional where none does."""
    return tuple(_label(rules, turn) for turn in turns)


def _label(rules: Sequence[Rule], turn: ToolTurn) -> Label:
    for rule in rules:
        if rule.covers(turn):
            return rule.label
    return "optional"
