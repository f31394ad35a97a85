"""The text stages as resumable maps: each draft is performed by a model, or passes by."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from antiphon.bench.create.adapt import Adapt
from antiphon.bench.create.check import Check
from antiphon.bench.create.choices import Choices
from antiphon.bench.create.draft import Draft
from antiphon.bench.create.entities import Entities
from antiphon.bench.create.tag import Tag
from antiphon.bench.create.translate import Translate
from antiphon.bench.create.writer import open_writer, wording
from antiphon.bench.suites.vocalbench_zh.rubrics import CHOICES, prompt_file
from antiphon.cache import Store, default_folder
from antiphon.clock import RealClock
from antiphon.errors import ModelError
from antiphon.jsonl import to_row
from antiphon.judge.uri import open_judge
from antiphon.stage.outcome import Failed, Made
from antiphon.stage.seal import read_sealed
from antiphon.text.normalise import NORMALISER

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
    from pathlib import Path

    from antiphon.bench.create.names import Names
    from antiphon.bench.create.plan import Plan
    from antiphon.bench.create.writer import Writer
    from antiphon.judge.judge import Judge
    from antiphon.stage.outcome import OpenWorker, Outcome

VERSION = 1


class Stage(Protocol):
    """One stage's work on one draft. Raises ModelError."""

    async def perform(self, draft: Draft) -> Draft: ...


@dataclass(frozen=True, slots=True)
class Performer:
    """A stage as a worker: a model's failure is the draft's, and resuming repeats it where that may help."""

    stage: Stage

    async def __call__(self, drafts: Sequence[Draft]) -> list[Outcome]:
        return [await self._one(draft) for draft in drafts]

    async def _one(self, draft: Draft) -> Outcome:
        try:
            return Made(to_row(await self.stage.perform(draft)))
        except ModelError as error:
            return Failed(str(error), error.transient)


@dataclass(frozen=True, slots=True)
class TextStage:
    """How a stage is opened (in any process), whom it wants, and what its rows depend on."""

    NAME_FIRST: ClassVar[tuple[str, ...]] = ("translate", "entities", "adapt", "choices")
    name: str
    wants: Callable[[Draft], bool]
    open_worker: OpenWorker[Draft]
    fingerprint: Mapping[str, object]


def text_stages(plan: Plan, names: Names) -> list[TextStage]:
    """All of them in order. Raises ConfigError for a model that is none."""
    clock = RealClock()
    chat = open_writer(plan.chat, clock).name
    judge = open_judge(plan.judge, clock).name if plan.judge else None
    judging = {"judge": judge, "normaliser": NORMALISER, "verdicts": verdict_prompts()}
    makers: list[tuple[Any, Callable[..., Stage], Mapping[str, object]]] = [
        (Translate, _translate, {}),
        (Entities, partial(_entities, names, plan.seed), {"names": names.version, "seed": plan.seed}),
        (Adapt, _adapt, {}),
        (Choices, Choices, judging),
        (Tag, _tag, {}),
        (Check, Check, judging),
    ]
    return [
        TextStage(
            kind.NAME,
            kind.wants,
            partial(_open, make, plan.chat, plan.judge),
            {
                "stage": kind.NAME,
                "version": VERSION,
                "chat": chat,
                "prompts": [wording(name).label for name in kind.PROMPTS],
                **more,
            },
        )
        for kind, make, more in makers
        if kind.NAME not in plan.skip
    ]


def verdict_prompts() -> list[str]:
    """The prompts under which a judge compares an answer with a key, by name and version."""
    return [
        prompt_file(name).label
        for name, words in CHOICES.items()
        if words and prompt_file(name).with_reference
    ]


def _translate(writer: Writer, _: Judge | None) -> Stage:
    return Translate(writer)


def _entities(names: Names, seed: int, writer: Writer, _: Judge | None) -> Stage:
    return Entities(writer, names, seed)


def _adapt(writer: Writer, _: Judge | None) -> Stage:
    return Adapt(writer)


def _tag(writer: Writer, _: Judge | None) -> Stage:
    return Tag(writer)


@asynccontextmanager
async def _open(
    make: Callable[[Writer, Judge | None], Stage], chat: str, judge: str | None
) -> AsyncGenerator[Performer]:
    clock = RealClock()
    judging = open_judge(judge, clock, Store(default_folder() / "verdicts")) if judge else None
    yield Performer(make(open_writer(chat, clock), judging))


def merged(drafts: Sequence[Draft], out: Path, stage: str) -> list[Draft]:
    """The drafts with those of a sealed stage in their places; a failed one is blocked, with the reason."""
    records, failures = read_sealed(out, Draft)
    made = {record.id: record for record in records}
    failed = {failure.key.rsplit("@", 1)[0]: failure for failure in failures}
    return [
        replace(draft).marked(stage, "blocked", f"{stage} failed: {failed[draft.id].reason}")
        if draft.id in failed
        else made.get(draft.id, draft)
        for draft in drafts
    ]
