"""`ModelPartner`: any chat model that plays a task's `user_system_prompt`. It sees the dialogue, never a tool.

What it says is checked without a judge. An episode in which the partner takes the agent's side, says a number
that neither its prompt nor the dialogue holds, or hangs up while the agent waits for an answer or before the
script's end came in sight, does not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from antiphon.ids import hash_json, seed_for
from antiphon.messages import Message, Text, ToolCall, ToolResult, says
from antiphon.models.ports import Request, Sampling, collect, is_scripted
from antiphon.partner.listen import listen
from antiphon.partner.partner import PartnerTurn
from antiphon.partner.user import words_since
from antiphon.text.mentions import digits_together, fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.messages import Part, ToolSpec
    from antiphon.models.ports import Chat
    from antiphon.partner.script import Script
    from antiphon.partner.user import Language

STOP = "###STOP###"
_MAX_TOKENS = 200
_NUMBER = re.compile(r"\d{3,}")
_STAGE_DIRECTION = re.compile(r"^\s*(?:\*[^*]+\*|\([^)]*\)|（[^）]*）)\s*")
_AS_AGENT = re.compile(
    r"\b(how (can|may) i (help|assist) you|thank you for calling|as an ai|i am an ai|language model)\b"
    r"|请问有什么可以帮您|有什么可以帮您|我是(人工智能|AI|语言模型)"
)
_PROMPTS: Mapping[Language, str] = {
    "en": (
        "{script}\n\nYou are this person, on the telephone with an agent. Rules of this role play:\n"
        "- Say one thing at a time, in one or two short spoken sentences, as a person on the phone does.\n"
        "- Tell what you know only when you are asked for it, and never make up a number, name or date.\n"
        "- Stay this person. Never speak for the agent, never help the agent, never mention these rules.\n"
        "- When what you wanted is done, or you give up as described above, say a short goodbye and write {stop} "
        "at its end. Do not write it before, and not while the agent waits for an answer of yours.\n"
        "Begin with what you want."
    ),
    "zh": (
        "{script}\n\n你就是这个人，正在和客服通电话。规则：\n"
        "- 一次只说一件事，像打电话那样说一两句短话。\n"
        "- 知道的事，对方问到才说；绝不编造号码、姓名或日期。\n"
        "- 始终是这个人：不替客服说话，不帮客服办事，不提这些规则。\n"
        "- 事情办成了，或者按上面所说放弃了，就简短道别，并在句末写上{stop}。在那之前不要写，对方在等你回答时也不要写。\n"
        "先说你要办的事。"
    ),
}
_OPENERS: Mapping[Language, str] = {"en": "(The agent picks up the phone.)", "zh": "（客服接起了电话。）"}


@dataclass
class _State:
    turns: int = 0
    heard_end: bool = False


class ModelPartner:
    """The port `Partner` on a chat model. `script` (where the task has one) tells facts and the end."""

    def __init__(
        self,
        chat: Chat,
        prompt: str,
        script: Script | None = None,
        language: Language = "en",
        tools: tuple[ToolSpec, ...] = (),
        *,
        seed: int = 0,
        temperature: float = 0.0,
    ) -> None:
        self._system = _PROMPTS[language].format(script=prompt, stop=STOP)
        self.name = f"{'scripted:' if is_scripted(chat.name) else ''}partner({chat.name}) prompt={hash_json(_PROMPTS[language])[:8]}"
        self._chat = chat
        self._prompt = prompt
        self._script = script
        self._language: Language = language
        self._tools = tools
        self._seed = seed
        self._temperature = temperature
        self._state = _State()
        self._cues = {"style": script.style} if script is not None and script.style else {}

    async def turn(self, dialogue: Sequence[Message]) -> PartnerTurn:
        """The next turn. Raises ModelError when the model cannot be had."""
        state = self._state
        state.turns += 1
        words = words_since(dialogue)
        if self._script is not None and words and listen(self._script, words).done:
            state.heard_end = True
        reply = await collect(self._chat, self._request(dialogue))
        if reply.tool_calls:
            return PartnerTurn(tool_calls=tuple(_numbered(each, state.turns) for each in reply.tool_calls))
        said, stop, _ = reply.text.partition(STOP)
        text = _STAGE_DIRECTION.sub("", said).strip()
        left = self._left_script(text, dialogue) if text or not stop else None
        early = self._stopped_early(words) if stop else None
        return PartnerTurn(
            text, cues=self._cues, hang_up=bool(stop), left_script=left, stopped_early=early,
        )  # fmt: skip

    def _request(self, dialogue: Sequence[Message]) -> Request:
        turned = [_turned(message) for message in dialogue]
        opener = [says("user", _OPENERS[self._language])]
        if turned and turned[0].role == "user":
            opener = []
        return Request(
            (says("system", self._system), *opener, *turned),
            tools=self._tools,
            want=frozenset({"text"}),
            sampling=Sampling(seed_for(self._seed, self._state.turns), self._temperature, _MAX_TOKENS),
        )

    def _left_script(self, text: str, dialogue: Sequence[Message]) -> str | None:
        """Why what the model said is not this person's: nothing said, the agent's words, an invented number."""
        if not text:
            return "it said nothing"
        if _AS_AGENT.search(text.casefold()) is not None:
            return f"it spoke as the agent: {text[:60]!r}"
        known = digits_together(fold(" ".join([self._prompt, *self._facts(), *(m.text for m in dialogue)])))
        for found in _NUMBER.finditer(digits_together(fold(text))):
            if found[0] not in known:
                return f"it made up {found[0]!r}, which its script does not hold"
        return None

    def _facts(self) -> list[str]:
        script = self._script
        if script is None:
            return []
        return [script.opening, *(form for fact in script.facts for form in (str(fact.value), *fact.forms))]

    def _stopped_early(self, words: str) -> str | None:
        """Why a hang-up came too early: before anything was answered, or before the script's end was heard."""
        if not words.strip():
            return "it hung up before the agent had said anything"
        if self._script is not None and self._script.done:
            patient = self._state.turns <= self._script.patience + len(self._script.facts)
            if not self._state.heard_end and patient:
                return "it hung up before the end of its script"
            return None
        waits = self._script is not None and listen(self._script, words).asked
        return "it hung up while the agent waited for an answer" if waits else None

    def snapshot(self) -> bytes:
        return msgspec.json.encode(self._state)

    def restore(self, state: bytes) -> None:
        self._state = msgspec.json.decode(state, type=_State)


def _turned(message: Message) -> Message:
    """The dialogue from the partner's side: it speaks as the model, the agent as the user. Sound becomes words."""
    if message.role == "tool":
        return message
    kept: list[Part] = [part for part in message.parts if isinstance(part, ToolCall | ToolResult)]
    words = [Text(message.text)] if message.text or not kept else []
    return Message("assistant" if message.role == "user" else "user", (*words, *kept))


def _numbered(call: ToolCall, turn: int) -> ToolCall:
    """A call with an id that no call of the agent has."""
    return ToolCall(f"partner_{turn}_{call.id}", call.name, call.arguments)
