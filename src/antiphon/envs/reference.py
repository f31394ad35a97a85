"""`reference:`: a scripted agent that plays a task's reference chain, or (`?flaw=`) plays it badly on purpose.

    reference:                                the chain, read-backs and words that the task's assertions ask for
    reference:?flaw=extra_write               the same with one defect, to see that it is caught
    cascade:?chat=reference:                  the same behind a real recogniser and voice

It asks for the facts that its calls need and that it has not heard, and gives up when it does not hear them in three
turns: so by voice it depends on its recogniser.
It knows the answers: nothing that it scores says anything about a model, and its name begins "scripted:".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antiphon.envs.plan import FLAWS, Do, facts_needed, plan
from antiphon.errors import ConfigError, unknown
from antiphon.messages import ToolCall
from antiphon.models.ports import Done, TextDelta, ToolAsk
from antiphon.models.uri import parse
from antiphon.partner.listen import mentions, spellings
from antiphon.text.mentions import fold

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from antiphon.envs.domain import Domain
    from antiphon.envs.plan import Flaw
    from antiphon.envs.task import Task
    from antiphon.messages import Kind, Message
    from antiphon.models.ports import Chunk, Request
    from antiphon.partner.script import Fact

SCHEME = "reference"
_ASKS: Mapping[str, tuple[str, str, str]] = {"en": ("May I ask: ", ", ", "?"), "zh": ("请问：", "、", "？")}
_GIVES_UP: Mapping[str, str] = {
    "en": "I'm sorry, I cannot help you without that.",
    "zh": "很抱歉，没有这个我办不了。",
}
_MOST_ASKS = 3
_FIRST_US, _END_US = 200_000, 1_000_000  # what the script declares
_MARKS = re.compile(r"[\W_]+")
_SHORTEST = 4  # letters and digits that are found however they are cut apart


class ReferenceChat:
    """The port `Chat` for one task. What it says next depends on the dialogue alone."""

    accepts: frozenset[Kind] = frozenset({"text"})
    gives: frozenset[Kind] = frozenset({"text"})

    def __init__(self, domain: Domain, task: Task, flaw: Flaw | None = None) -> None:
        self.name = f"scripted:{SCHEME}{f'?flaw={flaw}' if flaw else ''}"
        self._moves = plan(domain, task, flaw)
        self._needed = tuple(facts_needed(task)) if any(isinstance(move, Do) for move in self._moves) else ()
        self._ask = _ASKS[task.language]
        self._gives_up = _GIVES_UP[task.language]

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        own = [message for message in request.messages if message.role == "assistant"]
        asks = sum(message.text.startswith(self._ask[0]) for message in own)
        aside = asks + sum(message.text == self._gives_up for message in own)
        missing = self._missing(request.messages) if aside == len(own) else []
        if missing:
            begin, between, end = self._ask
            question = begin + between.join(fact.asked[0] for fact in missing) + end
            yield TextDelta(question if asks < _MOST_ASKS else self._gives_up, _FIRST_US)
            yield Done("stop", _END_US)
            return
        move = self._moves[min(len(own) - aside, len(self._moves) - 1)]
        if isinstance(move, Do):
            yield ToolAsk(ToolCall(f"call_{len(own)}", move.tool, move.arguments), _END_US)
            yield Done("tool_calls", _END_US)
        else:
            yield TextDelta(move.text, _FIRST_US)
            yield Done("stop", _END_US)

    def _missing(self, messages: Sequence[Message]) -> list[Fact]:
        """The needed facts that nobody has said yet."""
        if not self._needed:
            return []
        text = fold(" . ".join(message.text for message in messages if message.role == "user"))
        return [fact for fact in self._needed if not heard(fact, text)]


def heard(fact: Fact, folded: str) -> bool:
    """Whether folded words hold a fact, however a recogniser may have cut its letters and digits apart."""
    if mentions(fact, folded):
        return True
    together = _MARKS.sub("", folded)
    codes = (_MARKS.sub("", fold(form)) for form in spellings(fact))
    return any(len(code) >= _SHORTEST and code in together for code in codes)


def flaw_of(text: str) -> Flaw | None:
    """The flaw that a `reference:` URI asks for. Raises ConfigError listing those there are."""
    uri = parse(text).only("flaw")
    if uri.path:
        raise ConfigError(f"{text}: reference: takes no path; the task is that of the episode")
    flaw = uri.options.get("flaw")
    if flaw is None:
        return None
    if flaw in FLAWS:
        return flaw
    raise unknown("flaw", flaw, FLAWS)
