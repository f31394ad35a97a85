"""Instruments over clips: recognition and measuring, batched, each clip once, cached by its content."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.audio.files import decode
from antiphon.bench.folder import clip_name
from antiphon.bench.takes import Heard, Measured, Take
from antiphon.cache import Store, default_folder, key_of
from antiphon.clock import RealClock
from antiphon.jsonl import to_row
from antiphon.models.catalog import open_scorer, open_transcriber
from antiphon.models.ports import Invalid, is_scripted
from antiphon.stage.outcome import Failed, Made
from antiphon.text.script import language_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence
    from pathlib import Path

    from antiphon.audio.clip import Clip
    from antiphon.models.ports import ClipScorer, Transcriber
    from antiphon.stage.outcome import Outcome

VERSION = 1


@dataclass(frozen=True, slots=True)
class Sound:
    """One clip to listen to; `language` is what its words are believed to be in."""

    clip: str
    language: str | None


def sounds_of(takes: Iterable[Take], *, told_language: bool) -> list[Sound]:
    """Every reply's clip, or every track of a performance in real time, once each. With `told_language` the
    recogniser is told the language of the reply's own words; otherwise it decides (the published code tells it
    nothing). Of tracks it always is: the published scripts have a recogniser of one language."""
    found: dict[str, Sound] = {}
    for take in takes:
        for said in take.replies if not take.tracks else ():
            if said.clip is not None:
                language = language_of(said.text) if told_language and said.text else None
                found.setdefault(said.clip, Sound(said.clip, language))
        for clip in take.tracks.values():
            language = str(take.meta.get("language") or "") or None
            found.setdefault(clip, Sound(clip, language))
    return list(found.values())


@asynccontextmanager
async def open_listener(uri: str, folder: Path) -> AsyncGenerator[Listener, None]:
    """A worker that writes down what clips say."""
    yield Listener(open_transcriber(uri, RealClock()), folder, Store(default_folder() / "transcripts"))


@dataclass(frozen=True, slots=True)
class Listener:
    """Recognises clips in groups of one language; a clip that was recognised before is not again."""

    transcriber: Transcriber
    folder: Path
    store: Store

    async def __call__(self, sounds: Sequence[Sound]) -> list[Outcome]:
        rows = {sound.clip: self.store.get_row(self._key(sound)) for sound in sounds}
        missing = [sound for sound in sounds if rows[sound.clip] is None]
        for language in dict.fromkeys(sound.language for sound in missing):
            await self._recognise([sound for sound in missing if sound.language == language], language, rows)
        return [_outcome(rows[sound.clip]) for sound in sounds]

    async def _recognise(
        self, group: list[Sound], language: str | None, rows: dict[str, dict[str, object] | None]
    ) -> None:
        clips = [_read(self.folder, sound.clip) for sound in group]
        found = await self.transcriber.transcribe(clips, language)
        for sound, transcript in zip(group, found, strict=True):
            heard = Heard(
                sound.clip, self.transcriber.name, transcript.text, transcript.language, transcript.words
            )
            rows[sound.clip] = to_row(heard)
            if not is_scripted(self.transcriber.name):
                self.store.put_row(self._key(sound), to_row(heard))

    def _key(self, sound: Sound) -> str:
        return key_of("heard", VERSION, self.transcriber.name, sound.clip, sound.language)


@asynccontextmanager
async def open_gauge(uri: str, folder: Path) -> AsyncGenerator[Gauge, None]:
    """A worker that measures clips with one scorer."""
    yield Gauge(open_scorer(uri, RealClock()), folder, Store(default_folder() / "measures"))


@dataclass(frozen=True, slots=True)
class Gauge:
    """Measures clips; a clip that was measured before is not again."""

    scorer: ClipScorer
    folder: Path
    store: Store

    async def __call__(self, sounds: Sequence[Sound]) -> list[Outcome]:
        rows = {sound.clip: self.store.get_row(self._key(sound)) for sound in sounds}
        missing = [sound for sound in sounds if rows[sound.clip] is None]
        clips = [_read(self.folder, sound.clip) for sound in missing]
        found = await self.scorer.score(clips) if clips else []
        for sound, values in zip(missing, found, strict=True):
            row = to_row(self._measured(sound, values))
            rows[sound.clip] = row
            if not is_scripted(self.scorer.name):
                self.store.put_row(self._key(sound), row)
        return [_outcome(rows[sound.clip]) for sound in sounds]

    def _measured(self, sound: Sound, values: dict[str, float] | Invalid) -> Measured:
        if isinstance(values, Invalid):
            return Measured(sound.clip, self.scorer.name, {}, values.reason)
        return Measured(sound.clip, self.scorer.name, values)

    def _key(self, sound: Sound) -> str:
        return key_of("measured", VERSION, self.scorer.name, sound.clip)


def _read(folder: Path, digest: str) -> Clip:
    path = folder / clip_name(digest)
    return decode(path.read_bytes(), path.name)


def _outcome(row: dict[str, object] | None) -> Outcome:
    return Made(row) if row is not None else Failed("the instrument gave no answer", transient=True)
