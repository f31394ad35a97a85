"""Both sides of a performance in real time, as the report of a run shows them at each item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from antiphon.report.lanes import Lane, lanes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from markupsafe import Markup

    from antiphon.bench.items import Item
    from antiphon.bench.takes import Take, Voiced

_SIDES: tuple[tuple[str, Literal["person", "agent"], str], ...] = (
    ("clean_user", "person", "person*"),
    ("clean_agent", "agent", "agent*"),
    ("user", "person", "person"),
    ("agent", "agent", "agent"),
)


def item_lanes(item: Item, take: Take | None, voiced: Mapping[str, Voiced]) -> Markup | None:
    """Who speaks when; * marks the performance without the disturbance. None where there are no voices."""
    if take is None or not take.tracks:
        return None
    known = [
        Lane(side, label, voiced[take.tracks[name]].spans)
        for name, side, label in _SIDES
        if take.tracks.get(name) in voiced
    ]
    if not known:
        return None
    ends = [end for lane in known for _, end in lane.spans]
    return lanes(known, max([take.query_s, *ends]), _moment(item.extra))


def _moment(extra: Mapping[str, Any]) -> tuple[float, float] | None:
    """What an item is about, where it says so."""
    if pauses := extra.get("pauses"):
        return (float(pauses[0][0]), float(pauses[0][1]))
    if (at := extra.get("turn_end")) is not None:
        return (float(at), float(at))
    for name in ("overlap", "interruption"):
        if (span := extra.get(name)) is not None:
            return (float(span[0]), float(span[1]))
    return None
