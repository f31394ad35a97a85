"""A free answer, compared with the key: by keyword first, then by the judge, as the benchmark does it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antiphon.bench.create.labelled import short
from antiphon.bench.create.writer import wording
from antiphon.bench.metrics.answers import has_keyword
from antiphon.bench.metrics.judged import fields_of
from antiphon.bench.metrics.keyword import strict_forms, strict_keyword
from antiphon.bench.suites.vocalbench_zh.rubrics import prompts_for
from antiphon.judge.judge import Ask, verdicts

if TYPE_CHECKING:
    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.writer import Writer
    from antiphon.judge.judge import Judge
    from antiphon.judge.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the model's answer matches the key; None where nobody can say, with the reason.

    `transient`: the judge's call failed and may succeed later.
    """

    right: bool | None
    answer: str
    why: str
    transient: bool = False


def key_prompt(draft: Draft) -> Prompt | None:
    """The yes/no prompt that compares a reply with the draft's answer; None where it has no key."""
    prompts = prompts_for(draft.item()) if draft.answer else ()
    return prompts[0] if prompts and prompts[0].choices and prompts[0].with_reference else None


async def answer_freely(draft: Draft, writer: Writer, judge: Judge | None) -> Outcome:
    """Have the question answered and compare. Raises ModelError, ValueError for a draft without a key."""
    prompt = key_prompt(draft)
    if prompt is None:
        raise ValueError(f"{draft.id} has no key to compare with")
    asked = wording("answer_en" if draft.language == "en" else "answer").fill({"question": draft.question})
    answer = await writer.ask(asked, history=draft.history)
    if not answer:
        return Outcome(None, answer, "the model gave no answer")
    item = draft.item()
    language = "en" if draft.language == "en" else "zh"
    if has_keyword(item) and strict_keyword(strict_forms(item), answer, item.question, language)[0]:
        return Outcome(True, answer, "it says the answer")
    if judge is None:
        return Outcome(None, answer, f"no judge was given, and {short(answer)} does not say it word for word")
    (verdict,) = await verdicts(judge, [Ask(prompt, fields_of(item, answer))])
    if verdict.value is None:
        why = f"the judge gave no verdict on {short(answer)}: {verdict.problem}"
        return Outcome(None, answer, why, verdict.transient)
    right = bool(verdict.value)
    return Outcome(right, answer, f"the judge says {'right' if right else 'wrong'} of {short(answer)}")


def unlisted(draft: Draft) -> Draft:
    """A multiple-choice draft as a free question, its right option as the answer."""
    if draft.right is None:
        raise ValueError(f"{draft.id} has no right option")
    return replace(draft, answer=draft.options[draft.right], options=(), right=None)
