"""Multiple choice becomes speech: free where the model's free answer matches the key, else with the options.

Appendix A: questions that can be answered without their options lose them, the others say them in the
sentence, "{question}? {A}, {B}, {C} or {D}?".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from antiphon.bench.create.answering import answer_freely, unlisted
from antiphon.bench.create.draft import Step
from antiphon.bench.create.writer import wording
from antiphon.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.writer import Writer
    from antiphon.judge.judge import Judge

FREE = "answered without its options"
# Words that point to a list: without it the question makes no sense, however well a model guesses.
_POINTS = re.compile(r"下列|以下|下面|上述|选项|\b(?:of the following|of these|below)\b", re.IGNORECASE)
_ENDS = " \t\n？?。.：:，,；;"


@dataclass(frozen=True, slots=True)
class Choices:
    """Drafts with options."""

    NAME: ClassVar[str] = "choices"
    PROMPTS: ClassVar[tuple[str, ...]] = ("answer", "answer_en")
    writer: Writer
    judge: Judge | None

    @staticmethod
    def wants(draft: Draft) -> bool:
        return bool(draft.options)

    async def perform(self, draft: Draft) -> Draft:
        free = unlisted(draft)
        sentence = with_options(draft.question, draft.options, draft.language)
        if pointing := _POINTS.search(draft.question):
            note = f"it points to its options: {pointing[0]}"
            return free.stepped(Step(self.NAME, "", before=draft.question, note=note), question=sentence)
        outcome = await answer_freely(free, self.writer, self.judge)
        if outcome.transient:
            raise ModelError("the judge", outcome.why, transient=True)
        prompt = wording("answer_en" if draft.language == "en" else "answer")
        note = f"{FREE}: {outcome.why}" if outcome.right else outcome.why
        step = Step(self.NAME, self.writer.name, prompt.label, draft.question, note)
        if outcome.right:
            return free.stepped(step)
        spoken = free.stepped(step, question=sentence)
        if (
            outcome.right is None
        ):  # said with its options it is right in any case, only perhaps needlessly long
            return spoken.marked(self.NAME, "unverified", f"options kept: {outcome.why}")
        return spoken


def with_options(question: str, options: Sequence[str], language: str) -> str:
    """The question and its options as one sentence that can be spoken."""
    stem = question.rstrip(_ENDS)
    shown = [option.strip(_ENDS) for option in options]
    if language == "en":
        return f"{stem}? {', '.join(shown[:-1])} or {shown[-1]}?"
    return f"{stem}？{'、'.join(shown[:-1])}还是{shown[-1]}？"
