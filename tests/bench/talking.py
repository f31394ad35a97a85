"""A live system in a test: what it says is written down by the moment at which it hears."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.errors import ModelError
from antiphon.live import AudioFrame, AudioOut, ServerEvent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

    from antiphon.live import ClientEvent
    from antiphon.messages import ToolSpec

RATE_HZ = 24_000


def loud(item: str, ms: int, level: int = 1000) -> AudioOut:
    """So many ms of a constant level."""
    return AudioOut(item, 0, np.full(ms * RATE_HZ // 1000, level, dtype="<i2").tobytes(), RATE_HZ)


@dataclass
class TalkingSession:
    """Gives the events of `script` once the frame that begins at their ms has come."""

    script: Mapping[int, Sequence[ServerEvent]]
    rate_hz: int = RATE_HZ
    breaks_at_ms: int | None = None
    sent: list[ClientEvent] = field(default_factory=list)
    _queue: asyncio.Queue[ServerEvent | None] = field(default_factory=asyncio.Queue)

    async def send(self, event: ClientEvent) -> None:
        self.sent.append(event)
        if isinstance(event, AudioFrame):
            at_ms = event.t_us // 1000
            if at_ms == self.breaks_at_ms:
                raise ModelError("fake", "the line is dead", transient=True)
            for one in self.script.get(at_ms, ()):
                self._queue.put_nowait(one)
            for _ in range(4):  # whoever reads hears it at this very moment
                await asyncio.sleep(0)

    async def events(self) -> AsyncIterator[ServerEvent]:
        while (event := await self._queue.get()) is not None:
            yield event

    def heard(self) -> bytes:
        return b"".join(event.pcm for event in self.sent if isinstance(event, AudioFrame))


@dataclass
class TalkingSystem:
    """Every session follows the same script."""

    script: Mapping[int, Sequence[ServerEvent]]
    name: str = "scripted:talking"
    breaks_at_ms: int | None = None
    sessions: list[TalkingSession] = field(default_factory=list)
    asked: list[tuple[str, Sequence[ToolSpec]]] = field(default_factory=list)
    warmed: int = 0

    async def warm(self) -> None:
        self.warmed += 1

    @asynccontextmanager
    async def session(
        self, instructions: str, specs: Sequence[ToolSpec]
    ) -> AsyncGenerator[TalkingSession, None]:
        self.asked.append((instructions, specs))
        self.sessions.append(TalkingSession(self.script, breaks_at_ms=self.breaks_at_ms))
        yield self.sessions[-1]


def level_at(clip: Any, ms: int) -> int:
    """The int16 sample at a moment."""
    return int(np.frombuffer(clip.pcm16(), dtype="<i2")[ms * clip.rate_hz // 1000])
