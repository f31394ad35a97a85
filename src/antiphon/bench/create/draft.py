"""`Draft`: one item on its way through the pipeline, and why a person should look at it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from antiphon.bench.items import Item, Turn
from antiphon.bench.suites.published import SHAPES
from antiphon.ids import hash_json
from antiphon.jsonl import to_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antiphon.bench.suites.published import Shape

# What a person must do about a mark. `blocked`: there is nothing to speak, only an edit helps. `review`:
# something differs and must be accepted or done again. `unverified`: nobody could tell.
Kind = Literal["blocked", "review", "unverified"]

# Knowledge whose split is still to be tagged (appendix A, last paragraph).
UNTAGGED = "knowledge"

_LABELS = {"question": "问题", "answer": "答案", "option": "选项", "turn": "上文"}


@dataclass(frozen=True, slots=True)
class Mark:
    """One reason to look at a draft, and the stage that found it."""

    stage: str
    kind: Kind
    reason: str


@dataclass(frozen=True, slots=True)
class Step:
    """What a stage did: by which model under which prompt, and the question as it was before."""

    stage: str
    by: str
    prompt: str = ""
    before: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The question in sound, as the recogniser heard it.

    `equal` compares units (verify.py), `identical` characters; `feeling` is the probability of the
    wanted emotion, None where none was wanted or measured.
    """

    clip: str
    duration_s: float
    voice: str
    seed: int
    heard: str
    equal: bool
    identical: bool
    attempts: int
    feeling: float | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The one record of all stages. `given` is the question as it came, `take` counts how often a person
    asked for another recording, `right` is the place of the right option, `voices` the order to try them in."""

    KIND: ClassVar[str] = "draft"
    V: ClassVar[int] = 1
    id: str
    subset: str
    language: str
    question: str
    answer: str = ""
    given: str = ""
    category: str = ""
    source: str = ""
    options: tuple[str, ...] = ()
    right: int | None = None
    emotion: str = ""
    history: tuple[Turn, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    voices: tuple[str, ...] = ()
    take: int = 0
    spoken: Spoken | None = None
    marks: tuple[Mark, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def key(self) -> str:
        """Id and content in one: whatever changes in a draft, its later stages are performed again."""
        return f"{self.id}@{hash_json(to_row(self))[:16]}"

    @property
    def shown(self) -> str:
        """What a person judges: the words, and this recording of them."""
        clip = self.spoken.clip if self.spoken else ""
        return hash_json([self.id, self.subset, self.question, self.answer, clip, self.take])[:16]

    @property
    def shape(self) -> Shape:
        """What the published file of its subset holds."""
        return SHAPES["general_knowledge" if self.subset == UNTAGGED else self.subset]

    @property
    def blocked(self) -> bool:
        """Whether there is nothing that later stages could work on."""
        return any(mark.kind == "blocked" for mark in self.marks)

    def marked(self, stage: str, kind: Kind, reason: str) -> Draft:
        """The draft with one more mark."""
        return replace(self, marks=(*self.marks, Mark(stage, kind, reason)))

    def stepped(self, step: Step, **changes: Any) -> Draft:
        """The draft as a stage changed it."""
        return replace(self, steps=(*self.steps, step), **changes)

    def item(self) -> Item:
        """The draft as an item of the benchmark, for its prompts and metrics."""
        subset = "general_knowledge" if self.subset == UNTAGGED else self.subset
        return Item(
            self.id, subset, self.language, self.question, self.answer or None, category=self.category,
            source=self.source, history=self.history, ability=self.shape.ability, extra=self.extra,
        )  # fmt: skip


def texts(draft: Draft) -> dict[str, str]:
    """All words of a draft under labels, in the order in which they are read."""
    found = {f"{_LABELS['turn']}{number}": turn.text for number, turn in enumerate(draft.history, start=1)}
    found[_LABELS["question"]] = draft.question
    if draft.answer:
        found[_LABELS["answer"]] = draft.answer
    for number, option in enumerate(draft.options, start=1):
        found[f"{_LABELS['option']}{number}"] = option
    return found


def with_texts(draft: Draft, found: Mapping[str, str]) -> dict[str, Any]:
    """The changes that put other words in the places of `texts`."""
    turns = (found[f"{_LABELS['turn']}{number}"] for number in range(1, len(draft.history) + 1))
    options = (found[f"{_LABELS['option']}{number}"] for number in range(1, len(draft.options) + 1))
    return {
        "question": found[_LABELS["question"]],
        "answer": found.get(_LABELS["answer"], ""),
        "options": tuple(options),
        "history": tuple(replace(turn, text=text) for turn, text in zip(draft.history, turns, strict=True)),
    }
