"""One live session in real time: the engine's effects carried out, and what comes of them fed back.

The engine decides; here sound is cut into utterances, recognised, answered by a chat model, spoken, paced and
paused. Models run as tasks beside the loop, so that nothing waits for them but their own results.
"""

from __future__ import annotations

import asyncio
import heapq
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from antiphon.audio.clip import Clip
from antiphon.errors import AntiphonError
from antiphon.messages import Progress, Speech, ToolResult, says
from antiphon.models.ports import Request, SpeechContext, TextDelta, ToolAsk
from antiphon.realtime import events
from antiphon.realtime.hearing import Began, Ear, Ended
from antiphon.realtime.playout import Playout
from antiphon.realtime.speaking import Speaker
from antiphon.realtime.stages import Stages

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from antiphon.clock import Clock
    from antiphon.messages import Message, ToolSpec
    from antiphon.realtime.events import Effect, Input
    from antiphon.realtime.hearing import Manner
    from antiphon.realtime.ports import Listener, Manners, Parts, Steps

HEARD_HZ = 16_000
# A recogniser is asked about unfinished speech only while the agent holds the floor: there its words decide.
_FIRST_PARTIAL_US, _NEXT_PARTIAL_US = 400_000, 600_000
_TICK_US = 20_000
# A client that should have played everything, and has sent no receipt for so long, will send none.
_RECEIPT_LATE_US = 1_500_000
_REMEMBERED = 16
_LONGEST_TURN_S = 300


class Driver:
    """Runs one engine. Everything but `run` returns at once; call from the loop that runs it."""

    def __init__(
        self, engine: Steps, parts: Parts, clock: Clock, listener: Listener, manners: Manners, manner: Manner
    ) -> None:
        self._engine, self._parts, self._clock, self._listener = engine, parts, clock, listener
        self.manners = manners
        self._started_us = clock.mono_us()
        self.begun = False  # whether anything has reached the engine
        self._utterances = 0
        self._inputs: list[Input] = []
        self._wake = asyncio.Event()
        self._alarms: list[int] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.playout = Playout()
        self._ear = Ear(parts.detector(), manner, self._name_utterance)
        self._speaker = Speaker(parts.renderer, self.playout, self._spoken)
        self._clips: dict[str, Clip] = {}
        self._item: str | None = None  # the answer that has the floor, paused or not
        self._receipt_ms: int | None = None
        self._reported: tuple[int, int] | None = None
        self._asked: dict[str, events.StartTool] = {}  # calls that the client runs
        self._history: tuple[Message, ...] = ()  # of the answer under way, for its voice
        self._stages = Stages()
        self._turn = _Turn()
        self._closed = False

    def now_us(self) -> int:
        return self._clock.mono_us() - self._started_us

    def _name_utterance(self) -> str:
        self._utterances += 1
        return f"u{self._utterances}"

    def put(self, kind: Callable[..., Input], *args: Any, **more: Any) -> None:
        """An input that became known now."""
        self.begun = True
        self._inputs.append(kind(self.now_us(), *args, **more))
        self._wake.set()

    def hear(self, pcm: bytes) -> bool:
        """The person's newest sound, 16 kHz int16; False where the client should have committed long ago."""
        if not self.manners.turns:
            self._turn.pcm += pcm
            if full := len(self._turn.pcm) > _LONGEST_TURN_S * 2 * HEARD_HZ:
                self._turn.pcm.clear()
            return not full
        for edge in self._ear.push(pcm, self.now_us()):
            self._listener.edge(edge)
            if isinstance(edge, Began):
                self.put(events.SpeechStarted, edge.utterance, edge.at_us)
                if self._item is not None:
                    self._start(f"partials {edge.utterance}", self._partials(edge.utterance))
            else:
                self.put(events.SpeechStopped, edge.utterance, edge.at_us)
                self._stages.stopped(edge.utterance, edge.at_us, self.now_us())
                self._start(f"words {edge.utterance}", self._recognise(edge))
        return True

    def listen(self, manner: Manner) -> None:
        """From now on speech begins and ends in this manner; an utterance under way is not cut."""
        self._ear.manner = manner

    def check_cues(self) -> None:
        """Tell the client which of its cues this voice cannot follow."""
        for left in self._parts.renderer.plan(SpeechContext(cues=self.manners.cues)).unfollowed:
            self._listener.trouble(f"the voice does not follow {left.cue}={left.value}: {left.why}")

    def clear(self) -> None:
        """Forget sound that was not committed."""
        self._turn.pcm.clear()

    def commit(self, item: str) -> bool:
        """The sound so far is a turn; False where there is none. Its words come later."""
        if not self._turn.pcm:
            return False
        pcm, self._turn.pcm = bytes(self._turn.pcm), bytearray()
        self._turn.pending += 1
        self._start(f"commit {item}", self._take_turn(item, pcm))
        return True

    def ask(self) -> None:
        """Answer now, or as soon as the committed sound is understood."""
        if self._turn.pending:
            self._turn.answer = True
        elif self._turn.text:
            text, self._turn.text = self._turn.text, ""
            self.put(events.Typed, text)
        else:
            self.put(events.Asked)

    def acknowledged(self, item: str, ms: int) -> None:
        """The client has played `ms` of an item: better than our estimate."""
        if item == self._item:
            self._receipt_ms = ms
        self.put(events.Played, item, ms)

    def truncated(self, item: str, ms: int) -> None:
        """The client has stopped an item by itself, `ms` after its beginning."""
        self.put(events.Truncated, item, ms)

    def returned(self, result: ToolResult) -> bool:
        """The client's tool has ended; False where nobody asked for it."""
        asked = self._asked.pop(result.call_id, None)
        if asked is None:
            return False
        self.put(events.ToolReturned, asked.id, asked.generation, result)
        return True

    async def run(self) -> None:
        """Until `close`, or until cancelled."""
        self._start("voice", self._speaker.run())
        try:
            while not self._closed:
                self._wake.clear()
                self._turn_once()
                await self._sleep()
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def close(self) -> None:
        """End `run` soon."""
        self._closed = True
        self._wake.set()

    def _turn_once(self) -> None:
        self._send(self.now_us())
        now_us = self.now_us()  # after all inputs, those of the sending included
        due = False
        while self._alarms and self._alarms[0] <= now_us:
            heapq.heappop(self._alarms)
            due = True
        inputs, self._inputs = self._inputs, []
        if inputs or due:
            for effect in self._engine.step(now_us, inputs):
                self._perform(effect)
            self._send(self.now_us())

    async def _sleep(self) -> None:
        if self._inputs:
            await asyncio.sleep(0)
            return
        now_us = self.now_us()
        times = [at for at in (self.playout.next_us(now_us), *self._alarms[:1]) if at is not None]
        if self._item is not None and (self.playout.playing or self.playout.silent_us(now_us) is not None):
            times.append(now_us + _TICK_US)
        timeout = max(0.0, (min(times) - now_us) / 1e6) if times else None
        try:
            async with asyncio.timeout(timeout):
                await self._wake.wait()
        except TimeoutError:
            pass

    def _send(self, now_us: int) -> None:
        for frame in self.playout.take(now_us):
            self._listener.sound(frame)
            if (ms := self._stages.sent(frame.item, now_us)) is not None:
                self._listener.stages(frame.item, ms)
        if (item := self._item) is None:
            return
        sent_ms, played_ms = self.playout.sent_ms(item), self.playout.played_ms(item, now_us)
        if self._receipt_ms is not None and not self.playout.starved(now_us, _RECEIPT_LATE_US):
            played_ms = min(played_ms, self._receipt_ms)
        if (sent_ms, played_ms) != self._reported:
            self._reported = (sent_ms, played_ms)
            self.put(events.Sent, item, sent_ms)
            self.put(events.Played, item, played_ms)

    def _perform(self, effect: Effect) -> None:
        match effect:
            case events.WakeAt(t_us):
                heapq.heappush(self._alarms, t_us)
                return
            case events.StartAnswer():
                self._listener.effect(effect)
                self._stages.asked(effect.item, effect.utterances, self.now_us())
                self._start(effect.id, self._answer(effect))
                return
            case events.CancelAnswer(name) | events.CancelTool(name):
                self._cancel(name)
            case events.Render():
                self._render(effect)
            case events.StartTool():
                self._run_tool(effect)
            case events.Play() | events.Pause() | events.Resume() | events.Stop():
                self._move(effect)
            case events.Said(item):
                self._over(item)
            case _:
                pass
        self._listener.effect(effect)

    def _move(self, effect: events.Play | events.Pause | events.Resume | events.Stop) -> None:
        match effect:
            case events.Play(item):
                if item != self._item:
                    self._item, self._receipt_ms, self._reported = item, None, None
                self.playout.play(item)
            case events.Pause(item):
                self.playout.pause(item)
            case events.Resume(item, from_ms):
                if (
                    self._receipt_ms is not None
                ):  # who sends receipts knows of pauses, and has dropped the rest
                    self.playout.halted(self.now_us())
                self.playout.resume(item, from_ms)
            case events.Stop(item):
                self.playout.drop(item)
                self._speaker.drop(item)

    def _over(self, item: str) -> None:
        self.playout.forget(item)
        if item == self._item:
            self._item = None

    def _start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._guarded(name, work))
        self._tasks[name] = task
        task.add_done_callback(
            lambda done: self._tasks.pop(name, None) if self._tasks.get(name) is done else None
        )

    async def _guarded(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 - one worker's failure is told, and the session goes on
            self._listener.trouble(
                f"{name}: {error}" if isinstance(error, AntiphonError) else f"{name}: {error!r}"
            )

    def _cancel(self, name: str) -> None:
        if (task := self._tasks.get(name)) is not None:
            task.cancel()
        self._asked = {call: asked for call, asked in self._asked.items() if asked.id != name}

    async def _recognise(self, ended: Ended) -> None:
        clip = Clip.from_pcm16(ended.pcm, HEARD_HZ)
        self._clips[ended.utterance] = clip
        for old in list(self._clips)[:-_REMEMBERED]:
            del self._clips[old]
        text = ""
        try:
            found = await self._parts.transcriber.transcribe([clip], self.manners.language)
            text = found[0].text.strip()
        finally:  # an utterance that nobody could understand must not keep the engine waiting
            self.put(events.Words, ended.utterance, text, ended.at_us, final=True)
        self._stages.understood(ended.utterance, self.now_us())
        self._listener.heard(ended.utterance, text, final=True)

    async def _partials(self, utterance: str) -> None:
        await self._clock.sleep_us(_FIRST_PARTIAL_US)
        while self._ear.utterance == utterance and self._item is not None:
            end_us = self.now_us()
            clip = Clip.from_pcm16(self._ear.so_far(), HEARD_HZ)
            found = await self._parts.transcriber.transcribe([clip], self.manners.language)
            text = found[0].text.strip()
            if text and self._ear.utterance == utterance:
                self.put(events.Words, utterance, text, end_us)
                self._listener.heard(utterance, text, final=False)
            await self._clock.sleep_us(_NEXT_PARTIAL_US)

    async def _take_turn(self, item: str, pcm: bytes) -> None:
        text = ""
        try:
            clip = Clip.from_pcm16(pcm, HEARD_HZ)
            text = (await self._parts.transcriber.transcribe([clip], self.manners.language))[0].text.strip()
        finally:
            self._turn.pending -= 1
            self._listener.heard(item, text, final=True)
            self._turn.text = " ".join(part for part in (self._turn.text, text) if part)
            if self._turn.answer and not self._turn.pending:
                self._turn.answer = False
                self.ask()

    async def _answer(self, start: events.StartAnswer) -> None:
        error: str | None = None
        asked = next((m.text for m in reversed(start.messages) if m.role == "user"), "")
        system = self.manners.system(asked)
        self._history = start.messages
        messages = [*self.manners.before, *self._with_sound(start)]
        if system:
            messages = [says("system", system), *messages]
        request = Request(tuple(messages), self._offered(), want=frozenset({"text"}))
        try:
            async with aclosing(self._parts.chat.stream(request)) as chunks:
                async for chunk in chunks:
                    if isinstance(chunk, TextDelta):
                        self._stages.wrote(start.item, self.now_us())
                        self.put(events.AnswerText, start.id, start.generation, chunk.text)
                        self._listener.words(start.item, chunk.text)
                    elif isinstance(chunk, ToolAsk):
                        self.put(events.AnswerTool, start.id, start.generation, chunk.call)
        except AntiphonError as failure:
            error = str(failure)
        self.put(events.AnswerDone, start.id, start.generation, error)

    def _offered(self) -> tuple[ToolSpec, ...]:
        own = self._parts.toolbox.specs() if self._parts.toolbox is not None else ()
        return (*self.manners.tools, *own)

    def _with_sound(self, start: events.StartAnswer) -> list[Message]:
        """The history; for a model that listens, with the person's own voice in its last turn."""
        messages = list(start.messages)
        clips = [self._clips[name] for name in start.utterances if name in self._clips]
        if "speech" not in self._parts.chat.accepts or not clips or not messages:
            return messages
        last = messages[-1]
        if last.role == "user":
            spoken = tuple(Speech(clip, last.text if clip is clips[-1] else "") for clip in clips)
            messages[-1] = replace(last, parts=spoken)
        return messages

    def _render(self, effect: events.Render) -> None:
        if not self.manners.speaks:
            self.put(events.Rendered, effect.id, effect.generation, 0, len(effect.text), last=True)
            return
        context = SpeechContext(history=self._history, cues=self.manners.cues, noise_db=self._ear.noise_db)
        self._speaker.say(effect, context)

    def _spoken(self, effect: events.Render, ms: int, chars: int, *, last: bool, error: str | None) -> None:
        if ms:
            self._stages.spoke(effect.item, self.now_us())
        self.put(events.Rendered, effect.id, effect.generation, ms, chars, last=last, error=error)

    def _run_tool(self, start: events.StartTool) -> None:
        if any(spec.name == start.call.name for spec in self.manners.tools):
            self._asked[start.call.id] = start
        else:
            self._start(start.id, self._use_tool(start))

    async def _use_tool(self, start: events.StartTool) -> None:
        result = ToolResult(start.call.id, error=f"there is no tool {start.call.name!r}")
        if (toolbox := self._parts.toolbox) is not None:
            async with aclosing(toolbox.call(start.call)) as steps:
                async for step in steps:
                    if isinstance(step, Progress):
                        self._listener.progress(step.call_id, step.text)
                    else:
                        result = step
        self.put(events.ToolReturned, start.id, start.generation, result)


@dataclass
class _Turn:
    """A turn that the client commits: its sound, its words, and whether somebody waits for the answer."""

    pcm: bytearray = field(default_factory=bytearray)
    text: str = ""
    pending: int = 0
    answer: bool = False
