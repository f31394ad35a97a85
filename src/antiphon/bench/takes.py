"""`Take`: one performance of an item, and the transcripts and measures made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from antiphon.bench.items import Speech


@dataclass(frozen=True, slots=True)
class Timing:
    """Measured microseconds from the request; None where nothing came."""

    first_token_us: int | None
    first_audio_us: int | None
    end_us: int
    stages: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Said:
    """One reply as kept: its words, and its sound by content hash (`clips/HASH.flac`)."""

    text: str
    clip: str | None
    duration_s: float
    finish: str
    timing: Timing
    heard: str | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Take:
    """One performance of one item by one system.

    `in_flight` is how many requests ran at once: times count only for 1.
    `meta`: machine, date (`made_at`) and `reused` (the reply came from an earlier run, times included).
    """

    KIND: ClassVar[str] = "take"
    V: ClassVar[int] = 1
    item: str
    subset: str
    system: str
    query: str | None
    query_s: float
    query_speech: Speech
    replies: tuple[Said, ...]
    in_flight: int = 1
    meta: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Heard:
    """What a recogniser made of one clip (row of `transcripts.jsonl`, keyed by clip)."""

    KIND: ClassVar[str] = "heard"
    V: ClassVar[int] = 1
    clip: str
    by: str
    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What a clip scorer gave for one clip; `values` is empty where `invalid` says why."""

    KIND: ClassVar[str] = "measured"
    V: ClassVar[int] = 1
    clip: str
    by: str
    values: dict[str, float]
    invalid: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge's verdict on one item under one metric, with everything needed to see why.

    `verdict` is None where the answer could not be parsed: that row is invalid, never a guess.
    """

    KIND: ClassVar[str] = "judged"
    V: ClassVar[int] = 1
    item: str
    metric: str
    judge: str
    prompt: str
    verdict: bool | float | None
    answer: str
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run is (`run.json`): everything that decides its numbers, and where it was made."""

    KIND: ClassVar[str] = "run"
    V: ClassVar[int] = 1
    suite: str
    system: str
    system_uri: str
    scoring: str
    seed: int
    items: int
    transcriber: str
    scorers: tuple[str, ...]
    judge: str | None
    synthesizer: str | None
    warnings: tuple[str, ...]
    meta: dict[str, Any] = field(default_factory=dict[str, Any])
