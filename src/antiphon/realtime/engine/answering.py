"""From a turn to what was heard of its answer: one answer at a time, from one queue, cut and gone on with.

Whatever the turn policy decides: no second item sounds beside the first, no answer that is owed is dropped, and
what nobody heard never enters the history.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antiphon.messages import ToolResult, says
from antiphon.realtime import events
from antiphon.realtime.engine.conversation import Conversation, Spoken, Told, ToolUse, Turn
from antiphon.realtime.engine.playback import Playback
from antiphon.realtime.engine.replies import Due, Replies, Reply
from antiphon.realtime.tools import Running, Tools, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antiphon.messages import Message, ToolCall
    from antiphon.realtime.events import Effect
    from antiphon.realtime.settings import Settings
    from antiphon.realtime.turn_policy import Stage

AnswerResult = events.AnswerText | events.AnswerTool | events.AnswerDone


class Answering:
    """Replies, playback, tools and history of one session. Effects are put into `out`."""

    def __init__(self, settings: Settings, history: Sequence[Message]) -> None:
        self.settings = settings
        self.now_us = 0
        self.out: list[Effect] = []
        self.replies = Replies()
        self.playback = Playback()
        self.tools = Tools(settings)
        self.conversation = Conversation([Told(message) for message in history])
        self.last_item: str | None = None
        self.ended_us: int | None = None
        self.names = 0  # that were given

    @property
    def stage(self) -> Stage:
        if self.playback.playing is not None:
            return "paused" if self.playback.paused else "speaking"
        return "thinking" if self.replies.now is not None else "idle"

    def name(self, what: str) -> str:
        self.names += 1
        return f"{what}-{self.names}"

    def choose(self, kind: events.Kind, reason: str, about: str | None) -> None:
        self.out.append(events.Chose(self.now_us, kind, reason, about))

    # ---- turns of the person

    def turn(self, utterances: tuple[str, ...], text: str, item: str = "") -> str:
        """Put what the person said or wrote into the history; the turn's item."""
        item = item or self.name("turn")
        self.conversation.entries.append(Turn(item, utterances, text))
        self.out.append(events.Committed(item, utterances, text))
        return item

    def amend(self, item: str, text: str) -> None:
        """The words of a turn became known late."""
        turn = self.conversation.turn(item)
        if turn is not None and text != turn.text:
            turn.text = text
            self.out.append(events.Committed(item, turn.utterances, text))

    def merge(self) -> tuple[str, ...]:
        """Speech goes on before its answer was heard: both parts are one turn, answered once. The first part."""
        reply = self.replies.now
        due = reply.due if reply is not None and not reply.played else None
        if due is None:
            due = next((due for due in self.replies.queue if due.kind == "turn"), None)
        turn = self.conversation.turn(due.turn) if due is not None and due.turn else None
        if due is None or turn is None or not turn.utterances:
            return ()
        self.withdraw(turn.item)
        return turn.utterances

    def again(self, item: str) -> None:
        """The words of a turn changed: answer anew unless its answer is being heard."""
        reply = self.replies.now
        if reply is not None and reply.due.turn == item and not reply.played:
            self.end("cancelled")
            self.replies.queue.appendleft(Due("turn", "the words of the turn changed", item))

    def withdraw(self, item: str) -> None:
        """A turn turns out to be none, or part of another: its answer ends, and it leaves the history."""
        due = self.replies.owed_for(item)
        if due is not None:
            self.replies.queue.remove(due)
        reply = self.replies.now
        if reply is not None and reply.due.turn == item:
            self.end("cancelled")
        if self.replies.cut is not None and self.replies.cut.due.turn == item:
            self._drop_cut()
        self.conversation.forget_turn(item)

    def tell(self, text: str) -> None:
        """Something the model should know that nobody said."""
        self.conversation.entries.append(Told(says("system", text)))

    # ---- beginning and end of answers

    def advance(self, held: Callable[[Due], bool]) -> None:
        """End what is over, play what may sound, start what is due; `held` says what has to wait."""
        reply = self.replies.now
        if reply is not None and reply.over:
            self.end(reply.finish)
            reply = None
        if reply is None:
            self._start(held)
        elif reply.sound and self.playback.playing is None and not held(reply.due):
            reply.played = True
            self.last_item = reply.item
            self.out += self.playback.play(reply.item)

    def _start(self, held: Callable[[Due], bool]) -> None:
        due = next((due for due in self.replies.queue if not held(due)), None)
        if due is None:
            return
        self.replies.queue.remove(due)
        self._drop_cut()
        item = self.name("item")
        reply = Reply(self.name("answer"), self.names, item, due, self.playback.log(item))
        self.replies.now = reply
        turn = self.conversation.turn(due.turn) if due.turn else None
        utterances = turn.utterances if turn else ()
        messages = self.conversation.messages()
        self.conversation.entries.append(Spoken(item, reply.log))
        self.out.append(
            events.StartAnswer(reply.id, reply.generation, item, messages, utterances, due.why, due.request)
        )

    def _drop_cut(self) -> None:
        """What was cut will not go on any more."""
        cut, self.replies.cut = self.replies.cut, None
        if cut is not None and not cut.written:
            self.out.append(events.CancelAnswer(cut.id))

    def interrupt(self, finish: str) -> None:
        """The person takes the floor: what sounds ends, and with it the tools that ask for that. An answer
        that nobody heard yet is still owed, unless it was to a turn (the new one covers it)."""
        reply = self.replies.now
        if reply is not None and not reply.played and not reply.called:
            self.replies.queue.append(reply.due)
        self.end(finish)
        self._end_tools()

    def cancel(self) -> None:
        """The client wants no answer: the one under way ends, or else the one that it asked for and waits for."""
        if self.replies.now is None:
            self._start(lambda due: not due.request)
        self.end("cancelled")

    def cut(self) -> str | None:
        """Yield: the rest of the item is dropped, and kept in mind in case it was no interruption."""
        reply = self.replies.now
        if reply is None:
            return None
        self._drop_cut()
        self.end("interrupted", keep=True)
        self._end_tools()
        return reply.item

    def _end_tools(self) -> None:
        for name, run in self.tools.interrupted():
            result = ToolResult(run.call.id, error="cancelled: the person interrupted")
            self.out += [events.CancelTool(name), events.ToolEnded(run.call, result, cancelled=True)]
            self.conversation.give(result)

    def end(self, finish: str, *, keep: bool = False) -> None:
        """The answer under way is over, by itself or not."""
        reply, self.replies.now = self.replies.now, None
        if reply is None:
            return
        log = reply.log
        if finish in ("stop", "length", "tool_calls"):
            self.playback.end()
        elif self.playback.playing == reply.item:
            self.out += self.playback.stop()
        elif reply.submitted:
            self.out.append(events.Stop(reply.item, log.played_ms, log.heard_chars))
        self.out.append(
            events.Said(reply.item, reply.text, log.heard_chars, log.played_ms, finish, reply.error)
        )
        self.ended_us = self.now_us
        self.conversation.forget_unheard(reply.item)
        if keep:
            self.replies.cut = reply
        elif not reply.written:
            self.out.append(events.CancelAnswer(reply.id))
        if finish in ("stop", "length"):
            back = reply.text.rstrip().endswith(("?", "？"))
            self.choose("clarify" if back else "answer", reply.due.why, reply.item)

    def go_on(self) -> None:
        """It was no interruption, or the person wants the rest: say it as another item of the same request."""
        cut = self.replies.cut
        if cut is None or self.replies.now is not None:
            return
        self.replies.cut = None
        begin = cut.log.resume_point(cut.log.played_ms)[1]
        item = self.name("item")
        log = self.playback.log(item)
        reply = Reply(cut.id, cut.generation, item, cut.due, log, error=cut.error, called=cut.called)
        self.replies.now = reply
        self.conversation.entries.append(Spoken(item, log))
        self.out += reply.write(cut.text[begin:])
        if cut.written:
            self.out += reply.close()

    # ---- results of effects

    def answered(self, given: AnswerResult) -> None:
        """The model writes; what is stale changes nothing."""
        reply = self.replies.of(given.id, given.generation)
        if reply is None or reply.written:
            return
        match given:
            case events.AnswerText() if reply is self.replies.cut:
                reply.text += given.text
                reply.log.text = reply.text
            case events.AnswerText():
                self.out += [] if reply.called else reply.write(given.text)
            case events.AnswerTool():
                if reply is self.replies.now:  # what was cut calls nothing any more
                    self._call(reply, given.call)
            case events.AnswerDone():
                reply.error, reply.cut_short = given.error, given.cut_short
                if reply is self.replies.cut:
                    reply.written = True
                    return
                self.out += reply.close()
                self._follow(reply.id, called=reply.called, request=reply.after)

    def _call(self, reply: Reply, call: ToolCall) -> None:
        """The model wants a tool; the runner decides. What it writes after a call it must wait for is not said."""
        if self.conversation.called(call.id):  # small models count their calls anew in every answer
            call = replace(call, id=self.name(call.id))
        verdict = self.tools.judge(call)
        self.choose(verdict.kind, verdict.reason, call.name)
        spec = self.tools.spec(call.name)
        if verdict.kind != "tool" or spec is None:
            self.conversation.entries.append(ToolUse(call, refusal(call, verdict)))
            reply.called = True
            if verdict.kind == "confirm":
                self.tools.ask(call)
                self.out.append(events.NeedsConfirmation(call))
            return
        if spec.slow and not reply.text and self.settings.acknowledgement:
            self.out += reply.write(self.settings.acknowledgement)
        if spec.slow:
            self.out += reply.flush()
        name = self.name("tool")
        self.conversation.entries.append(ToolUse(call))
        self.tools.running[name] = Running(call, spec, self.names, reply.id)
        reply.called = reply.called or spec.blocks_answer
        self.out.append(events.StartTool(name, self.names, call))

    def _follow(self, reply_id: str, *, called: bool, request: str = "") -> None:
        """The results of an answer's calls are there: they want an answer of their own."""
        if called and not self.tools.blocks(reply_id):
            self.replies.owe(Due("tool", "the tools have returned", request=request))

    def returned(self, given: events.ToolReturned) -> None:
        run = self.tools.running.get(given.id)
        if run is None or run.generation != given.generation:
            return
        del self.tools.running[given.id]
        result = ToolResult(run.call.id, given.result.value, given.result.error)
        self.conversation.give(result)
        self.out.append(events.ToolEnded(run.call, result))
        now = self.replies.now
        writing = now is not None and now.id == run.reply and not now.written
        if now is not None and writing:
            now.after = given.request
        if not run.spec.blocks_answer:
            self.replies.owe(Due("tool", f"{run.call.name} has returned", request=given.request))
        elif not writing:
            self._follow(run.reply, called=True, request=given.request)

    def rendered(self, given: events.Rendered) -> None:
        reply = self.replies.now
        if reply is not None and reply.sounded(given) and given.error is not None:
            self.end("failed")

    def played(self, given: events.Played) -> None:
        """A receipt of what sounds. One that comes after its item was stopped changes nothing any more."""
        reply = self.replies.now
        if reply is None or reply.item != given.item or not reply.played:
            return
        reply.log.played(given.ms)
        if reply.log.heard_chars:
            self.tools.heard()

    def truncated(self, given: events.Truncated) -> None:
        """The client stopped the item itself: what it says was heard is what was heard, also when the item is
        over by our estimate."""
        reply, log = self.replies.now, self.playback.logs.get(given.item)
        if log is None:
            return
        if reply is not None and reply.item == given.item:
            log.played(given.ms)
            self.end("interrupted")
        log.truncated(given.ms)
        self.conversation.forget_unheard(given.item)
