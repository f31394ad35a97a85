"""What a client of the Live protocol is told: sound and transcripts as they play, and what is given away.

There are no turns and no answers in this protocol: whoever speaks is transcribed, with the place of the words on
the session's own timeline. Words of the agent's are told when their sound leaves, never before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from antiphon.models.wire import live
from antiphon.realtime import events
from antiphon.realtime.live.hearing import Began
from antiphon.realtime.protocols.ga_sound import Outlet
from antiphon.text.script import is_han

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.messages import ToolCall
    from antiphon.models.ports import Usage
    from antiphon.models.wire.ga.shapes import Event, Format
    from antiphon.realtime.events import Effect
    from antiphon.realtime.live.hearing import Ended
    from antiphon.realtime.live.playout import Frame
    from antiphon.realtime.meter import Meter

_EVERY_MS = 100  # words are looked for in the sound so often
_KEPT = 64
_WIDE = "，。！？；：、…"


class Site(Protocol):
    """The session, as far as its narrator knows it."""

    def ms(self, t_us: int | None = None) -> int: ...
    def spoken(self, item: str, ms: int) -> str: ...
    def delegated(self, item: str | None, call: ToolCall) -> None: ...
    def over(self, item: str, text: str) -> None: ...


class Narrator:
    """The driver's listener."""

    def __init__(self, say: Callable[[Event], None], site: Site, meter: Meter) -> None:
        self._say, self._site, self._meter = say, site, meter
        self._outlet: Outlet | None = None
        self._item: str | None = None
        self._sounded = False
        self._told = ""  # of the item
        self._told_ms = self._until_ms = 0  # of the session: until when words are told, and sound is sent
        self._edges: dict[str, tuple[int, int]] = {}
        self._last = {"person": "", "agent": ""}  # the last character of each side's transcript

    def settle(self, sound: Format) -> None:
        """The session has begun, with this format."""
        self._outlet = Outlet(sound)

    @property
    def answering(self) -> bool:
        """Whether the agent speaks, or is about to."""
        return self._item is not None

    def effect(self, effect: Effect) -> None:
        """Something that the engine wished."""
        match effect:
            case events.StartAnswer(item=item):
                self._begin(item)
            case events.Render(item=item) if item != self._item:
                self._begin(item)  # what was cut goes on as an item of its own
            case events.StartTool(call=call):
                self._site.delegated(self._item, call)
            case events.Said():
                self._end(effect)
            case _:
                pass

    def _begin(self, item: str) -> None:
        self._item, self._told, self._sounded = item, "", False

    def _end(self, said: events.Said) -> None:
        if said.item == self._item:
            if self._sounded and said.finish in ("stop", "tool_calls"):
                self._transcribe(said.text)
            if self._sounded and self._outlet is not None and (data := self._outlet.finish()):
                self._say(live.AudioDelta(delta=data))
            self._item = None
        if said.finish == "failed":
            self._error("model_failed", said.error or "the model failed")
        self._site.over(said.item, said.text)

    def sound(self, frame: Frame) -> None:
        """A frame of the agent's speech."""
        if frame.item != self._item or self._outlet is None:
            return
        begin_ms = max(self._site.ms(), self._until_ms)
        self._until_ms = begin_ms + frame.ms
        if not self._sounded:
            self._sounded, self._told_ms = True, begin_ms
        if data := self._outlet.push(frame.pcm):
            self._say(live.AudioDelta(delta=data))
        if frame.at_ms % _EVERY_MS == 0:
            self._transcribe(self._site.spoken(frame.item, frame.at_ms + frame.ms))

    def _transcribe(self, spoken: str) -> None:
        new = spoken[len(self._told) :]
        if not new.strip():
            return
        delta = new if self._told else self._joined("agent", new)
        self._told = spoken
        self._last["agent"] = new[-1]
        end_ms = max(self._told_ms, self._until_ms)
        self._say(live.OutputTranscriptDelta(delta=delta, start_ms=self._told_ms, end_ms=end_ms))
        self._told_ms = end_ms

    def _joined(self, whose: str, text: str) -> str:
        """The beginning of new words, so that they do not stick to the words before."""
        last, first = self._last[whose], text[0]
        apart = last and not any(c.isspace() or is_han(c) or c in _WIDE for c in (last, first))
        return f" {text}" if apart else text

    def words(self, item: str, text: str) -> None:
        """What the model writes is told when it is spoken."""

    def heard(self, utterance: str, text: str, *, final: bool) -> None:
        """The recogniser's words."""
        if not final:
            return
        begun_us, ended_us = self._edges.pop(utterance, (None, None))
        if not text:
            return
        delta = self._joined("person", text)
        self._last["person"] = text[-1]
        start_ms = self._site.ms(begun_us)
        end_ms = max(start_ms, self._site.ms(ended_us))
        self._say(live.InputTranscriptDelta(delta=delta, start_ms=start_ms, end_ms=end_ms))

    def edge(self, edge: Began | Ended) -> None:
        """When somebody spoke."""
        begun_us = (
            edge.at_us if isinstance(edge, Began) else self._edges.get(edge.utterance, (edge.at_us, 0))[0]
        )
        self._edges[edge.utterance] = (begun_us, edge.at_us)
        for old in list(self._edges)[:-_KEPT]:
            del self._edges[old]

    def used(self, item: str, usage: Usage) -> None:
        """What an answer cost: `session.usage.updated` counts seconds."""

    def observed(self, kind: str, **fields: Any) -> None:
        """Live has no word for what an observer found."""

    def stages(self, item: str, ms: dict[str, int]) -> None:
        """Where the time of an answer went: for the operator."""
        self._meter.took(ms)

    def progress(self, call: str, text: str) -> None:
        """A slow tool's sign of life has no event here."""

    def trouble(self, what: str) -> None:
        """A part failed; the session goes on."""
        self._meter.count("troubles")
        self._error("part_failed", what)

    def _error(self, code: str, message: str) -> None:
        failure = live.LiveFailure(type="server_error", code=code, message=message)
        self._say(live.Error(error=failure))
