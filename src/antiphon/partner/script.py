"""`Script`: how a scripted partner plays a task; docs/envs.md tells when each line is said."""

from __future__ import annotations

from typing import Any

import msgspec


class Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the partner knows: `value` as tools take it, `say` as a person says it (these words stand in the
    `user_system_prompt`), `asked` the words of an agent that asks for it; `forms`: other right spellings;
    `unlike`: what it must not be mistaken for, where that is no number (another fare, a similar name)."""

    name: str
    value: str | int | float | bool
    say: str
    asked: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()


class Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the partner does with a tool of its own, once, when the agent says any of the words in `asked`;
    `say` is said afterwards."""

    tool: str
    asked: tuple[str, ...]
    say: str
    arguments: dict[str, Any] = {}


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a scripted partner plays the task; docs/envs.md tells when each line is said.

    `opening` begins; `facts` are told when asked for; `agrees` answers a right read-back or offer, `corrects`
    a wrong one ("{say}" is the fact); `insists` are said one by one when refused; `more` are further requests,
    one by one after an answer; `acts` use the partner's own tools; `done` are words of the agent (any) after
    which `goodbye` ends the call.
    """

    opening: str
    facts: tuple[Fact, ...] = ()
    agrees: str = ""
    corrects: str = ""
    insists: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    acts: tuple[Act, ...] = ()
    done: tuple[str, ...] = ()
    goodbye: str = ""
    style: str = ""
    patience: int = 3
