"""`ScriptedPartner`: plays a script to the letter, without a model. It says *scripted* wherever it appears.

Its answer to the agent's turn is the first of these that fits:

1. it says nothing, or did not catch what was said: the partner asks, or says its last words again;
2. a fact is asked for by one of its `asked` words: `say`;
3. a fact is read back wrong: `corrects`;
4. words of an act are said: the partner uses its own tool, then says the act's `say`;
5. words of `done` are stated: the next of `insists`, then the next of `more`, then `goodbye`, and it hangs up;
6. the agent refuses: the next of `insists`;
7. "anything else?": the next of `more`, else the opening again;
8. a question, or facts read back right: `agrees`; a question that nothing in the script answers: it does not know;
9. anything else: it listens; after `patience` such turns on end it says `goodbye` and hangs up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from antiphon.messages import ToolCall, ToolResult
from antiphon.partner.listen import listen
from antiphon.partner.partner import PartnerTurn
from antiphon.text.mentions import contains, fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.messages import Message
    from antiphon.partner.listen import Heard
    from antiphon.partner.script import Script

Language = Literal["en", "zh"]
SYSTEM = "scripted:partner"

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "silent": "Hello? Are you there?",
        "listening": "I'm listening.",
        "unknown": "I don't know that.",
        "agrees": "Yes.",
        "corrects": "No. It is {say}.",
        "goodbye": "Goodbye.",
        "failed": "That did not work: {error}.",
        "and": ", ",
    },
    "zh": {
        "silent": "喂，您在听吗？",
        "listening": "请讲。",
        "unknown": "这个我不知道。",
        "agrees": "对。",
        "corrects": "不对，是{say}。",
        "goodbye": "再见。",
        "failed": "没有成功：{error}。",
        "and": "，",
    },
}


@dataclass
class _State:
    """How far the script has been played."""

    opened: bool = False
    insisted: int = 0
    more: int = 0
    acts: tuple[int, ...] = ()
    waiting: int | None = None
    idle: int = 0
    last: str = ""


class ScriptedPartner:
    """The port `Partner` for a script. The same dialogue always gives the same turns."""

    def __init__(self, script: Script, language: Language = "en") -> None:
        self.name = SYSTEM
        self._script = script
        self._words = _WORDS[language]
        self._state = _State()
        self._cues = {"style": script.style} if script.style else {}

    async def turn(self, dialogue: Sequence[Message]) -> PartnerTurn:
        state, script = self._state, self._script
        if not state.opened:
            state.opened = True
            return self._say(script.opening)
        if state.waiting is not None:
            return self._after_act(state.waiting, dialogue)
        words = words_since(dialogue)
        heard = listen(script, words)
        if (turn := self._answer(heard, words)) is not None:
            state.idle = 0
            return turn
        state.idle += 1
        if state.idle >= script.patience:
            return self._bye()
        return self._say(self._words["silent" if heard.silent else "listening"], keep=False)

    def _answer(self, heard: Heard, words: str) -> PartnerTurn | None:
        """The first answer that fits; None for a turn that calls for none."""
        if heard.silent:
            return None
        if heard.repeat:
            return self._say(self._state.last)
        facts = [fact.say for fact in heard.asked]
        facts += [self._text("corrects").replace("{say}", fact.say) for fact in heard.wrong]
        if facts:
            return self._say(self._told(facts, bare=not heard.wrong))
        if (act := self._act(words)) is not None:
            return act
        return self._reaction(heard)

    def _reaction(self, heard: Heard) -> PartnerTurn | None:
        insistence = self._next("insists", self._script.insists)
        if heard.done:
            further = insistence or self._next("more", self._script.more)
            return self._said(further) if further else self._bye()
        if heard.refused and insistence:
            return self._said(insistence)
        if heard.anything_else:
            further = self._next("more", self._script.more)
            return self._said(further) if further else self._reopened()
        if heard.question or len(heard.right) > 1:
            unknown = heard.open and not heard.right
            return self._say(self._words["unknown"] if unknown else self._text("agrees"))
        return None

    def _told(self, facts: list[str], *, bare: bool) -> str:
        """Facts in one turn: alone with a full stop, corrections as the script words them."""
        if not bare:
            return " ".join(facts)
        end = "。" if self._words is _WORDS["zh"] else "."
        return f"{self._words['and'].join(facts)}{end}"

    def _next(self, which: str, lines: tuple[str, ...]) -> tuple[str, str] | None:
        at = self._state.insisted if which == "insists" else self._state.more
        return (which, lines[at]) if at < len(lines) else None

    def _said(self, line: tuple[str, str]) -> PartnerTurn:
        """Say a line that is said once."""
        which, text = line
        if which == "insists":
            self._state.insisted += 1
        else:
            self._state.more += 1
        return self._say(text)

    def _reopened(self) -> PartnerTurn | None:
        """The request once more: it has not been met, or the agent's words would have been `done`."""
        return None if self._state.last == self._script.opening else self._say(self._script.opening)

    def _act(self, words: str) -> PartnerTurn | None:
        text = fold(words)
        for number, act in enumerate(self._script.acts):
            if number not in self._state.acts and any(contains(text, each) for each in act.asked):
                self._state.waiting = number
                return PartnerTurn(tool_calls=(ToolCall(f"partner_{number}", act.tool, act.arguments),))
        return None

    def _after_act(self, number: int, dialogue: Sequence[Message]) -> PartnerTurn:
        self._state.waiting = None
        self._state.acts = (*self._state.acts, number)
        results = [part for part in dialogue[-1].parts if isinstance(part, ToolResult)] if dialogue else []
        error = next((each.error for each in results if each.error is not None), None)
        if error is not None:
            return self._say(self._words["failed"].format(error=error.rstrip(".。")))
        return self._say(self._script.acts[number].say)

    def _bye(self) -> PartnerTurn:
        text = self._text("goodbye")
        return PartnerTurn(text, cues=self._cues, hang_up=True)

    def _say(self, text: str, *, keep: bool = True) -> PartnerTurn:
        if keep:
            self._state.last = text
        return PartnerTurn(text, cues=self._cues)

    def _text(self, which: Literal["agrees", "corrects", "goodbye"]) -> str:
        return getattr(self._script, which) or self._words[which]

    def snapshot(self) -> bytes:
        return msgspec.json.encode(self._state)

    def restore(self, state: bytes) -> None:
        self._state = msgspec.json.decode(state, type=_State)


def words_since(dialogue: Sequence[Message]) -> str:
    """What the agent has said since the partner last spoke."""
    words: list[str] = []
    for message in reversed(dialogue):
        if message.role == "user" and message.text:
            break
        if message.role == "assistant":
            words.append(message.text)
    return "\n".join(reversed(words))
