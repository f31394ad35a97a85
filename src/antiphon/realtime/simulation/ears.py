"""What a simulation asks of its ears: how long people take to say a line, and what becomes known of it when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from antiphon.partner.live import Line, Stretch
    from antiphon.realtime.events import Input


class Ears(Protocol):
    """Perfect ears know everything when a line begins; real ones hear it frame by frame."""

    @property
    def by_frames(self) -> bool:
        """Whether `frame` wants to be called for every 20 ms."""
        ...

    @property
    def busy(self) -> bool:
        """Whether words are still to come of what was heard."""
        ...

    def says(self, line: Line, rate: float) -> tuple[Stretch, ...]:
        """The line in time, counted from its beginning."""
        ...

    def hears(self, line: Line, stretches: tuple[Stretch, ...], begin_us: int) -> list[Input]:
        """A line begins: what will become known of it without listening, each at its time."""
        ...

    def frame(self, now_us: int, *, holds: bool) -> list[Input]:
        """The 20 ms until now: what is known by them. `holds`: the agent has the floor, paused or not."""
        ...

    def lines_of(self, utterance: str) -> tuple[str, ...]:
        """The lines that sounded in an utterance; none for noise."""
        ...
