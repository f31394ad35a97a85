"""The model's part of a session: it is asked for an answer, and its tools are run."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.errors import AntiphonError
from antiphon.messages import Progress, Speech, ToolResult, says
from antiphon.models.ports import Request, TextDelta, ToolAsk
from antiphon.realtime import events

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antiphon.audio.clip import Clip
    from antiphon.messages import Message, ToolSpec
    from antiphon.realtime.desk import Desk
    from antiphon.realtime.ports import Manners, Parts
    from antiphon.realtime.stages import Stages


class Asking:
    """Asks the model, runs our tools, and waits for the client's."""

    def __init__(self, parts: Parts, desk: Desk, manners: Manners, stages: Stages) -> None:
        self._parts, self._desk, self._manners, self._stages = parts, desk, manners, stages
        self._toolbox = parts.toolbox() if parts.toolbox is not None else None
        self._asked: dict[str, events.StartTool] = {}  # calls that the client runs

    def answer(self, start: events.StartAnswer, clips: Mapping[str, Clip]) -> None:
        """Begin an answer; `clips` are the sound of utterances, for a model that listens."""
        self._stages.asked(start.item, start.utterances, self._desk.now_us())
        self._desk.start(start.id, self._answer(start, clips))

    def run_tool(self, start: events.StartTool) -> None:
        """Run a call, or leave it to the client whose tool it is."""
        if any(spec.name == start.call.name for spec in self._manners.tools):
            self._asked[start.call.id] = start
        else:
            self._desk.start(start.id, self._use_tool(start))

    def cancel(self, name: str) -> None:
        """Nobody waits for the answer or the tool any more."""
        self._desk.cancel(name)
        self._asked = {call: asked for call, asked in self._asked.items() if asked.id != name}

    def returned(self, result: ToolResult) -> bool:
        """The client's tool has ended; False where nobody asked for it."""
        asked = self._asked.pop(result.call_id, None)
        if asked is None:
            return False
        self._desk.put(events.ToolReturned, asked.id, asked.generation, result)
        return True

    async def _answer(self, start: events.StartAnswer, clips: Mapping[str, Clip]) -> None:
        error: str | None = None
        asked = next((m.text for m in reversed(start.messages) if m.role == "user"), "")
        system = self._manners.system(asked)
        messages = [*self._manners.before, *self._with_sound(start, clips)]
        if system:
            messages = [says("system", system), *messages]
        request = Request(tuple(messages), self._offered(), want=frozenset({"text"}))
        try:
            async with aclosing(self._parts.chat.stream(request)) as chunks:
                async for chunk in chunks:
                    if isinstance(chunk, TextDelta):
                        self._stages.wrote(start.item, self._desk.now_us())
                        self._desk.put(events.AnswerText, start.id, start.generation, chunk.text)
                        self._desk.listener.words(start.item, chunk.text)
                    elif isinstance(chunk, ToolAsk):
                        self._desk.put(events.AnswerTool, start.id, start.generation, chunk.call)
        except AntiphonError as failure:
            error = str(failure)
        self._desk.put(events.AnswerDone, start.id, start.generation, error)

    def _offered(self) -> tuple[ToolSpec, ...]:
        own = self._toolbox.specs() if self._toolbox is not None else ()
        return (*self._manners.tools, *own)

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
