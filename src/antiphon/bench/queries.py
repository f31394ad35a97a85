"""Queries in sound: read from the suite's folder, or spoken once by a synthesizer and cached."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from antiphon.audio.files import decode, encode, read
from antiphon.audio.perturb import apply, to_text
from antiphon.bench.conditions import condition_of, recipe_for
from antiphon.bench.folder import clip_name
from antiphon.bench.items import Item, Speech
from antiphon.cache import Store, default_folder, key_of
from antiphon.clock import RealClock
from antiphon.errors import ConfigError, DataError, ModelError
from antiphon.jsonl import to_row
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import Voice, is_scripted, speak
from antiphon.stage.outcome import Failed, Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.audio.background import Corpus
    from antiphon.audio.clip import Clip
    from antiphon.audio.perturb import Recipe
    from antiphon.models.ports import Synthesizer
    from antiphon.stage.outcome import Outcome

VERSION = 1


@dataclass(frozen=True, slots=True)
class Query:
    """The sound of one item's question, as kept (row of `queries.jsonl`).

    `disturbed` is the recipe that was applied here, as text; None: the sound is as it was read or spoken.
    """

    KIND: ClassVar[str] = "query"
    V: ClassVar[int] = 1
    item: str
    clip: str
    duration_s: float
    speech: Speech = "synthetic"
    by: str | None = None
    disturbed: str | None = None
    meta: dict[str, Any] = field(default_factory=dict[str, Any])


@asynccontextmanager
async def open_querist(
    synthesizer: str | None, seed: int, corpus: Corpus | None = None
) -> AsyncGenerator[Querist, None]:
    """A worker that gives items their sound. `synthesizer` None: every item must have its file.

    `corpus` is the background noise; None: synthetic babble.
    """
    voice = open_synthesizer(synthesizer, RealClock()) if synthesizer else None
    yield Querist(voice, seed, Store(default_folder() / "speech"), corpus)


@dataclass(frozen=True, slots=True)
class Querist:
    """Reads or speaks a question, then disturbs it as the item says."""

    synthesizer: Synthesizer | None
    seed: int
    store: Store
    corpus: Corpus | None = None

    async def __call__(self, items: Sequence[Item]) -> list[Outcome]:
        return [await self._one(item) for item in items]

    async def _one(self, item: Item) -> Outcome:
        try:
            return await self._made(item)
        except (DataError, ModelError) as error:
            # No run goes on without its questions, so each is tried again when the user has mended it.
            return Failed(str(error), transient=True)

    async def _made(self, item: Item) -> Made:
        data, clip, by = await self._clean(item)
        recipe = condition(item, self.corpus)
        if recipe is not None:
            clip = self._disturbed(decode(data, item.id), item, recipe)
            data = encode(clip)
        said = None if recipe is None else to_text(recipe)
        query = Query(item.id, clip.digest, clip.duration_s, item.speech, by, said)
        return Made(to_row(query), {clip_name(clip.digest): data})

    def _disturbed(self, clip: Clip, item: Item, recipe: Recipe) -> Clip:
        try:
            return apply(recipe, clip, self.seed, self.corpus)
        except ValueError as error:
            raise DataError(item.id, f"{to_text(recipe)}: {error}", field="Level") from None

    async def _clean(self, item: Item) -> tuple[bytes, Clip, str | None]:
        """The question's undisturbed sound as a lossless file, the same as a clip, and who spoke it."""
        if item.audio is not None:
            clip = read(Path(item.audio))
            return encode(clip), clip, None
        voice = self.synthesizer
        if voice is None:
            raise ConfigError(f"{item.id} has no recorded query; add --speak-missing to have it spoken")
        key = key_of("speech", VERSION, voice.name, item.question, item.language, self.seed)
        kept = None if is_scripted(voice.name) else self.store.get(key)
        if kept is not None:
            return kept, decode(kept, item.id), voice.name
        clip = await speak(voice, item.question, Voice(seed=self.seed), item.language)
        data = encode(clip)
        if not is_scripted(voice.name):
            self.store.put(key, data)
        return data, clip, voice.name


def condition(item: Item, corpus: Corpus | None = None) -> Recipe | None:
    """What is still to be done to an item's sound: nothing to a recording, which is disturbed already.

    Raises ConfigError for a condition that is none.
    """
    under = condition_of(item)
    if under is None or item.audio is not None:
        return None
    try:
        return recipe_for(*under, corpus.name if corpus else "babble")
    except ConfigError as error:
        raise ConfigError(f"{item.id}: {error}") from None
