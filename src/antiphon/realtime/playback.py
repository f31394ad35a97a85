"""What sounds: at most one item at a time, playing or paused, and how much of each was heard."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.realtime.events import Pause, Play, Resume, Stop
from antiphon.realtime.playback_log import ItemLog

if TYPE_CHECKING:
    from antiphon.realtime.events import Effect


@dataclass(slots=True)
class Playback:
    """The reducer of sound."""

    logs: dict[str, ItemLog] = field(default_factory=dict[str, ItemLog])
    playing: str | None = None
    paused: bool = False

    def log(self, item: str) -> ItemLog:
        return self.logs.setdefault(item, ItemLog())

    def play(self, item: str) -> list[Effect]:
        self.playing, self.paused = item, False
        return [Play(item)]

    def pause(self) -> list[Effect]:
        if self.playing is None or self.paused:
            return []
        self.paused = True
        return [Pause(self.playing)]

    def resume(self) -> list[Effect]:
        """Go on at the beginning of the word that was cut."""
        if self.playing is None or not self.paused:
            return []
        self.paused = False
        log = self.logs[self.playing]
        return [Resume(self.playing, *log.resume_point(log.played_ms))]

    def stop(self) -> list[Effect]:
        if self.playing is None:
            return []
        item, self.playing, self.paused = self.playing, None, False
        log = self.logs[item]
        return [Stop(item, log.played_ms, log.heard_chars)]

    def end(self) -> None:
        """The item was heard to its end."""
        self.playing, self.paused = None, False
