"""Adaptation to spoken Mandarin: a model rewords the question, and what must not change is checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from antiphon.bench.create.draft import Step
from antiphon.bench.create.labelled import Problem, read_back, short
from antiphon.bench.create.writer import wording
from antiphon.text.normalise import comparable
from antiphon.text.script import language_of

if TYPE_CHECKING:
    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.writer import Writer

_NUMBER = re.compile("[零一二三四五六七八九十百千万亿点]+")
_FEW = 2  # a single numeral is often no number: 一下, 第一次, 哪一位
_LONGER = 2.0


@dataclass(frozen=True, slots=True)
class Adapt:
    """Mandarin drafts. Instructions and mixed speech keep their words: those are what is tested."""

    NAME: ClassVar[str] = "adapt"
    PROMPTS: ClassVar[tuple[str, ...]] = ("adapt",)
    writer: Writer

    @staticmethod
    def wants(draft: Draft) -> bool:
        return draft.language == "zh" and draft.shape.ability not in (
            "instruction_following",
            "code_switching",
        )

    async def perform(self, draft: Draft) -> Draft:
        prompt = wording("adapt")
        answer = await self.writer.ask(prompt.fill({"question": draft.question}))
        found = read_back(answer, ("问题",))
        step = Step(self.NAME, self.writer.name, prompt.label, draft.question)
        if isinstance(found, Problem):
            return draft.stepped(step).marked(self.NAME, "review", f"not adapted: {found.reason}")
        if why := changed(draft, found["问题"]):
            reason = f"not adapted, {why}: {short(found['问题'])}"
            return draft.stepped(step).marked(self.NAME, "review", reason)
        return draft.stepped(step, question=found["问题"])


def changed(draft: Draft, reworded: str) -> str | None:
    """What rewording broke: the language, a number, the length, or a given answer; None where nothing."""
    before, after = comparable(draft.question, "zh"), comparable(reworded, "zh")
    answer = comparable(draft.answer, "zh") if draft.answer else ""
    if language_of(reworded) != "zh" or not after:
        return "it is not Mandarin"
    if _numbers(before) != _numbers(after):
        return "its numbers differ"
    if answer and answer in after and answer not in before:
        return "it gives the answer away"
    if len(after) > _LONGER * len(before) + 10:
        return "it is much longer"
    return None


def _numbers(text: str) -> list[str]:
    return sorted(number for number in _NUMBER.findall(text) if len(number) >= _FEW)
