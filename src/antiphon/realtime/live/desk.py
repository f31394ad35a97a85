"""What is under way in a session, and what became known: its tasks, and the inputs that wait for the engine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from antiphon.errors import AntiphonError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from antiphon.clock import Clock
    from antiphon.realtime.events import Input
    from antiphon.realtime.live.ports import Listener


class Desk:
    """Workers put what they found here; the driver takes it to the engine. Times count from the beginning."""

    def __init__(self, clock: Clock, listener: Listener) -> None:
        self.clock, self.listener = clock, listener
        self._started_us = clock.mono_us()
        self.begun = False  # whether anything was put
        self.inputs: list[Input] = []
        self.wake = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def now_us(self) -> int:
        return self.clock.mono_us() - self._started_us

    def put(self, kind: Callable[..., Input], *args: Any, **more: Any) -> None:
        """An input that became known now."""
        self.begun = True
        self.inputs.append(kind(self.now_us(), *args, **more))
        self.wake.set()

    def take(self) -> list[Input]:
        """All that was put since the last time."""
        inputs, self.inputs = self.inputs, []
        return inputs

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Work beside the loop. Its failure is told to the client, and the session goes on."""
        task = asyncio.create_task(self._guarded(name, work))
        self._tasks[name] = task

        def ended(done: asyncio.Task[None]) -> None:
            work.close()  # a task that is cancelled before its first step has not begun it
            if self._tasks.get(name) is done:
                del self._tasks[name]

        task.add_done_callback(ended)

    def cancel(self, name: str) -> None:
        if (task := self._tasks.get(name)) is not None:
            task.cancel()

    async def clear(self) -> None:
        """End all work."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _guarded(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 - one worker's failure is told, and the session goes on
            what = str(error) if isinstance(error, AntiphonError) else repr(error)
            self.listener.trouble(f"{name}: {what}")
