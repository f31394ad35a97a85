"""The model's part of a session: it is asked for an answer, and its tools are run."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.errors import AntiphonError, ModelError
from antiphon.messages import Progress, Speech, ToolResult, says
from antiphon.models.ports import Done, Request, Sampling, TextDelta, ToolAsk
from antiphon.realtime import events
from antiphon.realtime.live.ports import Wish

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.messages import Message, ToolSpec
    from antiphon.models.ports import Chunk
    from antiphon.realtime.live.desk import Desk
    from antiphon.realtime.live.ports import Manners, Parts

_PLAIN = Wish()
_REMEMBERED = 32


class Asking:
    """Asks the model, runs our tools, and waits for the client's."""

    def __init__(self, parts: Parts, desk: Desk, manners: Manners) -> None:
        self._parts, self._desk, self._manners = parts, desk, manners
        self._toolbox = parts.toolbox() if parts.toolbox is not None else None
        self._asked: dict[str, events.StartTool] = {}  # calls that the client runs
        self._wishes: dict[str, Wish] = {}  # by request; an answer may begin more than once
        self._awaited: set[str] = set()
        self._wish_of: dict[str, Wish] = {}  # by item, of those that are not over

    def expect(self, request: str, wish: Wish) -> None:
        """The answer to this request shall be so."""
        self._wishes[request] = wish
        self._awaited.add(request)
        for old in list(self._wishes)[:-_REMEMBERED]:
            del self._wishes[old]
            self._awaited.discard(old)

    @property
    def awaited(self) -> bool:
        """Whether the client has asked for an answer that has not begun."""
        return bool(self._awaited)

    def speaks(self, item: str) -> bool:
        """Whether the answer is for the ear."""
        speaks = self._wish_of.get(item, _PLAIN).speaks
        return self._manners.speaks if speaks is None else speaks

    def cues(self, item: str) -> Mapping[str, float | str]:
        """How the answer shall be spoken."""
        return {
            **self._manners.cues,
            **self._manners.more_cues,
            **(self._wish_of.get(item, _PLAIN).cues or {}),
        }

    def over(self, item: str) -> None:
        """The answer has ended."""
        self._wish_of.pop(item, None)

    def awaits(self, call: str) -> bool:
        """Whether the client's tool is asked to run and has not returned."""
        return call in self._asked

    def ran(self, start: events.StartTool) -> None:
        """The client runs this call since before this session went on here."""
        self._asked[start.call.id] = start

    def answer(self, start: events.StartAnswer, clips: Mapping[str, Clip]) -> None:
        """Begin an answer; `clips` are the sound of utterances, for a model that listens."""
        self._awaited.discard(start.request)
        self._wish_of[start.item] = self._wishes.get(start.request, _PLAIN)
        self._desk.start(start.id, self._answer(start, clips))

    def run_tool(self, start: events.StartTool) -> None:
        """Run a call, or leave it to the client whose tool it is."""
        if any(spec.name == start.call.name for spec in self.clients()):
            self._asked[start.call.id] = start
        else:
            self._desk.start(start.id, self._use_tool(start))

    def cancel(self, name: str) -> None:
        """Nobody waits for the answer or the tool any more."""
        self._desk.cancel(name)
        self._asked = {call: asked for call, asked in self._asked.items() if asked.id != name}

    def returned(self, result: ToolResult, request: str = "") -> bool:
        """The client's tool has ended; False where nobody asked for it."""
        asked = self._asked.pop(result.call_id, None)
        if asked is None:
            return False
        self._desk.put(events.ToolReturned, asked.id, asked.generation, result, request)
        return True

    async def _answer(self, start: events.StartAnswer, clips: Mapping[str, Clip]) -> None:
        error: str | None = None
        cut_short = False
        wish = self._wish_of[start.item]
        messages = list(wish.messages) if wish.messages is not None else self._with_sound(start, clips)
        request = self.request(messages, wish)
        try:
            async with aclosing(self._parts.chat.stream(request)) as chunks:
                async for chunk in kept(chunks, request):
                    if isinstance(chunk, TextDelta):
                        self._desk.put(events.AnswerText, start.id, start.generation, chunk.text)
                        self._desk.listener.words(start.item, chunk.text)
                    elif isinstance(chunk, ToolAsk):
                        self._desk.put(events.AnswerTool, start.id, start.generation, chunk.call)
                    elif isinstance(chunk, Done):
                        cut_short = chunk.finish == "length"
                        self._desk.listener.used(start.item, chunk.usage)
        except AntiphonError as failure:
            error = str(failure)
        self._desk.put(events.AnswerDone, start.id, start.generation, error, cut_short)

    def request(self, messages: Sequence[Message], wish: Wish) -> Request:
        """What the model is asked for: the session's manners, and one answer's wish."""
        asked = next((m.text for m in reversed(messages) if m.role == "user"), "")
        system = self._manners.system(asked) if wish.instructions is None else wish.instructions
        if system:
            messages = [says("system", system), *messages]
        choice = wish.choice or self._manners.choice
        most = self._manners.most_tokens if wish.most_tokens is None else wish.most_tokens
        return Request(
            tuple(messages), self._offered(wish, choice), want=frozenset({"text"}),
            sampling=Sampling(max_tokens=most), must_call=choice not in ("auto", "none"),
        )  # fmt: skip

    def _offered(self, wish: Wish, choice: str) -> tuple[ToolSpec, ...]:
        own = self._toolbox.specs() if self._toolbox is not None else ()
        tools = (*(self._manners.tools if wish.tools is None else wish.tools), *own)
        if choice == "none":
            return ()
        return (
            tools if choice in ("auto", "required") else tuple(each for each in tools if each.name == choice)
        )

    def clients(self) -> tuple[ToolSpec, ...]:
        """All functions that the client runs: the session's, and those of single answers."""
        wished = [spec for wish in self._wishes.values() for spec in wish.tools or ()]
        return (*self._manners.tools, *wished)

    def _with_sound(self, start: events.StartAnswer, clips: Mapping[str, Clip]) -> list[Message]:
        """The history; for a model that listens, with the person's own voice in its last turn."""
        messages = list(start.messages)
        found = [clips[name] for name in start.utterances if name in clips]
        if "speech" not in self._parts.chat.accepts or not found or not messages:
            return messages
        last = messages[-1]
        if last.role == "user":
            spoken = tuple(Speech(clip, last.text if clip is found[-1] else "") for clip in found)
            messages[-1] = replace(last, parts=spoken)
        return messages

    async def _use_tool(self, start: events.StartTool) -> None:
        result = ToolResult(start.call.id, error=f"there is no tool {start.call.name!r}")
        if (toolbox := self._toolbox) is not None:
            async with aclosing(toolbox.call(start.call)) as steps:
                async for step in steps:
                    if isinstance(step, Progress):
                        self._desk.listener.progress(step.call_id, step.text)
                    else:
                        result = step
        self._desk.put(events.ToolReturned, start.id, start.generation, result)


async def kept(chunks: AsyncIterator[Chunk], request: Request) -> AsyncGenerator[Chunk, None]:
    """A model's reply, held to what was asked: where it must call a tool, its words are not the answer, and a reply
    without a call raises ModelError."""
    called = False
    async for chunk in chunks:
        called = called or isinstance(chunk, ToolAsk)
        if isinstance(chunk, TextDelta) and request.must_call:
            continue
        yield chunk
    if request.must_call and not called:
        names = ", ".join(spec.name for spec in request.tools) or "none is on offer"
        raise ModelError("the model", f"it called no tool, though tool_choice asks for one of: {names}")
