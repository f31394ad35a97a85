"""A narrator that also counts for the operator, and says which sound an event carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.realtime.protocols.ga_out import Narrator

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.models.wire.ga.shapes import Event, Session, Unknown
    from antiphon.realtime.live.playout import Frame
    from antiphon.realtime.meter import Meter


class Counting(Narrator):
    """One session's."""

    def __init__(
        self, say: Callable[[Event | Unknown], None], session: Session, meter: Meter, *, duplex: bool
    ) -> None:
        super().__init__(say, session, duplex=duplex)
        self._meter = meter
        self.frame: Frame | None = None  # that is being told

    def sound(self, frame: Frame) -> None:
        self.frame = frame
        super().sound(frame)
        self.frame = None

    def stages(self, item: str, ms: dict[str, int]) -> None:
        self._meter.took(ms)
        super().stages(item, ms)

    def observed(self, kind: str, **fields: Any) -> None:
        if problem := fields.get("problem"):
            self._meter.count("input_problems", "problem", problem)
        super().observed(kind, **fields)

    def trouble(self, what: str) -> None:
        self._meter.count("troubles")
        super().trouble(what)
