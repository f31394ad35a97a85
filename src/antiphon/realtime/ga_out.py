"""What a session's client is told: the engine's effects, words and sound as events of the GA dialect.

With `duplex` it is also told what GA has no word for: every decision with its reason, pauses, places in the
sound, latencies. Those events begin with `duplex.`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from antiphon.models.wire.ga import server
from antiphon.models.wire.ga.shapes import Failure, Item, Part, Response, StatusDetails, Unknown
from antiphon.realtime import events
from antiphon.realtime.ga_sound import Outlet
from antiphon.realtime.hearing import Began

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.models.wire.ga.shapes import Event, Session
    from antiphon.realtime.events import Effect
    from antiphon.realtime.hearing import Ended
    from antiphon.realtime.playout import Frame

_STATUS = {"stop": "completed", "tool_calls": "completed", "failed": "failed"}


@dataclass
class _Answer:
    """One response under way; `item` is the engine's, and names the message."""

    id: str
    item: str
    spoken: bool
    text: str = ""
    output: list[Item] = field(default_factory=list[Item])
    index: int | None = None  # of the message among the output

    def place(self) -> dict[str, Any]:
        return {
            "response_id": self.id,
            "item_id": self.item,
            "output_index": self.index or 0,
            "content_index": 0,
        }


class Narrator:
    """Turns what happens into events, in an order that stock clients expect."""

    def __init__(self, say: Callable[[Event | Unknown], None], session: Session, *, duplex: bool) -> None:
        self._say, self._duplex = say, duplex
        self.session = session
        self.items: dict[str, Item] = {}  # the conversation, in its order
        self._answer: _Answer | None = None
        self._outlet = self._new_outlet()
        self._item_of: dict[str, str] = {}  # utterance → the item that it became
        self._responses = 0
        self.cancelled = False  # by the client, not by the person's voice

    def settle(self, session: Session) -> None:
        """New settings."""
        self.session = session
        self._outlet = self._new_outlet()

    def _new_outlet(self) -> Outlet:
        audio = self.session.audio
        assert audio is not None
        assert audio.output is not None
        assert audio.output.format is not None
        return Outlet(audio.output.format)

    @property
    def answering(self) -> bool:
        """Whether a response is under way."""
        return self._answer is not None

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

    def transcribed(self, item: str, text: str) -> None:
        """The words of an item of the person's."""
        if (known := self.items.get(item)) is not None:
            self.items[item] = replace(known, content=(Part(type="input_audio", transcript=text),))
        usage = {"type": "duration", "seconds": 0.0}
        self._say(server.TranscriptionCompleted(item_id=item, transcript=text, usage=usage))

    # ---- the driver's listener ---------------------------------------------------------------------------

    def effect(self, effect: Effect) -> None:
        """Something that the engine wished."""
        match effect:
            case events.StartAnswer(item=item):
                self._begin(item)
                self._extra("answer_started", item_id=item, reason=effect.why)
            case events.Said():
                self._end(effect)
            case events.StartTool(call=call):
                self._call(call.id, call.name, json.dumps(dict(call.arguments), ensure_ascii=False))
            case events.Heard():
                self._heard(effect)
            case events.Render(item=item, text=text) if self._answer is None or self._answer.item != item:
                self._begin(item)  # what was cut goes on as an item of its own
                self.words(item, text)
            case events.Committed():
                self._turn(effect)
            case _:
                self._control(effect)

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
        self._open(answer)
        answer.text += text
        kind = server.TranscriptDelta if answer.spoken else server.TextDelta
        self._say(kind(**answer.place(), delta=text))

    def sound(self, frame: Frame) -> None:
        """A frame of the answer's speech."""
        answer = self._answer
        if answer is None or answer.item != frame.item:
            return
        self._open(answer)
        if data := self._outlet.push(frame.pcm):
            self._extra("audio_at", item_id=frame.item, at_ms=frame.at_ms)
            self._say(server.AudioDelta(**answer.place(), delta=data))

    def heard(self, utterance: str, text: str, *, final: bool) -> None:
        """The recogniser's words, before and apart from what becomes a turn."""
        if utterance in self.items and final:
            self.transcribed(utterance, text)
        else:
            self._extra("words", utterance=utterance, text=text, final=final)

    def edge(self, edge: Began | Ended) -> None:
        """The detector's edges, withheld from nobody who asked for them."""
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
        self.transcribed(item, turn.text)

    # ---- the agent's answers ---------------------------------------------------------------------------------

    def _begin(self, item: str) -> None:
        if self._answer is not None:  # one at a time: the engine's new answer ends what was left open
            self._close(self._answer, "cancelled", None)
        self._responses += 1
        name = f"resp_{self.session.id}_{self._responses}"
        modalities = self.session.output_modalities or ("audio",)
        self._answer = _Answer(name, item, "audio" in modalities)
        self.cancelled = False
        self._say(server.ResponseCreated(response=self._response(self._answer, "in_progress")))

    def _response(self, answer: _Answer, status: str, details: StatusDetails | None = None) -> Response:
        return Response(
            id=answer.id, object="realtime.response", status=status, status_details=details,
            output=tuple(answer.output), output_modalities=self.session.output_modalities,
        )  # fmt: skip

    def _open(self, answer: _Answer) -> None:
        """The message appears with its first word or sound."""
        if answer.index is not None:
            return
        answer.index = len(answer.output)
        item = Item(
            type="message",
            object="realtime.item",
            id=answer.item,
            status="in_progress",
            role="assistant",
            content=(),
        )
        answer.output.append(item)
        previous = next(reversed(self.items), None)
        self.items[answer.item] = item
        self._say(server.OutputItemAdded(response_id=answer.id, output_index=answer.index, item=item))
        self._say(server.ItemAdded(item=item, previous_item_id=previous))
        part = Part(type="audio", transcript="") if answer.spoken else Part(type="text", text="")
        self._say(server.ContentPartAdded(**answer.place(), part=part))

    def _call(self, call: str, name: str, arguments: str) -> None:
        if self._answer is None:
            self._begin(f"item_for_{call}")
        answer = self._answer
        assert answer is not None
        index = len(answer.output)
        asked = Item(
            type="function_call", object="realtime.item", id=f"item_{call}"[:64], status="in_progress", call_id=call,
            name=name, arguments="",
        )  # fmt: skip
        place: dict[str, Any] = {
            "response_id": answer.id,
            "item_id": asked.id,
            "output_index": index,
            "call_id": call,
        }
        self._say(server.OutputItemAdded(response_id=answer.id, output_index=index, item=asked))
        self._say(server.ItemAdded(item=asked, previous_item_id=next(reversed(self.items), None)))
        done = replace(asked, status="completed", arguments=arguments)
        self._say(server.ArgumentsDelta(**place, delta=arguments))
        self._say(server.ArgumentsDone(**place, arguments=arguments, name=name))
        self._say(server.OutputItemDone(response_id=answer.id, output_index=index, item=done))
        self._say(server.ItemDone(item=done))
        answer.output.append(done)
        self.items[done.id or call] = done
        if answer.item == f"item_for_{call}":
            self._finish(answer, "completed", None)

    def _end(self, said: events.Said) -> None:
        answer = self._answer
        if answer is None or answer.item != said.item:
            return
        answer.text = said.text or answer.text
        if said.finish == "failed":
            failure = Failure(
                type="server_error", code="model_failed", message=said.error or "the model failed"
            )
            self._close(answer, "failed", StatusDetails(type="failed", error=failure))
        elif said.finish in _STATUS:
            self._close(answer, _STATUS[said.finish], None)
        else:
            reason = "client_cancelled" if self.cancelled else "turn_detected"
            self._close(answer, "cancelled", StatusDetails(type="cancelled", reason=reason))
        self._extra(
            "said",
            item_id=said.item,
            heard_chars=said.heard_chars,
            heard_ms=said.heard_ms,
            finish=said.finish,
        )

    def _close(self, answer: _Answer, status: str, details: StatusDetails | None) -> None:
        if answer.index is not None:
            if answer.spoken:
                if data := self._outlet.finish():
                    self._say(server.AudioDelta(**answer.place(), delta=data))
                part = Part(type="audio", transcript=answer.text)
                self._say(server.AudioDone(**answer.place()))
                self._say(server.TranscriptDone(**answer.place(), transcript=answer.text))
                content = Part(type="output_audio", transcript=answer.text)
            else:
                part = Part(type="text", text=answer.text)
                self._say(server.TextDone(**answer.place(), text=answer.text))
                content = Part(type="output_text", text=answer.text)
            self._say(server.ContentPartDone(**answer.place(), part=part))
            state = "completed" if status == "completed" else "incomplete"
            done = replace(answer.output[answer.index], status=state, content=(content,))
            answer.output[answer.index] = self.items[answer.item] = done
            self._say(server.OutputItemDone(response_id=answer.id, output_index=answer.index, item=done))
            self._say(server.ItemDone(item=done))
        self._finish(answer, status, details)

    def _finish(self, answer: _Answer, status: str, details: StatusDetails | None) -> None:
        self._answer = None
        self._say(server.ResponseDone(response=self._response(answer, status, details)))
