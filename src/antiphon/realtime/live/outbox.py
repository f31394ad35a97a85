"""What a session has to tell its client, numbered, over one connection after another: each event exactly once."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from antiphon.realtime.live.playout import Frame


@dataclass(frozen=True, slots=True)
class Letter:
    """An event as text. `frame` is the sound that it carries, or tells the place of."""

    number: int
    text: str
    frame: Frame | None = None


@dataclass(frozen=True, slots=True)
class Missed:
    """Sound that a client has not got: `lost_ms` of the answer under way, from `at_ms` of its item on (None: all of
    it arrived), and `late_ms` of answers that are over, which comes now."""

    at_ms: int | None = None
    lost_ms: int = 0
    late_ms: int = 0


class Outbox:
    """`kept_bytes` of what was sent are kept for a client that lost its connection on the way."""

    def __init__(self, kept_bytes: int) -> None:
        self._most = kept_bytes
        self._unsent: deque[Letter] = deque()
        self._sent: deque[Letter] = deque()
        self._sent_bytes = 0
        self._forgotten = 0  # the last number that is kept no more
        self._filled = asyncio.Event()
        self.number = 0
        self.unsent_bytes = 0

    def next(self) -> int:
        """The next event's number."""
        self.number += 1
        return self.number

    def put(self, text: str, frame: Frame | None = None) -> None:
        """Send this soon, under the number that was taken last."""
        self._unsent.append(Letter(self.number, text, frame))
        self.unsent_bytes += len(text)
        self._filled.set()

    async def write(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Send what there is and what comes, until cancelled, or until `send` raises."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._unsent:
                letter = self._unsent[0]
                await send(letter.text)
                self._unsent.popleft()
                self.unsent_bytes -= len(letter.text)
                self._keep(letter)

    def _keep(self, letter: Letter) -> None:
        self._sent.append(letter)
        self._sent_bytes += len(letter.text)
        while self._sent_bytes > self._most:
            old = self._sent.popleft()
            self._sent_bytes -= len(old.text)
            self._forgotten = old.number

    def whole_after(self, number: int) -> bool:
        """Whether everything after this number can still be sent again."""
        return self._forgotten <= number <= self.number

    def last_sent(self) -> int:
        """The number of the event that left last."""
        return self._sent[-1].number if self._sent else self._forgotten

    def rewind(self, after: int, item: str | None, greeting: Sequence[str]) -> Missed:
        """Send everything after this number again, behind the greeting; but no sound of `item`, which will be sent
        from another place."""
        missed = [letter for letter in (*self._sent, *self._unsent) if letter.number > after]
        lost = [
            letter for letter in missed if item is not None and letter.frame and letter.frame.item == item
        ]
        again = [letter for letter in missed if letter not in lost]
        self._sent.clear()
        self._sent_bytes, self._forgotten = 0, after
        self._unsent = deque([*(Letter(after, text) for text in greeting), *again])
        self.unsent_bytes = sum(len(letter.text) for letter in self._unsent)
        self._filled.set()
        frames = _frames(lost)
        return Missed(
            frames[0].at_ms if frames else None,
            sum(frame.ms for frame in frames),
            sum(frame.ms for frame in _frames(again)),
        )


def _frames(letters: Sequence[Letter]) -> list[Frame]:
    """Each frame once, though two letters tell of it."""
    return list({id(letter.frame): letter.frame for letter in letters if letter.frame is not None}.values())
