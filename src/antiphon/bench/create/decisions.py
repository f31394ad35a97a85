"""Decisions: what a person says about drafts and voices, kept one a line, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from antiphon.bench.create.draft import Step
from antiphon.jsonl import read_records

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from antiphon.bench.create.draft import Draft

Action = Literal["accept", "edit", "regenerate", "reject", "clean", "full", "never"]
Status = Literal["verified", "accepted", "unverified", "held", "rejected"]

OF_VOICES = ("clean", "full", "never")
PERSON = "a person"


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a draft (`seen` is its `shown` then) or, for the last three actions,
    about the voice that `item` names."""

    KIND: ClassVar[str] = "decision"
    V: ClassVar[int] = 1
    item: str
    action: Action
    at: str
    seen: str = ""
    question: str = ""
    answer: str = ""
    subset: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class _OfOne:
    """All decisions on one draft, the later ones over the earlier."""

    edit: Decision | None = None
    takes: frozenset[str] = frozenset()
    accepted: str = ""
    rejected: bool = False

    def after(self, decision: Decision) -> _OfOne:
        match decision.action:
            case "edit":
                return _OfOne(decision, self.takes)
            case "regenerate":
                # Pressed twice on one recording it asks for one other.
                return _OfOne(self.edit, self.takes | {decision.seen})
            case "accept":
                return replace(self, accepted=decision.seen, rejected=False)
            case _:
                return replace(self, accepted="", rejected=True)


@dataclass(frozen=True, slots=True)
class Decisions:
    """What holds now, by draft and by voice."""

    of_drafts: dict[str, _OfOne] = field(default_factory=dict[str, _OfOne])
    of_voices: dict[str, str] = field(default_factory=dict[str, str])

    def edited(self, draft: Draft) -> Draft:
        """The draft in a person's own words, if there are any: what models did to it no longer counts."""
        edit = self.of_drafts.get(draft.id, _OfOne()).edit
        if edit is None:
            return draft
        language = "zh" if draft.shape.language == "zh" else draft.language
        return replace(
            draft, question=edit.question, answer=edit.answer, subset=edit.subset or draft.subset,
            language=language, options=(), right=None, marks=(),
            steps=(Step("review", PERSON, before=draft.given, note=edit.note),),
        )  # fmt: skip

    def retaken(self, draft: Draft) -> Draft:
        """The draft with the number of recordings that a person has turned down."""
        return replace(draft, take=len(self.of_drafts.get(draft.id, _OfOne()).takes))

    def status(self, draft: Draft) -> Status:
        """Whether a draft is in the dataset (verified, accepted, unverified), waits, or is out.

        An acceptance holds for what was seen: nothing in the draft may have changed since.
        """
        known = self.of_drafts.get(draft.id, _OfOne())
        if known.rejected:
            return "rejected"
        if draft.spoken is None or draft.blocked:
            return "held"
        if not draft.marks:
            return "verified"
        if known.accepted == draft.shown:
            return "accepted"
        return "held" if any(mark.kind == "review" for mark in draft.marks) else "unverified"


def fold(decisions: Iterable[Decision]) -> Decisions:
    """What holds after all of them, in order."""
    found = Decisions()
    for one in decisions:
        if one.action in OF_VOICES:
            found.of_voices[one.item] = one.action
        else:
            found.of_drafts[one.item] = found.of_drafts.get(one.item, _OfOne()).after(one)
    return found


def log_path(folder: Path) -> Path:
    """Where a creation's decisions lie: in a folder of their own, so that reviewing and creating can overlap."""
    return folder / "review" / "decisions.jsonl"


def read_decisions(folder: Path) -> Decisions:
    """The decisions of a creation so far. Raises DataError for a broken file."""
    path = log_path(folder)
    return fold(read_records(path, Decision)) if path.exists() else Decisions()
