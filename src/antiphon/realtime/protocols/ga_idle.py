"""A session's patience: when nobody has spoken for so long after an answer, the agent is asked to say something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antiphon.realtime import events
from antiphon.realtime.live.hearing import Began

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.realtime.events import Effect
    from antiphon.realtime.live.desk import Desk
    from antiphon.realtime.live.hearing import Ended

_TASK = "patience"


class Patience:
    """`lost` gets the beginning and the end of the silence, in µs of the session. `timeout_ms` None: it never ends."""

    def __init__(self, desk: Desk, lost: Callable[[int, int], None]) -> None:
        self._desk, self._lost = desk, lost
        self.timeout_ms: int | None = None

    def effect(self, effect: Effect) -> None:
        """The silence begins when an answer was heard to its end, and is over when another one begins."""
        match effect:
            case events.Said(finish="stop" | "length"):
                self._wait()
            case events.StartAnswer():
                self._desk.cancel(_TASK)
            case _:
                pass

    def edge(self, edge: Began | Ended) -> None:
        """Somebody speaks, or has spoken."""
        if isinstance(edge, Began):
            self._desk.cancel(_TASK)
        else:
            self._wait()

    def _wait(self) -> None:
        self._desk.cancel(_TASK)
        if self.timeout_ms is not None:
            self._desk.start(_TASK, self._lose(self.timeout_ms))

    async def _lose(self, timeout_ms: int) -> None:
        begun_us = self._desk.now_us()
        await self._desk.clock.sleep_us(timeout_ms * 1000)
        self._lost(begun_us, self._desk.now_us())
