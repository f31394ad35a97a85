"""Scripted recogniser, voice and clip scorer, honest fakes whose every name begins "scripted:"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from antiphon.errors import ModelError
from antiphon.ids import hash_bytes
from antiphon.models.ports import SpeechChunk, TimedWord, Transcript
from antiphon.models.scripted import RATE_HZ, read_rows, script_path, short_hash
from antiphon.models.scripted_sound import tone, words_in

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.models.ports import Invalid, SpeechContext, Voice
    from antiphon.models.uri import Uri

_MS_PER_CHARACTER = 60


class ScriptedTranscriber:
    """Gives the words of scripted tones, else what `texts` says about a clip's digest, else `default`.

    Raises ModelError when there is none of these: a fake that guesses would be a lie.
    """

    def __init__(
        self,
        clock: Clock,
        texts: Mapping[str, Transcript] | None = None,
        default: str | None = None,
        delay_us: int = 0,
        *,
        timed: bool = False,
    ) -> None:
        """`timed`: words come with times, spread evenly over the clip."""
        self._clock = clock
        self._timed = timed
        self._texts = dict(texts or {})
        self._default = default
        self._delay_us = delay_us
        table = sorted((key, value.text) for key, value in self._texts.items())
        self.name = f"scripted:transcriber@{short_hash(repr((table, default)))}{' words=1' if timed else ''}"

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]:
        if self._delay_us:
            await self._clock.sleep_us(self._delay_us)
        return [self._one(clip, language) for clip in clips]

    def _one(self, clip: Clip, language: str | None) -> Transcript:
        if (known := self._texts.get(clip.digest)) is not None:
            return known
        text = words_in(clip)
        text = self._default if text is None else text
        if text is None:
            raise ModelError(
                self.name, f"the script has no words for clip {clip.digest[:12]}; add a row or text=…"
            )
        return Transcript(text, language, _spread(text, clip.duration_s) if self._timed else None)


def _spread(text: str, duration_s: float) -> tuple[TimedWord, ...]:
    words = text.split()
    each_s = duration_s / max(1, len(words))
    return tuple(TimedWord(word, at * each_s, (at + 1) * each_s) for at, word in enumerate(words))


class ScriptedSynthesizer:
    """Speaks each piece of text as a tone of 60 ms a character that carries its words."""

    def __init__(self, clock: Clock, rate_hz: int = RATE_HZ, delay_us: int = 0) -> None:
        self._clock = clock
        self._rate_hz = rate_hz
        self._delay_us = delay_us
        self.name = f"scripted:voice {rate_hz} Hz"

    async def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]:
        async for piece in text:
            if not piece:
                continue
            if self._delay_us:
                await self._clock.sleep_us(self._delay_us)
            duration_s = len(piece) * _MS_PER_CHARACTER / 1000
            yield SpeechChunk(tone(piece, duration_s, self._rate_hz), len(piece), estimated=False)


class ScriptedScorer:
    """A number between 1 and 5 that depends on the clip's samples and means nothing."""

    def __init__(self, names: tuple[str, ...] = ("scripted_mos",)) -> None:
        self.names = names
        self.name = f"scripted:scorer {','.join(names)}"

    async def score(self, clips: Sequence[Clip]) -> list[dict[str, float] | Invalid]:
        return [{name: _number(f"{name}:{clip.digest}") for name in self.names} for clip in clips]


def _number(text: str) -> float:
    return 1 + 4 * int(hash_bytes(text.encode())[:8], 16) / 0xFFFFFFFF


def open_transcriber(uri: Uri, clock: Clock) -> ScriptedTranscriber:
    """`scripted:` hears scripted tones; `scripted:PATH.jsonl` also has rows {"clip": digest, "text": …,
    "language": …}; `text=` is heard in every other clip. Options: `delay_ms`; `words=1` spreads the words evenly over
    the clip. Raises ConfigError, DataError."""
    uri.only("text", "delay_ms", "words")
    texts: dict[str, Transcript] = {}
    if uri.path:
        path = script_path(uri, "write scripted: or scripted:PATH.jsonl")
        texts = {row.clip: Transcript(row.text, row.language) for row in read_rows(path, _Words)}
    delay_us, timed = uri.whole("delay_ms", 0) * 1000, uri.whole("words", 0) != 0
    return ScriptedTranscriber(clock, texts, uri.options.get("text"), delay_us, timed=timed)


def open_synthesizer(uri: Uri, clock: Clock) -> ScriptedSynthesizer:
    """`scripted:?rate_hz=24000&delay_ms=0`. Raises ConfigError."""
    uri.only("rate_hz", "delay_ms")
    return ScriptedSynthesizer(clock, uri.whole("rate_hz", RATE_HZ), uri.whole("delay_ms", 0) * 1000)


def open_scorer(uri: Uri, clock: Clock) -> ScriptedScorer:
    """`scripted:?names=a,b`. Raises ConfigError."""
    names = uri.only("names").options.get("names", "scripted_mos")
    return ScriptedScorer(tuple(names.split(",")))


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a transcriber's script."""

    clip: str
    text: str
    language: str | None = None
