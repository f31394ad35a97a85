"""What sounds: at most one item at a time, playing or paused, and how much of each was heard."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.realtime.absence import CameBack, Left
from antiphon.realtime.engine.playback_log import ItemLog
from antiphon.realtime.events import Pause, Play, Resume, Stop

if TYPE_CHECKING:
    from antiphon.realtime.events import Effect, Sent


@dataclass(slots=True)
class Playback:
    """The reducer of sound."""

    logs: dict[str, ItemLog] = field(default_factory=dict[str, ItemLog])
    playing: str | None = None
    yielding: bool = False  # to somebody who speaks
    away: bool = False  # nobody listens

    @property
    def paused(self) -> bool:
        return self.playing is not None and (self.yielding or self.away)

    def log(self, item: str) -> ItemLog:
        return self.logs.setdefault(item, ItemLog())

    def play(self, item: str) -> list[Effect]:
        self.playing, self.yielding = item, False
        return [Play(item)]

    def pause(self) -> list[Effect]:
        was, self.yielding = self.paused, self.playing is not None
        return self._changed(was=was)

    def resume(self) -> list[Effect]:
        """Go on at the beginning of the word that was cut."""
        was, self.yielding = self.paused, False
        return self._changed(was=was)

    def presence(self, given: Left | CameBack) -> list[Effect]:
        """Hold what sounds while nobody listens; then go on where the listener left, or where what it got ends."""
        if isinstance(given, CameBack) and given.got_ms is not None and given.item in self.logs:
            self.logs[given.item].lost(given.got_ms)
        was, self.away = self.paused, isinstance(given, Left)
        return self._changed(was=was)

    def sent(self, given: Sent) -> None:
        if (log := self.logs.get(given.item)) is not None:
            log.sent(given.ms)

    def _changed(self, *, was: bool) -> list[Effect]:
        if self.playing is None or self.paused == was:
            return []
        log = self.logs[self.playing]
        return (
            [Pause(self.playing)] if self.paused else [Resume(self.playing, *log.resume_point(log.played_ms))]
        )

    def stop(self) -> list[Effect]:
        if self.playing is None:
            return []
        item, self.playing, self.yielding = self.playing, None, False
        log = self.logs[item]
        return [Stop(item, log.played_ms, log.heard_chars)]

    def end(self) -> None:
        """The item was heard to its end."""
        self.playing, self.yielding = None, False
