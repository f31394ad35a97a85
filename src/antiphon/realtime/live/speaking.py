"""The voice's worker: clauses spoken in their order, one at a time, into the playout."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from antiphon.errors import AntiphonError
from antiphon.realtime.live.playout import RATE_HZ

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from antiphon.models.ports import SpeechContext
    from antiphon.realtime.events import Render
    from antiphon.realtime.live.playout import Playout
    from antiphon.realtime.live.renderer import Renderer

# An answer of a model that does not stop is spoken as it is heard, not all at once into memory.
_MOST_AHEAD_MS = 60_000
_LOOK_S = 0.1
# Between clauses, by the mark that ends the earlier one: each is spoken by itself and ends without a pause.
_PAUSE_MS = dict.fromkeys(".!?…。！？\n", 220) | dict.fromkeys(",;:，；：、", 90)


class Report(Protocol):
    """Told of every piece of sound, and of a clause's end."""

    def __call__(self, effect: Render, ms: int, chars: int, *, last: bool, error: str | None) -> None: ...


class Speaker:
    """Speaks clauses into a playout."""

    def __init__(self, renderer: Renderer, playout: Playout, report: Report) -> None:
        self._renderer, self._playout, self._report = renderer, playout, report
        self._waiting: asyncio.Queue[tuple[Render, SpeechContext]] = asyncio.Queue()
        self._dropped: set[str] = set()
        self._current: tuple[str, asyncio.Task[None]] | None = None
        self._pause_ms: dict[str, int] = {}

    def say(self, effect: Render, context: SpeechContext) -> None:
        """Speak this clause after those that wait."""
        self._waiting.put_nowait((effect, context))

    def drop(self, item: str) -> None:
        """Nobody will hear the rest of this item."""
        self._dropped.add(item)
        self._pause_ms.pop(item, None)
        if self._current is not None and self._current[0] == item:
            self._current[1].cancel()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            effect, context = await self._waiting.get()
            while (  # noqa: ASYNC110 - the playout, which knows no loop, has no event for what it sent
                effect.item not in self._dropped and self._playout.ahead_ms(effect.item) > _MOST_AHEAD_MS
            ):
                await asyncio.sleep(_LOOK_S)
            if effect.item in self._dropped:
                continue
            task = asyncio.create_task(self._speak(effect, context))
            self._current = (effect.item, task)
            try:
                await asyncio.wait([task])
            finally:
                self._current = None
                task.cancel()

    async def _speak(self, effect: Render, context: SpeechContext) -> None:
        error: str | None = None
        told = 0
        context = replace(context, urgent=self._playout.made_ms(effect.item) == 0)
        try:
            async for spoken in self._renderer.stream(_once(effect.text), context):
                before_ms = self._playout.made_ms(effect.item)
                pause_ms = self._pause_ms.pop(effect.item, 0)
                self._playout.add(effect.item, bytes(2 * RATE_HZ * pause_ms // 1000) + spoken.pcm)
                ms = self._playout.made_ms(effect.item) - before_ms
                self._report(effect, ms, spoken.end_char - told, last=False, error=None)
                told = spoken.end_char
        except AntiphonError as failure:
            error = str(failure)
        except Exception as failure:  # noqa: BLE001 - a voice that broke is told to the engine; the session goes on
            error = repr(failure)
        before_ms = self._playout.made_ms(effect.item)
        self._playout.fill(effect.item)
        ms = self._playout.made_ms(effect.item) - before_ms
        words = effect.text.rstrip(" \t”’\"')）」』*")
        self._pause_ms[effect.item] = _PAUSE_MS.get(words[-1:], 0)
        self._report(effect, ms, len(effect.text) - told, last=True, error=error)


async def _once(text: str) -> AsyncGenerator[str, None]:
    yield text
