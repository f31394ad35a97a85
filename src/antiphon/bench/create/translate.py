"""Translation into Mandarin: all words of an English draft in one call, read back line by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from antiphon.bench.create.draft import Step, texts, with_texts
from antiphon.bench.create.labelled import Problem, lay_out, read_back, short
from antiphon.bench.create.writer import wording
from antiphon.text.script import is_han

if TYPE_CHECKING:
    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.writer import Writer


@dataclass(frozen=True, slots=True)
class Translate:
    """English drafts of Mandarin subsets; code-switching ones keep their words."""

    NAME: ClassVar[str] = "translate"
    PROMPTS: ClassVar[tuple[str, ...]] = ("translate",)
    writer: Writer

    @staticmethod
    def wants(draft: Draft) -> bool:
        return (
            draft.language == "en"
            and draft.shape.language == "zh"
            and draft.shape.ability != "code_switching"
        )

    async def perform(self, draft: Draft) -> Draft:
        prompt = wording("translate")
        lines = texts(draft)
        answer = await self.writer.ask(prompt.fill({"lines": lay_out(lines)}))
        found = read_back(answer, lines)
        step = Step(self.NAME, self.writer.name, prompt.label, draft.question)
        if isinstance(found, Problem):
            return draft.stepped(step).marked(self.NAME, "blocked", f"not translated: {found.reason}")
        if foreign := next((text for text in found.values() if not _mandarin(text)), None):
            return draft.stepped(step).marked(self.NAME, "blocked", f"still not Mandarin: {short(foreign)}")
        return draft.stepped(step, language="zh", **with_texts(draft, found))


def _mandarin(text: str) -> bool:
    """Whether a translated text may pass: a name or number may stay as it is, a sentence may not."""
    return any(map(is_han, text)) or sum(map(str.isspace, text)) < 2
