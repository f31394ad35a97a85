"""A client that goes and comes back, as the engine is told of it: what nobody hears waits, and is not history."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Left:
    """Nobody listens any more: the client's connection is gone, and it may come back."""

    t_us: int


@dataclass(frozen=True, slots=True)
class CameBack:
    """The client is there again. Of what sounded when it left it has got no more than the first `got_ms` of `item`
    (None: all that was sent)."""

    t_us: int
    item: str | None = None
    got_ms: int | None = None
