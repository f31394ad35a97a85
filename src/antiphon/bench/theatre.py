"""`Theatre`: where items are performed in virtual time, and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from antiphon.bench.items import Item
    from antiphon.bench.perform import Performance
    from antiphon.clock import Clock
    from antiphon.stage.outcome import Worker


class Named(Protocol):
    """A system by its full name: all that decides what it does."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Theatre:
    """How a suite is performed in virtual time. `open` finds the system that a URI names (raises ConfigError,
    UnavailableError); `perform` opens a worker of items for a run in a folder (picklable)."""

    open: Callable[[str, Clock], Named]
    perform: Callable[[Performance, Path], AbstractAsyncContextManager[Worker[Item]]]
