"""One live session in real time: the engine's effects carried out, and what comes of them fed back.

The engine decides; here its decisions meet the sound: what the person says goes to the ear, what the agent says
is paced and paused. Models run as tasks beside the loop (`understanding`, `asking`, `speaking`), so that nothing
waits for them but their own results.
"""

from __future__ import annotations

import asyncio
import heapq
from typing import TYPE_CHECKING

from antiphon.models.ports import SpeechContext
from antiphon.realtime import events
from antiphon.realtime.live.asking import Asking
from antiphon.realtime.live.desk import Desk
from antiphon.realtime.live.echo import Echo
from antiphon.realtime.live.hearing import Began, Ear
from antiphon.realtime.live.playout import Playout
from antiphon.realtime.live.speaking import Speaker
from antiphon.realtime.live.turn_times import Sounded, TurnTimes
from antiphon.realtime.live.understanding import Understanding
from antiphon.realtime.live.watching import Watching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.clock import Clock
    from antiphon.messages import Message
    from antiphon.realtime.events import Effect
    from antiphon.realtime.live.hearing import Ended, Manner
    from antiphon.realtime.live.outbox import Missed
    from antiphon.realtime.live.ports import Listener, Manners, Parts, Steps, Witness

_TICK_US = 20_000
# A client that should have played everything, and has sent no receipt for so long, will send none.
_RECEIPT_LATE_US = 1_500_000


class Driver:
    """Runs one engine. Everything but `run` returns at once; call from the loop that runs it.

    What the client does reaches `desk` (inputs for the engine), `understanding` (turns that it commits) and
    `asking` (tools that it ran).
    """

    def __init__(
        self, engine: Steps, parts: Parts, clock: Clock, listener: Listener, manners: Manners, manner: Manner
    ) -> None:
        self._engine, self.parts, self._listener = engine, parts, listener
        self.manners = manners
        self.witnesses: list[Witness] = []
        self.desk = Desk(clock, listener)
        self.utterances = 0  # names that were given
        self._alarms: list[int] = []
        self.playout = Playout()
        self._echo = Echo(parts.canceller)
        self._ear = Ear(parts.detector(), manner, self._name_utterance)
        self._speaker = Speaker(parts.renderer, self.playout, self._spoken)
        self._item: str | None = None
        self._receipt_ms: int | None = None
        self._reported: tuple[int, int] | None = None
        self._history: tuple[Message, ...] = ()  # of the answer under way, for its voice
        self._times = TurnTimes()
        self.understanding = Understanding(parts.transcriber, self.desk, manners)
        self.asking = Asking(parts, self.desk, manners)
        self._watching = Watching(parts, self.desk)
        self._closed = False
        self._alone = False  # since the client left, until sound goes to it again

    def _name_utterance(self) -> str:
        self.utterances += 1
        return f"u{self.utterances}"

    def hear(self, pcm: bytes) -> bool:
        """The person's newest sound, 16 kHz int16; False where the client should have committed long ago."""
        self._watching.sound(pcm, self._ear)
        for witness in self.witnesses:
            witness.heard(pcm, self.desk.now_us())
        self._echo.on = self.manners.echo
        pcm = self._echo.clean(pcm, self.desk.now_us())
        if not self.manners.turns:
            return self.understanding.collect(pcm)
        self._take(self._ear.push(pcm, self.desk.now_us()))
        return True

    def _take(self, edges: Sequence[Began | Ended]) -> None:
        for edge in edges:
            self._listener.edge(edge)
            if isinstance(edge, Began):
                self.desk.put(events.SpeechStarted, edge.utterance, edge.at_us)
                self._watching.began(edge.utterance, self._ear)
                if self._item is not None:
                    self.understanding.began_over_answer(
                        edge.utterance, self._ear, lambda: self._item is not None
                    )
            else:
                self.desk.put(events.SpeechStopped, edge.utterance, edge.at_us)
                self.understanding.ended(edge)
                self._watching.ended(edge)

    def left(self) -> None:
        """Nobody listens, and nobody speaks: hold the answer where it is, and take speech under way for all of it."""
        self._alone = True
        self._take(self._ear.stop())
        self.desk.put(events.Left)

    @property
    def item(self) -> str | None:
        """The answer that has the floor, paused or not."""
        return self._item

    def came_back(self, missed: Missed) -> None:
        """Somebody listens again, who has not got the end of what was sent."""
        if self._item is not None:
            self.playout.lost(self._item, missed.lost_ms)
        self.playout.restart(self.desk.now_us(), missed.late_ms)
        self.desk.put(events.CameBack, self._item, missed.at_ms)

    def listen(self, manner: Manner) -> None:
        """From now on speech begins and ends in this manner; an utterance under way is not cut."""
        self._ear.manner = manner

    def check_cues(self) -> None:
        """Tell the client which of its cues this voice cannot follow."""
        for left in self.parts.renderer.plan(SpeechContext(cues=self._cues())).unfollowed:
            self._listener.trouble(f"the voice does not follow {left.cue}={left.value}: {left.why}")

    def _cues(self) -> dict[str, float | str]:
        return {**self.manners.cues, **self.manners.more_cues}

    def messages(self) -> tuple[Message, ...]:
        """The history as it was heard until now."""
        return self._engine.messages()

    def acknowledged(self, item: str, ms: int) -> None:
        """The client has played `ms` of an item: better than our estimate."""
        if item == self._item:
            self._receipt_ms = ms
        self.desk.put(events.Played, item, ms)

    async def run(self) -> None:
        """Until `close`, or until cancelled."""
        self.desk.start("voice", self._speaker.run())
        try:
            while not self._closed:
                self.desk.wake.clear()
                self._turn_once()
                await self._sleep()
        finally:
            self.dismiss()
            await self.desk.clear()

    def dismiss(self) -> None:
        """Nothing happens any more, for those who keep it."""
        for witness in self.witnesses:
            witness.close(self.desk.now_us())
        self.witnesses.clear()

    def close(self) -> None:
        """End `run` soon."""
        self._closed = True
        self.desk.wake.set()

    def _turn_once(self) -> None:
        self._send(self.desk.now_us())
        now_us = self.desk.now_us()  # after all inputs, those of the sending included
        due = False
        while self._alarms and self._alarms[0] <= now_us:
            heapq.heappop(self._alarms)
            due = True
        inputs = self.desk.take()
        if inputs or due:
            effects = self._engine.step(now_us, inputs)
            for witness in self.witnesses:
                witness.stepped(now_us, inputs, effects)
            for effect in effects:
                self._perform(effect)
            for each in self._times.step(now_us, inputs, effects):
                if isinstance(each, Sounded):
                    self._listener.stages(each.item, each.ms)
            self._send(self.desk.now_us())

    async def _sleep(self) -> None:
        if self.desk.inputs:
            await asyncio.sleep(0)
            return
        now_us = self.desk.now_us()
        times = [at for at in (self.playout.next_us(now_us), *self._alarms[:1]) if at is not None]
        if self._item is not None and (self.playout.playing or self.playout.silent_us(now_us) is not None):
            times.append(now_us + _TICK_US)
        timeout = max(0.0, (min(times) - now_us) / 1e6) if times else None
        try:
            async with asyncio.timeout(timeout):
                await self.desk.wake.wait()
        except TimeoutError:
            pass

    def _send(self, now_us: int) -> None:
        if self._alone:
            return
        for frame in self.playout.take(now_us):
            self._listener.sound(frame)
            self._echo.plays(frame.pcm, frame.plays_us)
            for witness in self.witnesses:
                witness.sent(frame, now_us)
        if (item := self._item) is None:
            return
        sent_ms, played_ms = self.playout.sent_ms(item), self.playout.played_ms(item, now_us)
        if self._receipt_ms is not None and not self.playout.starved(now_us, _RECEIPT_LATE_US):
            played_ms = min(played_ms, self._receipt_ms)
        if (sent_ms, played_ms) != self._reported:
            self._reported = (sent_ms, played_ms)
            self.desk.put(events.Sent, item, sent_ms)
            self.desk.put(events.Played, item, played_ms)

    def _perform(self, effect: Effect) -> None:
        match effect:
            case events.WakeAt(t_us):
                heapq.heappush(self._alarms, t_us)
                return
            case events.StartAnswer():
                self._listener.effect(effect)
                self._history = effect.messages
                self.asking.answer(effect, self.understanding.clips)
                return
            case events.CancelAnswer(name) | events.CancelTool(name):
                self.asking.cancel(name)
            case events.Render():
                self._render(effect)
            case events.StartTool():
                self.asking.run_tool(effect)
            case events.Play() | events.Pause() | events.Resume() | events.Stop():
                self._move(effect)
            case events.Said(item):
                self._over(item)
            case _:
                pass
        self._listener.effect(effect)

    def _move(self, effect: events.Play | events.Pause | events.Resume | events.Stop) -> None:
        if self._alone and isinstance(effect, events.Play | events.Resume):
            self._alone, self._reported = False, None
        match effect:
            case events.Play(item):
                if item != self._item:
                    self._item, self._receipt_ms, self._reported = item, None, None
                self.playout.play(item)
            case events.Pause(item):
                self.playout.pause(item)
                if self._receipt_ms is not None:
                    self._echo.halts(self.desk.now_us())
            case events.Resume(item, from_ms):
                # Who sends receipts knows of pauses, and has dropped the rest.
                if self._receipt_ms is not None:
                    self.playout.halted(self.desk.now_us())
                self.playout.resume(item, from_ms)
            case events.Stop(item):
                self._echo.halts(self.desk.now_us())
                self.playout.drop(item)
                self._speaker.drop(item)

    def _over(self, item: str) -> None:
        self.playout.forget(item)
        self.asking.over(item)
        if item == self._item:
            self._item = None

    def _render(self, effect: events.Render) -> None:
        if not self.asking.speaks(effect.item):
            self.desk.put(events.Rendered, effect.id, effect.generation, 0, len(effect.text), last=True)
            return
        context = SpeechContext(
            history=self._history, cues=self.asking.cues(effect.item), noise_db=self._ear.noise_db
        )
        self._speaker.say(effect, context)

    def _spoken(self, effect: events.Render, ms: int, chars: int, *, last: bool, error: str | None) -> None:
        self.desk.put(events.Rendered, effect.id, effect.generation, ms, chars, last=last, error=error)
