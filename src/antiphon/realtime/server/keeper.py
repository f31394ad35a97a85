"""One session's keeper: writes it down soon after it changed, beside the loop that sends sound."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from antiphon.errors import DataError
from antiphon.realtime.server.kept_sessions import BEAT_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.clock import Clock
    from antiphon.realtime.events import Effect, Input
    from antiphon.realtime.live.playout import Frame
    from antiphon.realtime.server.kept_sessions import KeptSession, KeptSessions

_PAUSE_US = 100_000  # between two times of writing
_SHARE = 20  # a long conversation takes no more of the loop than one part in so many


class Keeper:
    """`state` gives what to write; `there` says whether the client is; `failed` is told once, and no more is kept."""

    def __init__(
        self,
        name: str,
        shelf: KeptSessions,
        clock: Clock,
        state: Callable[[], KeptSession],
        there: Callable[[], bool],
        failed: Callable[[str], None],
    ) -> None:
        self._name, self._shelf, self._clock = name, shelf, clock
        self._state, self._there, self._failed = state, there, failed
        self._changed = asyncio.Event()
        self._written = b""
        self._seen_s = clock.utc().timestamp()

    # ---- the witness

    def heard(self, pcm: bytes, now_us: int) -> None:
        """Sound is not kept."""

    def sent(self, frame: Frame, now_us: int) -> None:
        """What was sent is known by its receipts."""

    def stepped(self, now_us: int, inputs: Sequence[Input], effects: Sequence[Effect]) -> None:
        self.changed()

    def close(self, now_us: int) -> None:
        """`end` says how it ends."""

    def changed(self) -> None:
        """Something is new that belongs to the session."""
        self._changed.set()

    # ---- its work

    async def run(self) -> None:
        """Keep the file as new as the session, until cancelled, or until the disk refuses."""
        try:
            while True:
                try:
                    async with asyncio.timeout(BEAT_S):
                        await self._changed.wait()
                except TimeoutError:
                    pass
                began_us = self._clock.mono_us()
                await self._write()
                took_us = self._clock.mono_us() - began_us
                await self._clock.sleep_us(max(_PAUSE_US, _SHARE * took_us))
        except DataError as error:
            self._shelf.forget(self._name)
            self._failed(f"the session is not kept: {error}")
            await asyncio.Future()  # the session goes on without

    async def end(self, *, comes_back: bool) -> None:
        """The session is over here. `comes_back`: another server may go on with it."""
        if not comes_back:
            self._shelf.forget(self._name)
            return
        try:
            await self._write()
        except DataError:
            self._shelf.forget(self._name)  # what is older is not what was said

    async def _write(self) -> None:
        self._changed.clear()
        if self._there():
            self._seen_s = self._clock.utc().timestamp()
        data = msgspec.json.encode(self._state())
        if data == self._written:
            self._shelf.seen(self._name, self._seen_s)
            return
        writing = asyncio.create_task(asyncio.to_thread(self._shelf.write, self._name, data, self._seen_s))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait([writing])  # a file that is forgotten then is not written after
            raise
        self._written = data
