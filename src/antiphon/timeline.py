"""Who did what when: the record that a live or simulated session leaves for measuring."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

Source = Literal["oracle", "measured", "declared"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened on one track, from `start_us` to `end_us` after the session began.

    `source` says how it is known: by construction (oracle), by an instrument (measured), or because
    the system under test said so (declared).
    """

    start_us: int
    end_us: int
    track: str
    what: str
    source: Source
    text: str | None = None
    data: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        if self.end_us < self.start_us:
            raise ValueError(
                f"{self.what!r} ends at {self.end_us} us, before it starts at {self.start_us} us"
            )


@dataclass(frozen=True, slots=True)
class Timeline:
    """The facts of one session, in order of time."""

    KIND: ClassVar[str] = "timeline"
    V: ClassVar[int] = 1
    session: str
    facts: tuple[Fact, ...]
    recording: str | None = None

    def of(self, track: str, what: str | None = None) -> list[Fact]:
        """The facts of one track, all or of one sort."""
        return [fact for fact in self.facts if fact.track == track and what in (None, fact.what)]


def in_order(facts: list[Fact]) -> tuple[Fact, ...]:
    """Facts by start, then end, track and the rest: one order for one set of facts."""

    def place(fact: Fact) -> tuple[int, int, str, str, str, str, str]:
        data = json.dumps(fact.data, sort_keys=True, ensure_ascii=False)
        return fact.start_us, fact.end_us, fact.track, fact.what, fact.source, fact.text or "", data

    return tuple(sorted(facts, key=place))
