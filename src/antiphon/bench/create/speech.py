"""Speech: a question is spoken, heard again and compared, until both are equal or the attempts are used up."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from antiphon.audio.files import decode, encode, read
from antiphon.bench.create.draft import Spoken
from antiphon.bench.create.gauges import RESULT_ABOVE, Measure, open_gauges
from antiphon.bench.create.labelled import short
from antiphon.bench.create.verify import compare
from antiphon.bench.folder import clip_name
from antiphon.cache import Store, default_folder, key_of
from antiphon.clock import RealClock
from antiphon.errors import DataError, ModelError
from antiphon.ids import seed_for
from antiphon.jsonl import to_row
from antiphon.models.catalog import open_synthesizer, open_transcriber
from antiphon.models.ports import Voice, is_scripted, speak
from antiphon.stage.outcome import Failed, Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.gauges import Gauges
    from antiphon.models.ports import Synthesizer, Transcriber
    from antiphon.stage.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Studio:
    """What speaking needs, by name; `prompts` maps each prompt voice to its file and the words in it."""

    synthesizer: str
    transcriber: str
    scorers: tuple[str, ...]
    prompts: Mapping[str, tuple[str, str]]
    seed: int


@asynccontextmanager
async def open_speaker(studio: Studio) -> AsyncGenerator[Speaker]:
    """A worker that speaks drafts."""
    clock = RealClock()
    yield Speaker(
        open_synthesizer(studio.synthesizer, clock),
        open_transcriber(studio.transcriber, clock),
        open_gauges(studio.scorers, clock),
        studio.prompts,
        studio.seed,
        Store(default_folder() / "speech"),
    )


@dataclass(frozen=True, slots=True)
class _Try:
    """One attempt: what was heard of it, and how far it is from what is wanted."""

    clip: Clip
    spoken: Spoken
    errors: int
    feeling: Measure

    @property
    def felt(self) -> bool:
        """Whether the wanted emotion is there, or nobody can tell."""
        return self.feeling.value is None or self.feeling.value > RESULT_ABOVE

    @property
    def rank(self) -> tuple[int, bool, float]:
        return (self.errors, not self.felt, -(self.feeling.value or 0.0))


@dataclass(frozen=True, slots=True)
class Speaker:
    """Speaks each draft with its voices in turn; the best attempt is kept when none is equal."""

    NAME: ClassVar[str] = "speech"
    synthesizer: Synthesizer
    transcriber: Transcriber
    gauges: Gauges
    prompts: Mapping[str, tuple[str, str]]
    seed: int
    store: Store

    async def __call__(self, drafts: Sequence[Draft]) -> list[Outcome]:
        return [await self._one(draft) for draft in drafts]

    async def _one(self, draft: Draft) -> Outcome:
        try:
            best = await self._best(draft)
        except (ModelError, DataError) as error:
            return Failed(str(error), isinstance(error, DataError) or error.transient)
        name = clip_name(best.clip.digest)
        return Made(to_row(self._marked(draft, best)), {name: encode(best.clip)})

    async def _best(self, draft: Draft) -> _Try:
        tries: list[_Try] = []
        for number in range(len(draft.voices)):
            tries.append(await self._try(draft, number))
            if tries[-1].spoken.equal and tries[-1].felt:
                break
        best = min(tries, key=lambda tried: tried.rank)
        return replace(best, spoken=replace(best.spoken, attempts=len(tries)))

    async def _try(self, draft: Draft, number: int) -> _Try:
        voice = draft.voices[number]
        seed = seed_for(self.seed, "speech", draft.id, draft.take, number)
        clip = await self._speak(draft, voice, seed)
        (heard,) = await self.transcriber.transcribe([clip], draft.language)
        found = compare(draft.question, heard.text, draft.language)
        feeling = Measure(None)
        if draft.emotion:
            feeling = (await self.gauges.emotions(clip))[draft.emotion]
        spoken = Spoken(
            clip.digest, round(clip.duration_s, 3), voice, seed, heard.text, found.equal, found.identical,
            number + 1, feeling.value,
        )  # fmt: skip
        return _Try(clip, spoken, found.errors, feeling)

    async def _speak(self, draft: Draft, voice: str, seed: int) -> Clip:
        name = self.synthesizer.name
        words = self.prompts.get(voice, ("", ""))[1]
        key = key_of("create-speech", 1, name, draft.question, draft.language, voice, words, seed)
        kept = None if is_scripted(name) else self.store.get(key)
        if kept is not None:
            return decode(kept, draft.id)
        clip = await speak(self.synthesizer, draft.question, self._voice(voice, seed), draft.language)
        data = encode(clip)
        if not is_scripted(name):
            self.store.put(key, data)
        return decode(data, draft.id)  # as it will be read: 16 bits

    def _voice(self, name: str, seed: int) -> Voice:
        if name not in self.prompts:
            return Voice(name, seed=seed)
        file, words = self.prompts[name]
        return Voice(seed=seed, prompt=read(Path(file)), prompt_text=words)

    def _marked(self, draft: Draft, best: _Try) -> Draft:
        spoken = best.spoken
        draft = replace(draft, spoken=spoken)
        if not spoken.equal:
            what = f"heard differently in {best.errors} places after {spoken.attempts} tries"
            draft = draft.marked(self.NAME, "review", f"{what}: {short(spoken.heard)}")
        if draft.emotion and spoken.feeling is None:
            reason = f"P({draft.emotion}) not measured: {best.feeling.why}"
            draft = draft.marked(self.NAME, "unverified", reason)
        elif not best.felt:
            reason = f"P({draft.emotion}) is {spoken.feeling:.2f}, not over {RESULT_ABOVE}"
            draft = draft.marked(self.NAME, "review", reason)
        return draft
