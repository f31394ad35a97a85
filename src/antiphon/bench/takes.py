"""`Take`: one performance of an item, and the transcripts and measures made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from antiphon.bench.items import Speech
from antiphon.judge.judge import Opinion
from antiphon.models.ports import TimedWord
from antiphon.score import Status


@dataclass(frozen=True, slots=True)
class Timing:
    """Measured microseconds from the request; None where nothing came."""

    first_token_us: int | None
    first_audio_us: int | None
    end_us: int
    stages: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Said:
    """One reply as kept: its words, and its sound by content hash (`clips/HASH.flac`).

    `timing` is None for outputs that came from elsewhere without times.
    """

    text: str
    clip: str | None
    duration_s: float
    finish: str
    timing: Timing | None
    heard: str | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Called:
    """A tool that the system called while it was performing, seconds after the tracks begin."""

    name: str
    arguments: dict[str, Any]
    at_s: float


@dataclass(frozen=True, slots=True)
class Met:
    """What happened at one point of a scripted session in virtual time, and whether that was right.

    `line` lasted from `start_us` to `end_us` (None: its moment did not come). `did` is respond, resume, uncertain or
    unknown, from the agent's sound alone; `passed` None: unjudgeable, and `reason` says why. `decided` is the turn
    policy's last word on the line. The session's event log is kept as `log`, below the run's folder.
    """

    session: str
    line: str
    did: str
    passed: bool | None
    reason: str
    start_us: int | None
    end_us: int | None
    decided: str
    log: str


@dataclass(frozen=True, slots=True)
class Take:
    """One performance of one item; the run's manifest names the system.

    A performance in real time has `tracks`: each side's sound by content hash, all beginning together
    ("user", "agent", and of a second performance without the disturbance "clean_user", "clean_agent"); and
    the `calls` of tools. A point of a session in virtual time has `met`, and no sound. `in_flight` is how many requests ran at once: times count only for 1.
    `meta`: machine, date (`made_at`) and `reused` (the reply came from an earlier run, times included).
    """

    KIND: ClassVar[str] = "take"
    V: ClassVar[int] = 1
    item: str
    subset: str
    query: str | None
    query_s: float
    replies: tuple[Said, ...]
    query_speech: Speech = "synthetic"
    in_flight: int = 1
    tracks: dict[str, str] = field(default_factory=dict[str, str])
    calls: tuple[Called, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict[str, Any])
    met: Met | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What a recogniser made of one clip (row of `transcripts.jsonl`, keyed by clip). `words` are in time,
    None where the recogniser gives no times."""

    KIND: ClassVar[str] = "heard"
    V: ClassVar[int] = 1
    clip: str
    by: str
    text: str
    language: str | None = None
    words: tuple[TimedWord, ...] | None = None


@dataclass(frozen=True, slots=True)
class Voiced:
    """Where somebody speaks in one clip, in seconds (row of `voiced.jsonl`, keyed by clip).

    `unresampled` is what the detector finds when it takes the clip's samples for 16 kHz, in seconds of that
    mistake: one published script does so. None where the clip has that rate.
    """

    KIND: ClassVar[str] = "voiced"
    V: ClassVar[int] = 1
    clip: str
    by: str
    spans: tuple[tuple[float, float], ...]
    unresampled: tuple[tuple[float, float], ...] | None = None


@dataclass(frozen=True, slots=True)
class Contour:
    """Pitch and intensity of one clip every 10 ms (row of `contours.jsonl`, keyed by clip); frame k is about
    (k + 0.5) * 10 ms. A pitch of 0 Hz: none."""

    KIND: ClassVar[str] = "contour"
    V: ClassVar[int] = 1
    clip: str
    by: str
    pitch_hz: tuple[float, ...]
    intensity_db: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a clip, in seconds, as a clip of its own (row of `parts.jsonl`)."""

    KIND: ClassVar[str] = "part"
    V: ClassVar[int] = 1
    of: str
    start_s: float
    end_s: float
    clip: str


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

    `verdict` is None exactly where `status` is not valid and `problem` says why: an answer that could
    not be parsed is never a guess. `prompt` is the prompt's name@version. `opinions` are those of a
    panel's members; one judge alone has none besides its verdict.
    """

    KIND: ClassVar[str] = "judged"
    V: ClassVar[int] = 1
    item: str
    metric: str
    judge: str
    prompt: str
    verdict: bool | float | None
    answer: str
    status: Status = "valid"
    problem: str | None = None
    opinions: tuple[Opinion, ...] = ()


DEFAULT_SCORERS = ("distillmos:", "dnsmos:")


@dataclass(frozen=True, slots=True)
class Instruments:
    """What measures takes, as URIs. `synthesizer` speaks the questions that have no recording.

    `transcriber` "" listens to nothing: sessions in virtual time have no sound to be scored.
    `panel` names further judges beside `judge`; each is asked `repeat` times.
    """

    transcriber: str = "whisper:base?beam=5"
    scorers: tuple[str, ...] = DEFAULT_SCORERS
    judge: str | None = None
    synthesizer: str = "kokoro:?zh=zm_yunxi&en=am_michael"
    panel: tuple[str, ...] = ()
    repeat: int = 1

    @property
    def judges(self) -> tuple[str, ...]:
        """All judges; none where nothing is judged."""
        return () if self.judge is None else (self.judge, *self.panel)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run is (`run.json`): everything that decides its numbers, and where it was made.

    `source` names the suite's metrics again when the run is scored later: a suite or a folder.
    `instruments` are the URIs as given, `transcriber` to `synthesizer` the full names behind them.
    """

    KIND: ClassVar[str] = "run"
    V: ClassVar[int] = 1
    suite: str
    source: str
    system: str
    system_uri: str
    scoring: str
    seed: int
    items: int
    instruments: Instruments
    transcriber: str
    scorers: tuple[str, ...]
    judge: str | None
    synthesizer: str | None
    warnings: tuple[str, ...]
    meta: dict[str, Any] = field(default_factory=dict[str, Any])
