"""Answers outside the conversation (GA `conversation: "none"`): several at once, beside whatever is said."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import TYPE_CHECKING

from antiphon.errors import AntiphonError
from antiphon.models.ports import Done, SpeechContext, TextDelta, ToolAsk
from antiphon.realtime.live.asking import kept

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.messages import Message
    from antiphon.models.ports import Request
    from antiphon.realtime.live.driver import Driver
    from antiphon.realtime.live.ports import Parts, Wish
    from antiphon.realtime.protocols.ga_response import Telling

MOST = 8


class Asides:
    """They enter no history, no turn policy knows of them, and their sound is sent as it is made."""

    def __init__(self, parts: Parts, driver: Driver) -> None:
        self._parts, self._driver = parts, driver
        self._under_way: dict[str, Telling] = {}

    @property
    def full(self) -> bool:
        """Whether one more would be too many."""
        return len(self._under_way) >= MOST

    def ask(self, telling: Telling, wish: Wish, after: Sequence[Message]) -> None:
        """Begin one. Its model reads the wish's own messages, or else the history and what comes `after` it."""
        self._under_way[telling.id] = telling
        self._driver.desk.start(telling.id, self._answer(telling, wish, after))

    def cancel(self, response: str) -> bool:
        """End it; False where there is none of this id."""
        telling = self._under_way.pop(response, None)
        if telling is None:
            return False
        self._driver.desk.cancel(response)
        telling.cancelled("client_cancelled")
        return True

    async def _answer(self, telling: Telling, wish: Wish, after: Sequence[Message]) -> None:
        try:
            await self._settled()
            messages = wish.messages if wish.messages is not None else (*self._driver.messages(), *after)
            request = self._driver.asking.request(messages, wish)
            words = self._words(telling, request)
            await (self._speak(telling, words, wish) if telling.spoken else _drain(words))
        except AntiphonError as error:
            telling.failed(str(error))
        else:
            telling.completed(cut_short=telling.cut_short)
        finally:
            self._under_way.pop(telling.id, None)

    async def _settled(self) -> None:
        """Let the engine take what was said before."""
        while self._driver.desk.inputs:  # noqa: ASYNC110 - the driver takes them in its next turn
            await asyncio.sleep(0)

    async def _words(self, telling: Telling, request: Request) -> AsyncGenerator[str, None]:
        async with aclosing(self._parts.chat.stream(request)) as chunks:
            async for chunk in kept(chunks, request):
                if isinstance(chunk, TextDelta):
                    telling.words(chunk.text)
                    yield chunk.text
                elif isinstance(chunk, ToolAsk):
                    call = chunk.call
                    telling.call(call.id, call.name, json.dumps(dict(call.arguments), ensure_ascii=False))
                elif isinstance(chunk, Done):
                    telling.cut_short = chunk.finish == "length"
                    telling.used(chunk.usage)

    async def _speak(self, telling: Telling, words: AsyncGenerator[str, None], wish: Wish) -> None:
        cues = {**self._driver.manners.cues, **(wish.cues or {})}
        async with aclosing(self._parts.renderer.stream(words, SpeechContext(cues=cues))) as pieces:
            async for spoken in pieces:
                if data := telling.coded(spoken.pcm):
                    telling.sound(data)


async def _drain(words: AsyncGenerator[str, None]) -> None:
    async for _ in words:
        pass
