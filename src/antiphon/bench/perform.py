"""Performing items: the system hears the query, its reply is kept with words, sound and times."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antiphon.audio.files import decode, encode
from antiphon.bench.folder import clip_name
from antiphon.bench.origin import clock_for, machine
from antiphon.bench.takes import Said, Take, Timing
from antiphon.cache import Store, default_folder, key_of
from antiphon.errors import DataError
from antiphon.jsonl import from_row, to_row
from antiphon.messages import Message, Speech, says
from antiphon.models.catalog import open_chat
from antiphon.models.ports import Reply, Request, Sampling, collect, is_scripted, warm
from antiphon.stage.outcome import Failed, Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

    from antiphon.bench.items import Item
    from antiphon.bench.queries import Query
    from antiphon.clock import Clock
    from antiphon.models.ports import Chat
    from antiphon.stage.outcome import Outcome

VERSION = 1


@dataclass(frozen=True, slots=True)
class Performance:
    """How items are performed: decides the takes, so it is their fingerprint."""

    system: str
    seed: int
    max_tokens: int | None
    in_flight: int = 1
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One item with the sound of its question."""

    item: Item
    query: Query


@asynccontextmanager
async def open_performer(how: Performance, clips: Path) -> AsyncGenerator[Performer, None]:
    """A worker that performs items with one system; `clips` is the run folder with the queries' sound."""
    clock = clock_for(how.system)
    chat = open_chat(how.system, clock)
    await warm(chat)
    yield Performer(how, clips, chat, clock, Store(default_folder() / "replies"))


@dataclass(frozen=True, slots=True)
class Performer:
    """Asks the system once an item, or takes the reply that it gave to the very same request before."""

    how: Performance
    folder: Path
    chat: Chat
    clock: Clock
    store: Store

    async def __call__(self, calls: Sequence[Call]) -> list[Outcome]:
        return [await self._one(call) for call in calls]

    async def _one(self, call: Call) -> Outcome:
        request = self._request(call)
        key = self._key(call)
        if not self.how.fresh and (reused := self._kept(key, call.item)) is not None:
            return reused
        reply = await collect(self.chat, request)
        if not reply.text.strip() and not (reply.clip and len(reply.clip)):
            return Failed("the reply has neither words nor sound", transient=False)
        made = self._made(call, reply)
        if not is_scripted(self.chat.name):
            self._keep(key, made)
        return made

    def _key(self, call: Call) -> str:
        """What decides a reply: the system, what it hears or reads, and how it draws."""
        return key_of(
            "reply", VERSION, self.chat.name, call.query.clip, [[t.role, t.text] for t in call.item.history],
            self.how.seed, self.how.max_tokens, *([] if self._hears else [call.item.question]),
        )  # fmt: skip

    @property
    def _hears(self) -> bool:
        return "speech" in self.chat.accepts

    def _request(self, call: Call) -> Request:
        """The dialogue so far in words, then the question: in sound, or in words for a system without ears."""
        past = tuple(says(turn.role, turn.text) for turn in call.item.history)
        question = says("user", call.item.question)
        if self._hears:
            path = self.folder / clip_name(call.query.clip)
            question = Message("user", (Speech(decode(path.read_bytes(), path.name)),))
        sampling = Sampling(seed=self.how.seed, max_tokens=self.how.max_tokens)
        return Request((*past, question), sampling=sampling)

    def _made(self, call: Call, reply: Reply) -> Made:
        blobs: dict[str, bytes] = {}
        if reply.clip is not None and len(reply.clip):
            blobs[clip_name(reply.clip.digest)] = encode(reply.clip)
        take = Take(
            item=call.item.id,
            subset=call.item.subset,
            query=call.query.clip,
            query_s=call.query.duration_s,
            query_speech=call.query.speech,
            replies=(said(reply),),
            in_flight=self.how.in_flight,
            meta={
                "made_at": self.clock.utc().isoformat(timespec="seconds"),
                "machine": self._machine(),
                **({} if self._hears else {"asked_in": "words"}),
            },
        )
        return Made(to_row(take), blobs)

    def _machine(self) -> str:
        return "scripted" if is_scripted(self.chat.name) else machine()

    def _kept(self, key: str, item: Item) -> Made | None:
        row = self.store.get_row(key)
        if row is None:
            return None
        try:
            take = from_row(row, Take, path=self.store.path(key))
        except DataError:
            return None  # another version of Antiphon wrote it: ask again
        blobs: dict[str, bytes] = {}
        for one in take.replies:
            if one.clip is not None:
                sound = self.store.get(one.clip)
                if sound is None:
                    return None
                blobs[clip_name(one.clip)] = sound
        again = replace(take, item=item.id, subset=item.subset, meta={**take.meta, "reused": True})
        return Made(to_row(again), blobs)

    def _keep(self, key: str, made: Made) -> None:
        for name, sound in made.blobs.items():
            self.store.put(name.removeprefix("clips/").removesuffix(".flac"), sound)
        self.store.put_row(key, made.row)


def said(reply: Reply) -> Said:
    """A reply as it is kept."""
    clip = reply.clip if reply.clip is not None and len(reply.clip) else None
    return Said(
        text=reply.text,
        clip=clip.digest if clip is not None else None,
        duration_s=clip.duration_s if clip is not None else 0.0,
        finish=reply.finish,
        timing=Timing(reply.first_token_us, reply.first_audio_us, reply.end_us, dict(reply.stages)),
        heard=reply.heard,
        completion_tokens=reply.usage.completion_tokens,
    )
