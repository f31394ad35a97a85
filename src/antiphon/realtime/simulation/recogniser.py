"""A recogniser in virtual time: real words, asked once for each sound, after a declared time.

One recogniser serves one call after the other, as a live session's does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.audio.clip import Clip
from antiphon.cache import key_of
from antiphon.errors import ConfigError
from antiphon.ids import seed_for
from antiphon.models.ports import is_scripted
from antiphon.realtime.simulation.room import RATE_HZ

if TYPE_CHECKING:
    from antiphon.cache import Store
    from antiphon.models.ports import Transcriber

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Latency:
    """How long one call takes, drawn evenly from `least_ms` to `most_ms` by the seed and the call."""

    least_ms: int = 1000
    most_ms: int = 1000
    seed: int = 0

    def us(self, call: str) -> int:
        span_us = (self.most_ms - self.least_ms) * 1000
        return self.least_ms * 1000 + seed_for(self.seed, "recogniser", call) % (span_us + 1)

    @classmethod
    def of(cls, text: str, seed: int) -> Latency:
        """From "900" or "700-1500", in ms. Raises ConfigError."""
        least, dash, most = text.partition("-")
        try:
            found = cls(int(least), int(most if dash else least), seed)
        except ValueError:
            found = None
        if found is None or not 0 <= found.least_ms <= found.most_ms <= 60_000:
            raise ConfigError(
                f"--recogniser-ms {text!r}: write milliseconds, as 900 or 700-1500, up to 60000"
            )
        return found


@dataclass(frozen=True, slots=True)
class Words:
    """A transcriber, what it is told of the language, and where its answers are kept."""

    transcriber: Transcriber
    language: str | None = None
    store: Store | None = None

    async def of(self, pcm: bytes) -> str:
        """The words in 16 kHz int16 sound. Raises ModelError."""
        clip = Clip.from_pcm16(pcm, RATE_HZ)
        key = key_of("live words", _VERSION, self.transcriber.name, clip.digest, self.language)
        row = self.store.get_row(key) if self.store is not None else None
        if row is not None and isinstance(text := row.get("text"), str):
            return text
        [found] = await self.transcriber.transcribe([clip], self.language)
        text = found.text.strip()
        if self.store is not None and not is_scripted(self.transcriber.name):
            self.store.put_row(key, {"text": text, "language": found.language})
        return text
