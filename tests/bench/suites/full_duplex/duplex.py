"""Takes with two tracks, and folders in the published layouts, written for the tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.bench.items import Item
from antiphon.bench.suite import Evidence
from antiphon.bench.takes import Called, Judged, Said, Take
from antiphon.bench.tracks import Track
from antiphon.models.ports import TimedWord

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Spans = tuple[tuple[float, float], ...]


def words(text: str, start_s: float = 0.0, each_s: float = 0.25) -> tuple[TimedWord, ...]:
    """Words without gaps between them."""
    return tuple(
        TimedWord(word, start_s + at * each_s, start_s + (at + 1) * each_s)
        for at, word in enumerate(text.split())
    )


def track(
    heard: Sequence[TimedWord] | None, spans: Spans | None = None, unresampled: Spans | None = None
) -> Track:
    """One side. Where no spans are given, they are the words' own."""
    if heard is None:
        return Track("unknown", None, spans or (), spans, "no times")
    found = spans if spans is not None else tuple((word.start_s, word.end_s) for word in heard)
    return Track(
        " ".join(word.text for word in heard),
        tuple(heard),
        found,
        found if unresampled is None else unresampled,
    )


def evidence(
    subset: str,
    extra: dict[str, Any],
    *,
    query_s: float = 10.0,
    calls: tuple[Called, ...] = (),
    judged: dict[str, float] | None = None,
    in_flight: int = 1,
    answer: str | None = None,
    **tracks: Track,
) -> Evidence:
    """One performed item with these tracks, and what a judge said by metric."""
    item = Item(f"{subset}/1", subset, "en", "question", answer, extra=extra)
    take = Take(
        item.id, subset, "q", query_s, (Said("", "a", query_s, "stop", None),), in_flight=in_flight,
        tracks=dict.fromkeys(tracks, "c"), calls=calls,
    )  # fmt: skip
    said = {
        name: Judged(item.id, name, "judge", "prompt@1", value, "because")
        for name, value in (judged or {}).items()
    }
    return Evidence(item, take, judged=said, tracks=tracks)


def sound(path: Path, duration_s: float = 0.5, rate_hz: int = 16_000) -> Clip:
    """A file of quiet noise."""
    clip = Clip(
        np.random.default_rng(1).normal(0, 0.01, round(duration_s * rate_hz)).astype(np.float32), rate_hz
    )
    write(path, clip)
    return clip


def folder(place: Path, notes: dict[str, Any], *sounds: str) -> Path:
    """One sample: files of notes by name, and sounds."""
    place.mkdir(parents=True, exist_ok=True)
    for name, value in notes.items():
        (place / name).write_text(json.dumps(value), encoding="utf-8")
    for name in sounds:
        sound(place / name)
    return place


OVERLAP = {
    "context_text": "What are good places to visit?",
    "current_turn_text": "Could you also suggest some restaurants?",
    "timestamps": [4.0, 6.0],
}
