"""A simulated client's loudspeaker: it plays at the speed of time and says how far it got."""

from __future__ import annotations

from dataclasses import dataclass, field

from antiphon.realtime.events import Played

RECEIPT_US = 200_000  # how often a client says how much it has played


@dataclass(slots=True)
class Loudspeaker:
    """`since_us` None: nothing sounds, or it is paused. Receipts come at planned times only, so that looking
    more often changes nothing."""

    item: str | None = None
    since_us: int | None = None
    _from_ms: int = 0
    _made: dict[str, list[tuple[int, int]]] = field(default_factory=dict[str, "list[tuple[int, int]]"])
    _planned: set[int] = field(default_factory=set[int])
    _told_ms: int = 0

    def owe(self, item: str, at_us: int, ms: int, now_us: int) -> list[int]:
        """From `at_us` on, `ms` more of the item exist. When receipts are due now."""
        self._made.setdefault(item, []).append((at_us, ms))
        return self.times(now_us) if item == self.item and self.since_us is not None else []

    def play(self, item: str, now_us: int) -> None:
        self.item, self.since_us, self._from_ms, self._told_ms = item, now_us, 0, 0

    def resume(self, from_ms: int, now_us: int) -> None:
        self._from_ms, self.since_us = from_ms, now_us

    def pause(self, now_us: int) -> Played:
        """Hold; the receipt says where, and is known a moment later."""
        assert self.item is not None
        self._from_ms, self.since_us = self._place(now_us), None
        self._told_ms = max(self._told_ms, self._from_ms)
        return Played(now_us + 1, self.item, self._from_ms)

    def stop(self) -> None:
        self.item, self.since_us = None, None
        self._planned.clear()

    def _place(self, now_us: int) -> int:
        made = sum(ms for at_us, ms in self._made.get(self.item or "", []) if at_us <= now_us)
        if self.since_us is None:
            return self._from_ms
        return min(made, self._from_ms + (now_us - self.since_us) // 1000)

    def times(self, now_us: int) -> list[int]:
        """When receipts are due from now on: every 200 ms, and at the end of the sound that is owed."""
        owed = self._made.get(self.item or "", [])
        left_us = (sum(ms for _, ms in owed) - self._place(now_us)) * 1000
        end_us = max([now_us + max(0, left_us), *(at_us + ms * 1000 for at_us, ms in owed[-1:])])
        times = [*range(now_us + RECEIPT_US, end_us, RECEIPT_US), end_us]
        self._planned.update(times)
        return times

    def receipt(self, now_us: int) -> list[Played]:
        """How far it has played, if that is due."""
        if self.item is None or self.since_us is None or now_us not in self._planned:
            return []
        self._planned.discard(now_us)
        place = self._place(now_us)
        if place <= self._told_ms:
            return []
        self._told_ms = place
        return [Played(now_us, self.item, place)]
