"""What of the agent's speech was made, sent and played, and which frames are due now; no clock, no socket.

Sound leaves at most a fifth of a second ahead of the ear, so that a pause is heard soon, even by clients that
know of no pause. Without receipts the client is taken to play what it has, at once and without gaps.
"""

from __future__ import annotations

from dataclasses import dataclass, field

RATE_HZ = 24_000
FRAME_MS = 20
FRAME_BYTES = 2 * RATE_HZ * FRAME_MS // 1000
LEAD_US = 200_000
_BYTES_PER_MS = 2 * RATE_HZ // 1000


@dataclass(frozen=True, slots=True)
class Frame:
    """Sound that leaves now: `at_ms` after the item's beginning; the client should play it at `plays_us`."""

    item: str
    at_ms: int
    pcm: bytes
    plays_us: int

    @property
    def ms(self) -> int:
        return len(self.pcm) // _BYTES_PER_MS


@dataclass
class _Item:
    """An item's sound, how far it was sent, and which stretches of it the client got, in the client's order."""

    made: bytearray = field(default_factory=bytearray)
    cursor: int = 0  # bytes of `made` that were sent since the last jump
    got_ms: int = 0
    stretches: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])  # client ms → item ms

    def jump(self, ms: int) -> None:
        # At the beginning of a frame: the last one would else be left over, and the item never be played out.
        self.cursor = min(ms * _BYTES_PER_MS, len(self.made)) // FRAME_BYTES * FRAME_BYTES
        self.stretches.append((self.got_ms, self.cursor // _BYTES_PER_MS))

    def place_of(self, client_ms: int) -> int:
        """Where in the item the client is once it has played `client_ms` of what it got."""
        start, at = next((pair for pair in reversed(self.stretches) if pair[0] <= client_ms), (0, 0))
        return at + max(0, min(client_ms, self.got_ms) - start)


class Playout:
    """The sound of one session's items. Times are microseconds of the session."""

    def __init__(self, lead_us: int = LEAD_US) -> None:
        self._lead_us = lead_us
        self._items: dict[str, _Item] = {}
        self._playing: str | None = None
        self._empty_us = 0  # when the client will have played all that it got

    @property
    def playing(self) -> str | None:
        """The item whose sound leaves now."""
        return self._playing

    def add(self, item: str, pcm: bytes) -> None:
        """More sound was made at the item's end."""
        self._item(item).made += pcm

    def fill(self, item: str) -> None:
        """Silence up to the end of the item's last frame, for frames leave whole only."""
        made = self._item(item).made
        made += bytes(-len(made) % FRAME_BYTES)

    def _item(self, item: str) -> _Item:
        return self._items.setdefault(item, _Item())

    def made_ms(self, item: str) -> int:
        return len(self._item(item).made) // _BYTES_PER_MS

    def ahead_ms(self, item: str) -> int:
        """How much sound of this item waits to be sent."""
        kept = self._item(item)
        return (len(kept.made) - kept.cursor) // _BYTES_PER_MS

    def got_ms(self, item: str) -> int:
        """How much sound of this item the client got, repetitions after a pause included."""
        return self._item(item).got_ms

    def play(self, item: str) -> None:
        """Send this item from where it stands; another one stops being sent."""
        self._playing = item
        if not self._item(item).stretches:
            self._item(item).jump(0)

    def pause(self, item: str) -> None:
        """Send no more of it for now."""
        if self._playing == item:
            self._playing = None

    def resume(self, item: str, from_ms: int) -> None:
        """Go on from `from_ms` of the item."""
        self._playing = item
        self._item(item).jump(from_ms)

    def drop(self, item: str) -> None:
        """Nothing of it is sent any more; what the client got is still known, for late receipts."""
        self.pause(item)
        kept = self._item(item)
        del kept.made[kept.cursor :]

    def forget(self, item: str) -> None:
        """Free the sound of an item that is over."""
        self._item(item).made = bytearray()

    def lost(self, item: str, ms: int) -> None:
        """The last `ms` that were sent of this item never arrived."""
        kept = self._item(item)
        kept.got_ms = max(0, kept.got_ms - ms)
        kept.stretches = [pair for pair in kept.stretches if pair[0] <= kept.got_ms]

    def restart(self, now_us: int, late_ms: int) -> None:
        """The client is empty but for so much sound of other items that it gets at once."""
        self._empty_us = now_us + late_ms * 1000

    def halted(self, now_us: int) -> None:
        """The client has thrown away what it had not played."""
        self._empty_us = min(self._empty_us, now_us)

    def take(self, now_us: int) -> list[Frame]:
        """The frames that leave now."""
        frames: list[Frame] = []
        while self._playing is not None and self._empty_us - now_us < self._lead_us:
            plays_us = max(self._empty_us, now_us)
            frame = self._next(self._playing, plays_us)
            if frame is None:
                break
            self._empty_us = plays_us + frame.ms * 1000
            frames.append(frame)
        return frames

    def _next(self, name: str, plays_us: int) -> Frame | None:
        item = self._items[name]
        if len(item.made) - item.cursor < FRAME_BYTES:
            return None
        pcm = bytes(item.made[item.cursor : item.cursor + FRAME_BYTES])
        frame = Frame(name, item.cursor // _BYTES_PER_MS, pcm, plays_us)
        item.cursor += len(pcm)
        item.got_ms += frame.ms
        return frame

    def next_us(self, now_us: int) -> int | None:
        """When to call `take` again; None: only after more sound, or another wish."""
        name = self._playing
        if name is None:
            return None
        item = self._items[name]
        if len(item.made) - item.cursor < FRAME_BYTES:
            return None
        return max(now_us, self._empty_us - self._lead_us + 1)

    def starved(self, now_us: int, for_us: int) -> bool:
        """Whether the client should have had nothing to play for so long, although an item plays."""
        return self._playing is not None and now_us - self._empty_us > for_us

    def sent_ms(self, item: str) -> int:
        """How far into the item the sending has come."""
        return self._item(item).cursor // _BYTES_PER_MS

    def played_ms(self, item: str, now_us: int) -> int:
        """How far into the item the ear has come, by the pacing; receipts know better."""
        kept = self._item(item)
        waiting_ms = max(0, self._empty_us - now_us) // 1000
        return kept.place_of(max(0, kept.got_ms - waiting_ms))

    def silent_us(self, now_us: int) -> int | None:
        """When the client will have played all that it got; None where it has."""
        return self._empty_us if self._empty_us > now_us else None

    def place_of(self, item: str, client_ms: int) -> int | None:
        """A client's count of what it played of an item, as a place in the item; None for more than it got,
        or an item that nobody sent."""
        kept = self._items.get(item)
        if kept is None or client_ms > kept.got_ms:
            return None
        return kept.place_of(client_ms)
