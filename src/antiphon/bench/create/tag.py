"""Knowledge splits: a model tags each question as Chinese, foreign or general (appendix A, last paragraph)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from antiphon.bench.create.draft import UNTAGGED, Step
from antiphon.bench.create.labelled import short
from antiphon.bench.create.writer import wording

if TYPE_CHECKING:
    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.writer import Writer

SPLITS = {"中国": "chinese_knowledge", "外国": "foreign_knowledge", "通识": "general_knowledge"}


@dataclass(frozen=True, slots=True)
class Tag:
    """Drafts of the subset `knowledge`."""

    NAME: ClassVar[str] = "tag"
    PROMPTS: ClassVar[tuple[str, ...]] = ("tag",)
    writer: Writer

    @staticmethod
    def wants(draft: Draft) -> bool:
        return draft.subset == UNTAGGED

    async def perform(self, draft: Draft) -> Draft:
        prompt = wording("tag")
        asked = prompt.fill({"question": draft.question, "answer": draft.answer})
        answer = await self.writer.ask(asked, choices=tuple(SPLITS))
        subset = SPLITS.get(answer.strip(" \n。"))
        step = Step(self.NAME, self.writer.name, prompt.label, note=answer if subset else "")
        if subset is None:
            return draft.stepped(step).marked(self.NAME, "blocked", f"no split: {short(answer)}")
        return draft.stepped(step, subset=subset)
