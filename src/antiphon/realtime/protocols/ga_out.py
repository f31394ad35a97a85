"""What a session's client is told: the engine's effects, words and sound as events of the GA dialect.

With `duplex` it is also told what GA has no word for: every decision with its reason, pauses, places in the
sound, latencies. Those events begin with `duplex.`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from antiphon.models.wire.ga import server
from antiphon.models.wire.ga.shapes import Failure, Item, Part, ResponseOptions, Unknown
from antiphon.realtime import events
from antiphon.realtime.live.hearing import Began, Ended
from antiphon.realtime.live.understanding import HEARD_HZ
from antiphon.realtime.protocols.ga_kept import Talk
from antiphon.realtime.protocols.ga_response import Telling, broken_off
from antiphon.realtime.protocols.ga_tools import OwnCalls, extension

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.messages import ToolCall
    from antiphon.models.ports import Usage
    from antiphon.models.wire.ga.shapes import Event, Session
    from antiphon.realtime.events import Effect
    from antiphon.realtime.live.playout import Frame
    from antiphon.realtime.protocols.ga_idle import Patience

_REMEMBERED = 32
# What is written down may be a moment older than what the client was told: no name of that moment is given again.
_RESPONSES_LATER = 1000


class Narrator:
    """Turns what happens into events, in an order that stock clients expect."""

    def __init__(self, say: Callable[[Event | Unknown], None], session: Session, *, duplex: bool) -> None:
        self._say, self._duplex = say, duplex
        self.session = session
        self.items: dict[str, Item] = {}  # the conversation, in its order
        self.patience: Patience | None = None
        self._answer: Telling | None = None
        self._expected: dict[str, ResponseOptions] = {}  # by request
        self._item_of: dict[str, str] = {}  # utterance → the item that it became
        self._seconds: dict[str, float] = {}  # of the person's sound, by utterance
        self._own = OwnCalls(say, self.items)
        self._rest: str | None = None  # the item that says what was left of one that was cut
        self._responses = 0
        self.cancelled = False  # by the client, not by the person's voice

    def kept(self, waiting: tuple[str, ...], returned: tuple[str, ...]) -> Talk:
        """What the client knows of the conversation."""
        answer = self._answer
        under_way = (answer.id, answer.item) if answer is not None else (None, None)
        return Talk(
            self.session,
            tuple(self.items.values()),
            dict(self._item_of),
            self._responses,
            *under_way,
            waiting,
            returned,
        )

    def restore(self, known: Talk) -> None:
        """Go on with a conversation that a client knows."""
        self.items.update({item.id or "": item for item in known.items})
        self._item_of = dict(known.turns)
        self._responses = known.responses + _RESPONSES_LATER

    def broke_off(self, response: str, item: str | None, heard: str, heard_ms: int) -> None:
        """The response that was under way ended with the server that gave it: the client has not been told."""
        if item in self.items:
            self.heard_only(item, heard)
        self._say(server.ResponseDone(response=broken_off(response, self.session)))
        self._extra("said", item_id=item, heard_chars=len(heard), heard_ms=heard_ms, finish="interrupted")

    def settle(self, session: Session) -> None:
        """New settings."""
        self.session = session

    def expect(self, request: str, options: ResponseOptions | None) -> None:
        """The response to this request shall be so."""
        self._expected[request] = options or ResponseOptions()
        for old in list(self._expected)[:-_REMEMBERED]:
            del self._expected[old]

    def aside(self, options: ResponseOptions) -> Telling:
        """A response outside the conversation begins."""
        name = self._response_name()
        return Telling(self._say, (name, f"item_{name}"), self.session, options, None)

    def _response_name(self) -> str:
        self._responses += 1
        return f"resp_{self.session.id}_{self._responses}"

    @property
    def answering(self) -> bool:
        """Whether a response of the conversation is under way."""
        return self._answer is not None

    @property
    def response(self) -> str | None:
        """The id of the response under way."""
        return self._answer.id if self._answer is not None else None

    def saying(self, item: str) -> bool:
        """Whether the item belongs to the response under way."""
        answer = self._answer
        return answer is not None and (answer.item == item or any(one.id == item for one in answer.output))

    def names_of(self, name: str, item: Item) -> list[str]:
        """What the engine calls an item: a call's id, the turn that it became, or its own name."""
        turns = [turn for turn, known in self._item_of.items() if known == name]
        return [item.call_id] if item.type == "function_call" and item.call_id else turns or [name]

    def _extra(self, kind: str, **fields: Any) -> None:
        if self._duplex:
            self._say(Unknown(f"duplex.{kind}", {"type": f"duplex.{kind}", **fields}))

    # ---- items -----------------------------------------------------------------------------------------

    def add(self, item: Item) -> None:
        """An item enters the conversation, complete."""
        previous = next(reversed(self.items), None)
        assert item.id is not None
        self.items[item.id] = item
        self._say(server.ItemAdded(item=item, previous_item_id=previous))
        self._say(server.ItemDone(item=item, previous_item_id=previous))

    def committed(self, item: str) -> None:
        """Sound of the person's became an item; its words may come later."""
        if item in self.items:
            return
        self._say(server.AudioCommitted(item_id=item, previous_item_id=next(reversed(self.items), None)))
        part = Part(type="input_audio", transcript=None)
        self.add(
            Item(
                type="message",
                object="realtime.item",
                id=item,
                status="completed",
                role="user",
                content=(part,),
            )
        )

    def transcribed(self, item: str, text: str, seconds: float) -> None:
        """The words of an item of the person's."""
        if (known := self.items.get(item)) is not None:
            parts = (
                replace(part, transcript=text, audio=None) if part.type == "input_audio" else part
                for part in known.content or ()
            )
            self.items[item] = replace(known, content=tuple(parts))
        listening = self.session.audio.input if self.session.audio is not None else None
        if listening is not None and listening.transcription is None:
            return  # the client wants no transcripts
        usage = {"type": "duration", "seconds": round(seconds, 3)}
        self._say(server.TranscriptionCompleted(item_id=item, transcript=text, usage=usage))

    # ---- the driver's listener ---------------------------------------------------------------------------

    def effect(self, effect: Effect) -> None:
        """Something that the engine wished."""
        if self.patience is not None:
            self.patience.effect(effect)
        match effect:
            case events.StartAnswer(item=item):
                self._begin(item, self._expected.get(effect.request))
                self._extra("answer_started", item_id=item, reason=effect.why)
            case events.Said():
                self._end(effect)
            case events.StartTool(call=call):
                self._start(call)
            case events.ToolEnded():
                self._own.ended(effect, self._answer.id if self._answer is not None else None)
                self._extra("tool_ended", **extension(effect))
            case events.Heard():
                self._heard(effect)
            case events.Render(item=item, text=text) if self._goes_on(item):
                self.words(item, text)
            case events.Committed():
                self._turn(effect)
            case _:
                self._control(effect)

    def _goes_on(self, item: str) -> bool:
        """Whether this item is the rest of one that was cut: no model writes it again, so its clauses are its words."""
        if self._answer is None or self._answer.item != item:
            self._begin(item)
            self._rest = item
        return self._rest == item

    def _control(self, effect: Effect) -> None:
        match effect:
            case events.Pause(item):
                self._extra("paused", item_id=item)
            case events.Resume(item, from_ms, from_char):
                self._extra("resumed", item_id=item, from_ms=from_ms, from_char=from_char)
            case events.Stop(item, heard_ms, heard_chars):
                self._extra("stopped", item_id=item, heard_ms=heard_ms, heard_chars=heard_chars)
            case events.Decided(t_us, floor, answer, reason, utterance):
                self._extra(
                    "decided",
                    t_ms=t_us // 1000,
                    floor=floor,
                    answer=answer,
                    reason=reason,
                    utterance=utterance,
                )
            case events.Chose(t_us, kind, reason, about):
                self._extra("chose", t_ms=t_us // 1000, choice=kind, reason=reason, about=about)
            case events.NeedsConfirmation(call):
                self._extra(
                    "confirmation_needed", call_id=call.id, name=call.name, arguments=dict(call.arguments)
                )
            case _:
                pass

    def words(self, item: str, text: str) -> None:
        """More words of the answer."""
        answer = self._answer
        if answer is None or answer.item != item or not text:
            return
        answer.words(text)

    def sound(self, frame: Frame) -> None:
        """A frame of the answer's speech."""
        answer = self._answer
        if answer is None or answer.item != frame.item:
            return
        if data := answer.coded(frame.pcm):
            self._extra("audio_at", item_id=frame.item, at_ms=frame.at_ms)
            answer.sound(data)

    def used(self, item: str, usage: Usage) -> None:
        """What the model consumed for an answer."""
        if self._answer is not None and self._answer.item == item:
            self._answer.used(usage)

    def heard(self, utterance: str, text: str, *, final: bool) -> None:
        """The recogniser's words, before and apart from what becomes a turn."""
        self._extra("words", utterance=utterance, text=text, final=final)

    def edge(self, edge: Began | Ended) -> None:
        """The detector's edges, withheld from nobody who asked for them."""
        if self.patience is not None:
            self.patience.edge(edge)
        if isinstance(edge, Ended):
            self._seconds[edge.utterance] = len(edge.pcm) / (2 * HEARD_HZ)
        kind = "began" if isinstance(edge, Began) else "ended"
        self._extra("speech", edge=kind, utterance=edge.utterance, at_ms=edge.at_us // 1000)

    def stages(self, item: str, ms: dict[str, int]) -> None:
        """Where the time of an answer went."""
        self._extra("latency", item_id=item, stages=ms)

    def progress(self, call: str, text: str) -> None:
        """A slow tool's sign of life."""
        self._extra("tool_progress", call_id=call, text=text)

    def observed(self, kind: str, **fields: Any) -> None:
        """What an observer found."""
        self._extra(kind, **fields)

    def trouble(self, what: str) -> None:
        """A part failed; the session goes on."""
        self._say(server.Error(error=Failure(type="server_error", code="part_failed", message=what)))

    # ---- the person's turns --------------------------------------------------------------------------------

    def _heard(self, heard: events.Heard) -> None:
        item = f"item_{heard.utterance}"
        at_ms = max(0, heard.at_us // 1000)
        if heard.edge == "started":
            self._say(server.SpeechStarted(audio_start_ms=at_ms, item_id=item))
        else:
            self._say(server.SpeechStopped(audio_end_ms=at_ms, item_id=item))

    def _turn(self, turn: events.Committed) -> None:
        if not turn.utterances:
            return
        item = self._item_of.setdefault(turn.item, f"item_{turn.utterances[-1]}")
        self.committed(item)
        self.transcribed(item, turn.text, sum(self._seconds.get(name, 0.0) for name in turn.utterances))

    # ---- the agent's answers ---------------------------------------------------------------------------------

    def _begin(self, item: str, options: ResponseOptions | None = None) -> None:
        if self._answer is not None:  # one at a time: the engine's new answer ends what was left open
            self._answer.cancelled("turn_detected")
        self._answer = Telling(self._say, (self._response_name(), item), self.session, options, self.items)

    def _is_clients(self, name: str) -> bool:
        """Whether the client runs the tool: one of the session's, or of a single answer's."""
        offered = [self.session.tools, *(options.tools for options in self._expected.values())]
        return any(tool.name == name for tools in offered for tool in tools or ())

    def _start(self, call: ToolCall) -> None:
        """A call runs: ours, or the client's."""
        self._extra("tool_started", call_id=call.id, name=call.name, arguments=dict(call.arguments))
        alone = self._answer is None
        if alone:
            self._begin(f"item_for_{call.id}")
        answer = self._answer
        assert answer is not None
        if self._is_clients(call.name):
            answer.call(call.id, call.name, json.dumps(dict(call.arguments), ensure_ascii=False))
        else:
            answer.output.append(self._own.started(call, answer.id, len(answer.output)))
        if alone:
            self._answer = None
            answer.completed()

    def _end(self, said: events.Said) -> None:
        answer = self._answer
        if answer is None or answer.item != said.item:
            return
        self._answer = None
        answer.text = said.text or answer.text
        if said.finish == "failed":
            answer.failed(said.error or "the model failed")
        elif said.finish in ("stop", "tool_calls", "length"):
            answer.completed(cut_short=said.finish == "length")
        else:
            answer.cancelled("client_cancelled" if self.cancelled else "turn_detected")
            if answer.spoken:
                self.heard_only(said.item, said.text[: said.heard_chars])
        self.cancelled = False
        self._extra(
            "said",
            item_id=said.item,
            heard_chars=said.heard_chars,
            heard_ms=said.heard_ms,
            finish=said.finish,
        )

    def heard_only(self, item: str, text: str) -> None:
        """The conversation keeps of a spoken item what was heard."""
        if (known := self.items.get(item)) is not None:
            self.items[item] = replace(known, content=(Part(type="output_audio", transcript=text),))
