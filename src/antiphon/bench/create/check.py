"""The answer check: a model answers the question as it now stands, and its answer must match the key.

Section 3.1: before synthesis the model is asked to respond, so a question whose meaning changed on the way is
noticed. What has no key and was reworded by a model nobody can check: a person must read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from antiphon.bench.create.answering import answer_freely, key_prompt
from antiphon.bench.create.choices import FREE
from antiphon.bench.create.draft import Step
from antiphon.bench.create.writer import wording
from antiphon.errors import ModelError

if TYPE_CHECKING:
    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.writer import Writer
    from antiphon.judge.judge import Judge

REWORDING = ("translate", "entities", "adapt")


@dataclass(frozen=True, slots=True)
class Check:
    """Drafts with a key, unless their free answer was just compared with it; and reworded ones without."""

    NAME: ClassVar[str] = "check"
    PROMPTS: ClassVar[tuple[str, ...]] = ("answer", "answer_en")
    writer: Writer
    judge: Judge | None

    @staticmethod
    def wants(draft: Draft) -> bool:
        if key_prompt(draft) is None:
            return _reworded(draft)
        return not any(step.stage == "choices" and step.note.startswith(FREE) for step in draft.steps)

    async def perform(self, draft: Draft) -> Draft:
        if key_prompt(draft) is None:
            reason = "reworded by a model, and no key to check it by: a person must read it"
            return draft.marked(self.NAME, "unverified", reason)
        outcome = await answer_freely(draft, self.writer, self.judge)
        if outcome.transient:
            raise ModelError("the judge", outcome.why, transient=True)
        prompt = wording("answer_en" if draft.language == "en" else "answer")
        checked = draft.stepped(Step(self.NAME, self.writer.name, prompt.label, note=outcome.why))
        if outcome.right is None:
            return checked.marked(self.NAME, "unverified", outcome.why)
        return (
            checked if outcome.right else checked.marked(self.NAME, "review", f"answer check: {outcome.why}")
        )


def _reworded(draft: Draft) -> bool:
    return any(step.stage in REWORDING and step.before != draft.question for step in draft.steps)
