"""Scripted chat models, honest fakes whose every name begins "scripted:".

    scripted:path.jsonl   rows say what to answer, when, or how to fail
    scripted:echo         repeats the request's words in a tone of fixed length

Times are the script's (no clock is read), so runs are byte-identical; `pace=1` also sleeps them away.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from antiphon.audio import files
from antiphon.errors import ConfigError, DataError, ModelError
from antiphon.ids import hash_bytes
from antiphon.messages import Speech, ToolCall
from antiphon.models.ports import (
    Done,
    SpeechDelta,
    TextDelta,
    ToolAsk,
    Usage,
)
from antiphon.models.scripted_sound import tone, words_in

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.messages import Kind
    from antiphon.models.ports import Chunk, Request
    from antiphon.models.uri import Uri

_BOTH: frozenset[Kind] = frozenset({"text", "speech"})
RATE_HZ = 24_000


class Tone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Speech of a scripted reply that is no file."""

    tone_s: float
    rate_hz: int = RATE_HZ


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a call fails: `after_text` breaks the stream off after its first words."""

    problem: str
    transient: bool = False
    retry_after_us: int | None = None
    after_text: bool = False


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scripted tool call."""

    name: str
    arguments: dict[str, Any] = {}
    id: str = "call_0"


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of a script. `match` is a part of the last message's words, the start of its clip's digest
    written "clip:…", or "*". `times` uses the row up; None never does. The first row that fits answers."""

    match: str = "*"
    text: str = ""
    audio: str | Tone | None = None
    first_token_us: int = 200_000
    first_audio_us: int = 400_000
    end_us: int = 1_000_000
    finish: str = "stop"
    heard: str | None = None
    completion_tokens: int | None = None
    tool_calls: tuple[Asked, ...] = ()
    error: Failure | None = None
    times: int | None = None


@dataclass(frozen=True, slots=True)
class Manner:
    """How a script is played: words in pieces of `piece_chars` (0: at once), and asleep in between."""

    piece_chars: int = 0
    pace: bool = False


class ScriptedChat:
    """Answers by the first line that fits. Raises ModelError when a line says so, or none fits."""

    accepts = _BOTH
    gives = _BOTH

    def __init__(
        self,
        name: str,
        lines: Sequence[Line],
        clock: Clock,
        manner: Manner = Manner(),
        folder: Path = Path(),
    ) -> None:
        self.name = name if name.startswith("scripted:") else f"scripted:{name}"
        self._lines = tuple(lines)
        self._uses = [line.times for line in lines]
        self._clock = clock
        self._manner = manner
        self._folder = folder
        self._clips: dict[str, Clip] = {}

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        line = self._choose(request)
        now_us = 0
        for chunk in self._chunks(line, request):
            if self._manner.pace:
                await self._clock.sleep_us(chunk.t_us - now_us)
                now_us = chunk.t_us
            yield chunk
            if line.error is not None and isinstance(chunk, TextDelta):
                raise self._failure(line.error)

    def _choose(self, request: Request) -> Line:
        words, clips = _asked(request)
        for index, line in enumerate(self._lines):
            left = self._uses[index]
            if left == 0 or not _fits(line.match, words, clips):
                continue
            if left is not None:
                self._uses[index] = left - 1
            if line.error is not None and not (line.error.after_text and line.text):
                raise self._failure(line.error)
            return line
        raise ModelError(self.name, f'no line of the script fits {words[:40]!r}; add one with "match": "*"')

    def _failure(self, error: Failure) -> ModelError:
        return ModelError(
            self.name, error.problem, transient=error.transient, retry_after_us=error.retry_after_us
        )

    def _chunks(self, line: Line, request: Request) -> list[Chunk]:
        """All chunks in the order of their times."""
        chunks: list[Chunk] = list(self._words(line))
        if "speech" in request.want and (clip := self._clip(line)) is not None:
            chunks.append(SpeechDelta(clip, line.first_audio_us))
        asks = [
            ToolAsk(ToolCall(asked.id, asked.name, asked.arguments), line.end_us) for asked in line.tool_calls
        ]
        usage = Usage(None, line.completion_tokens)
        done = Done("tool_calls" if asks else line.finish, line.end_us, usage, heard=line.heard)
        return [*sorted(chunks, key=lambda chunk: chunk.t_us), *asks, done]

    def _words(self, line: Line) -> list[TextDelta]:
        if not line.text:
            return []
        size = self._manner.piece_chars or len(line.text)
        pieces = [line.text[at : at + size] for at in range(0, len(line.text), size)]
        span_us = line.end_us - line.first_token_us
        return [
            TextDelta(piece, line.first_token_us + span_us * at // len(pieces))
            for at, piece in enumerate(pieces)
        ]

    def _clip(self, line: Line) -> Clip | None:
        if isinstance(line.audio, Tone):
            return tone(line.text, line.audio.tone_s, line.audio.rate_hz)
        if line.audio is None:
            return None
        if line.audio not in self._clips:
            self._clips[line.audio] = files.read(self._folder / line.audio)
        return self._clips[line.audio]


class EchoChat(ScriptedChat):
    """Repeats the words of the last message in a tone of fixed length."""

    def __init__(
        self,
        name: str,
        sound: Tone,
        clock: Clock,
        faults: Sequence[Line] = (),
        manner: Manner = Manner(),
    ) -> None:
        super().__init__(name, [*faults, Line(audio=sound)], clock, manner)

    def _choose(self, request: Request) -> Line:
        line = super()._choose(request)
        words, clips = _asked(request)
        text = words or (f"clip {clips[-1].digest[:8]}" if clips else "nothing")
        return msgspec.structs.replace(line, text=text)


def _asked(request: Request) -> tuple[str, list[Clip]]:
    """Words and clips of the last message. A scripted tone's words count as heard."""
    if not request.messages:
        return "", []
    last = request.messages[-1]
    clips = [part.clip for part in last.parts if isinstance(part, Speech)]
    return last.text or "".join(words_in(clip) or "" for clip in clips), clips


def _fits(match: str, words: str, clips: Sequence[Clip]) -> bool:
    if match.startswith("clip:"):
        return any(clip.digest.startswith(match[5:]) for clip in clips)
    return match == "*" or match in words


def short_hash(text: str) -> str:
    """Twelve digits that tell two scripts apart in a name."""
    return hash_bytes(text.encode())[:12]


def open_chat(uri: Uri, clock: Clock) -> ScriptedChat:
    """`scripted:PATH.jsonl` or `scripted:echo?seconds=3&rate_hz=24000`.

    Options of both: `fail=KIND:N` lets the first N calls fail (KIND: 429 or 500, transient; 400, for good;
    half, a stream that breaks off), `piece_chars`, `pace=1`. Raises ConfigError, DataError.
    """
    faults = _faults(uri)
    manner = Manner(uri.whole("piece_chars", 0), uri.options.get("pace", "0") == "1")
    if uri.path == "echo":
        uri.only("fail", "piece_chars", "pace", "seconds", "rate_hz")
        sound = Tone(_seconds(uri), uri.whole("rate_hz", RATE_HZ))
        return EchoChat(
            f"scripted:echo {sound.tone_s:g} s at {sound.rate_hz} Hz", sound, clock, faults, manner
        )
    uri.only("fail", "piece_chars", "pace")
    path = script_path(uri, "write scripted:PATH.jsonl or scripted:echo")
    lines = read_rows(path, Line)
    name = f"scripted:{path.name}@{short_hash(path.read_text('utf-8'))}"
    return ScriptedChat(name, [*faults, *lines], clock, manner, path.parent)


def script_path(uri: Uri, next_step: str) -> Path:
    """The script that a URI names. Raises ConfigError when there is no such file."""
    path = Path(uri.path).expanduser()
    if not path.is_file():
        raise ConfigError(f"{uri.text}: no script {str(path)!r}; {next_step}")
    return path


def read_rows(path: Path, kind: type[Any]) -> list[Any]:
    """The rows of a script. Unlike a log, it is written by hand: a last line without a newline counts."""
    rows: list[Any] = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(msgspec.json.decode(line, type=kind))
        except msgspec.MsgspecError as error:
            raise DataError(path, str(error), line=number) from None
    if not rows:
        raise DataError(path, "an empty script answers nothing")
    return rows


_FAULTS: Mapping[str, Failure] = {
    "429": Failure("429: too many requests (scripted)", transient=True, retry_after_us=0),
    "500": Failure("500: internal error (scripted)", transient=True),
    "400": Failure("400: bad request (scripted)"),
    "half": Failure("the stream broke off (scripted)", transient=True, after_text=True),
}


def _faults(uri: Uri) -> list[Line]:
    if "fail" not in uri.options:
        return []
    kind, _, count = uri.options["fail"].partition(":")
    if kind not in _FAULTS or not count.isdecimal():
        raise ConfigError(f"{uri.text}: write fail=KIND:COUNT, KIND one of {', '.join(_FAULTS)}")
    return [Line(text="half a rep", error=_FAULTS[kind], times=int(count))]


def _seconds(uri: Uri) -> float:
    try:
        seconds = float(uri.options.get("seconds", "3"))
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise ConfigError(f"{uri.text}: seconds must be a number from 0 to 3600")
    return seconds
