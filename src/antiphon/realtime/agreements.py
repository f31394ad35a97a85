"""Temporary agreements: what the person asked of the agent's turns in this session. They beat the defaults of a
scene; they know nothing of tools, so they can permit none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AgreementKind = Literal["signal", "called", "silence"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Be silent: until one of `signals` is said ("signal"; then it is over), except when called by one of them
    ("called"; it stays), or until the person gives the word back ("silence")."""

    kind: AgreementKind
    signals: tuple[str, ...] = ()
    said: str = ""  # the person's own words, for the log


@dataclass(slots=True)
class Agreements:
    """The one agreement in force; a newer one replaces it."""

    now: Agreement | None = None

    def apply(self, made: Agreement | None, *, released: bool) -> None:
        if released:
            self.now = None
        if made is not None:
            self.now = made
