"""Asking the session's chat model what speech is: an observer beside the loop, for the turn policy `semantic`."""

from __future__ import annotations

import asyncio
import re
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antiphon.errors import AntiphonError
from antiphon.messages import says
from antiphon.models.ports import Request, Sampling, TextDelta
from antiphon.realtime import events
from antiphon.realtime.policy.semantic import CHOICES, SCORE, UNINTELLIGIBLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.messages import Message
    from antiphon.models.ports import Chat

_TURNS = 6  # of the conversation
_LETTERS = 400  # of each turn
_TASK = """You decide when a voice assistant speaks. People talk near its microphone, sometimes over its own speech.
Say with one word what the last utterance is:
answer - it is meant for the assistant, and the assistant should answer it
acknowledge - it only shows that somebody listens, like "mhm", "I see", "嗯嗯"
others - it is meant for another person in the room
stop - the assistant should stop talking, and not answer
wait - the assistant should be silent for a while
continue - the assistant should go on with what it was saying"""


@dataclass(frozen=True, slots=True)
class Chooser:
    """Asks `chat` about one utterance. `history` is the conversation as it was heard."""

    chat: Chat
    history: Callable[[], Sequence[Message]]
    patience_s: float = 3.0  # then the model is stopped: the policy has long asked the rules

    async def __call__(self, utterance: str, text: str, put: Callable[..., None]) -> None:
        """Put the choice as a score of the utterance; `none` where the model fails or says no single choice.
        Put nothing when it is too late. Raises nothing of the model's."""
        if not text:
            return
        try:
            async with asyncio.timeout(self.patience_s):
                choice = chosen(await self._ask(text))
        except TimeoutError:
            return
        except AntiphonError:
            choice = UNINTELLIGIBLE
        put(events.Score, SCORE + choice, 1.0, utterance)

    async def _ask(self, text: str) -> str:
        written = ""
        request = Request(
            self._messages(text), want=frozenset({"text"}), sampling=Sampling(max_tokens=8), choices=CHOICES
        )
        async with aclosing(self.chat.stream(request)) as chunks:
            async for chunk in chunks:
                if isinstance(chunk, TextDelta):
                    written += chunk.text
        return written

    def _messages(self, text: str) -> tuple[Message, ...]:
        names = {"user": "Person", "assistant": "Assistant"}
        turns = [
            f"{names[message.role]}: {message.text[:_LETTERS]}"
            for message in self.history()
            if message.role in names and message.text
        ]
        talk = "\n".join(turns[-_TURNS:]) or "(nothing was said before)"
        return says("system", _TASK), says("user", f"{talk}\n\nLast utterance: {text}\nOne word:")


def chosen(written: str) -> str:
    """The one choice that a model named; `none` where it named none or several."""
    found = {word for word in re.findall("[a-z]+", written.lower()) if word in CHOICES}
    return found.pop() if len(found) == 1 else UNINTELLIGIBLE
