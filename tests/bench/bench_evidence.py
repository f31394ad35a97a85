"""Evidence made by hand, for metrics: one item, what was said, and what instruments made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from antiphon.bench.items import Item
from antiphon.bench.suite import Evidence
from antiphon.bench.takes import Heard, Judged, Said, Take, Timing

if TYPE_CHECKING:
    from antiphon.bench.suite import Metric

ITEM = Item("k-0", "general_knowledge", "zh", "中国的首都是哪里？", "北京")
ENGLISH = Item("e-0", "english_knowledge", "en", "What is the capital of China?", "Beijing")
TIMING = Timing(first_token_us=200_000, first_audio_us=400_000, end_us=1_000_000)


def spoken(
    item: Item = ITEM,
    text: str = "是北京。",
    heard: str | None = None,
    *,
    duration_s: float = 2.0,
    timing: Timing | None = TIMING,
    in_flight: int = 1,
    meta: dict[str, Any] | None = None,
    **more: Any,
) -> Evidence:
    """A spoken reply; no `duration_s` means one in words only."""
    clip = "c1" if duration_s else None
    said = Said(text, clip, duration_s, "stop", timing)
    take = Take(item.id, item.subset, "q1", 1.0, (said,), in_flight=in_flight, meta=meta or {})
    transcript = Heard("c1", "ears", heard) if heard is not None else None
    return Evidence(item, take, heard=transcript, **more)


def verdict(metric: str, value: bool | float | None, prompt: str = "knowledge@1", **more: Any) -> Judged:
    """A judge's row."""
    return Judged("k-0", metric, "judge", prompt, value, "so", **more)


def named(metrics: tuple[Metric, ...], name: str) -> Metric:
    """The metric of that name."""
    (found,) = (metric for metric in metrics if metric.info.name == name)
    return found
