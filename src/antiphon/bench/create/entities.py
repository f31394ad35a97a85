"""Named entities: a model finds them, a list says what they become (appendix A: a predefined set).

In knowledge the names are what is asked about, so there only the user's own `replace` list applies; names
drawn from a pool go into questions of every other kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from antiphon.bench.create.draft import Step, texts, with_texts
from antiphon.bench.create.labelled import Problem, short
from antiphon.bench.create.names import KINDS, Names, chosen, replaced, says
from antiphon.bench.create.writer import wording

if TYPE_CHECKING:
    from antiphon.bench.create.draft import Draft
    from antiphon.bench.create.writer import Writer

_NONE = frozenset({"无", "无。"})


@dataclass(frozen=True, slots=True)
class Entities:
    """Mandarin drafts whose words are not themselves what is tested."""

    NAME: ClassVar[str] = "entities"
    PROMPTS: ClassVar[tuple[str, ...]] = ("entities",)
    writer: Writer
    names: Names
    seed: int

    @staticmethod
    def wants(draft: Draft) -> bool:
        return draft.language == "zh" and draft.shape.ability not in (
            "instruction_following",
            "code_switching",
        )

    async def perform(self, draft: Draft) -> Draft:
        lines = texts(draft)
        words = "\n".join(lines.values())
        found: list[tuple[str, str]] | Problem = []
        prompt = wording("entities")
        if self.names.pools and draft.shape.ability != "knowledge":
            found = detected(await self.writer.ask(prompt.fill({"text": words})), words)
        step = Step(
            self.NAME, self.writer.name, f"{prompt.label}, names@{self.names.version}", draft.question
        )
        if isinstance(found, Problem):
            return draft.stepped(step).marked(self.NAME, "review", f"names not found out: {found.reason}")
        becomes = chosen(self.names, found, words, draft.id, self.seed)
        if isinstance(becomes, str):
            return draft.stepped(step).marked(self.NAME, "review", becomes)
        if not becomes:
            return draft
        note = ", ".join(f"{name} → {new}" for name, new in becomes.items())
        changes = with_texts(draft, {label: replaced(text, becomes) for label, text in lines.items()})
        return draft.stepped(Step(step.stage, step.by, step.prompt, step.before, note), **changes)


def detected(answer: str, words: str) -> list[tuple[str, str]] | Problem:
    """The names in a model's answer, each verbatim in the text; anything else is a problem."""
    if answer.strip() in _NONE:
        return []
    lines = [line for line in map(str.strip, answer.splitlines()) if line]
    found: list[tuple[str, str]] = []
    for line in lines:
        kind, _, name = line.replace(":", "：", 1).partition("：")
        if kind not in KINDS or not name.strip():
            return Problem(f"a line that nobody asked for: {short(line)}")
        if name.strip() in _NONE:
            continue
        if not says(words, name.strip()):
            return Problem(f"{short(name)} is not in the text")
        found.append((kind, name.strip()))
    return list(dict.fromkeys(found)) if lines else Problem("the model gave no answer")
