"""Each answer's way from the person's last sound to its own last one, as stages that follow each other without gaps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antiphon.realtime import events

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.messages import ToolCall, ToolResult
    from antiphon.realtime.events import Effect, Input

# In their order. A stage that ended before an earlier one took no time: the two ran side by side.
STAGES = ("detected", "recognised", "decided", "first_token", "first_clause", "first_sound", "sent", "played")
_KEPT = 64


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage, microseconds of the session."""

    name: str
    begin_us: int
    end_us: int


@dataclass(slots=True)
class Answered:
    """One answer from the end of the turn that it is to. `begin_us` is the person's last sound, or the question's
    time where nobody spoke."""

    item: str
    begin_us: int
    heard: str  # the person's words, where there were any
    why: str
    marks: dict[str, int] = field(default_factory=dict[str, int])
    written_us: int | None = None
    end_us: int = 0
    text: str = ""
    heard_chars: int = 0
    finish: str = ""
    error: str | None = None

    def mark(self, name: str, at_us: int) -> None:
        self.marks.setdefault(name, at_us)

    def stages(self) -> list[Stage]:
        """What happened, one after the other from `begin_us` to `end_us`: the parts add up to the whole."""
        return self._until(self.end_us)

    def sounded(self) -> dict[str, int]:
        """The ends of the stages up to the first frame that left, in ms after `begin_us`."""
        return {
            stage.name: (stage.end_us - self.begin_us) // 1000 for stage in self._until(self.marks["sent"])
        }

    def _until(self, last_us: int) -> list[Stage]:
        found: list[Stage] = []
        at_us = self.begin_us
        for name in STAGES:
            if (end_us := self.marks.get(name)) is not None:
                end_us = max(at_us, min(end_us, last_us))
                found.append(Stage(name, at_us, end_us))
                at_us = end_us
        return found


@dataclass(frozen=True, slots=True)
class Sounded:
    """An answer's first frame has left: its stages until then, as `Answered.sounded` gives them."""

    item: str
    ms: dict[str, int]


@dataclass(frozen=True, slots=True)
class Used:
    """One call of a tool. `result` None: it was cancelled, or the session ended first."""

    call: ToolCall
    begin_us: int
    end_us: int
    result: ToolResult | None
    item: str | None  # of the answer that called it


Event = Answered | Sounded | Used


class TurnTimes:
    """Follows one session's inputs and effects: what metrics, traces and the client are told comes from here."""

    def __init__(self) -> None:
        self._offsets: dict[str, tuple[int, int]] = {}  # utterance → (end of speech, when that was known)
        self._words: dict[str, tuple[int, str]] = {}
        self._open: dict[str, Answered] = {}  # by item
        self._items: dict[str, str] = {}  # answer → the item it speaks as
        self._tools: dict[str, tuple[int, ToolCall, str | None]] = {}
        self._called_by: dict[str, str] = {}  # call → item

    def step(self, now_us: int, inputs: Sequence[Input], effects: Sequence[Effect]) -> list[Event]:
        """What has begun to sound, and what is over now."""
        done: list[Event] = []
        for given in inputs:
            done += self._in(given)
        for effect in effects:
            done += self._out(now_us, effect)
        return done

    def is_open(self, item: str) -> bool:
        """Whether this answer is not over."""
        return item in self._open

    def rest(self, now_us: int) -> list[Event]:
        """What was not over when the session ended."""
        tools = [Used(call, at_us, now_us, None, item) for at_us, call, item in self._tools.values()]
        answers = list(self._open.values())
        for answer in answers:
            answer.end_us, answer.finish = now_us, "session ended"
        self._tools, self._open = {}, {}
        return [*answers, *tools]

    def _in(self, given: Input) -> list[Event]:
        match given:
            case events.SpeechStopped(t_us, utterance, offset_us):
                self._offsets[utterance] = (offset_us, t_us)
                _forget(self._offsets)
            case events.Words(t_us, utterance, text, final=True):
                self._words[utterance] = (t_us, text)
                _forget(self._words)
            case events.AnswerText(t_us, id_):
                self._mark(self._items.get(id_), "first_token", t_us)
            case events.AnswerTool(id=id_, call=call):
                self._called_by[call.id] = self._items.get(id_, "")
                _forget(self._called_by)
            case events.AnswerDone(t_us, id_):
                if (answer := self._open.get(self._items.pop(id_, ""))) is not None:
                    answer.written_us = t_us
            case events.Rendered(t_us, id_, ms=ms) if ms:
                self._mark(id_.rpartition(".")[0], "first_sound", t_us)
            case events.Sent(t_us, item, ms) if ms:
                return self._sent(item, t_us)
            case events.ToolReturned(t_us, id_, result=result):
                return self._used(id_, t_us, result)
            case _:
                pass
        return []

    def _out(self, now_us: int, effect: Effect) -> list[Event]:
        match effect:
            case events.StartAnswer():
                self._begin(now_us, effect)
            case events.Render(item=item):
                self._mark(item, "first_clause", now_us)
            case events.StartTool(id_, call=call):
                self._tools[id_] = (now_us, call, self._called_by.get(call.id))
            case events.CancelTool(id_):
                return self._used(id_, now_us, None)
            case events.Said(item):
                return self._said(now_us, effect)
            case _:
                pass
        return []

    def _begin(self, now_us: int, start: events.StartAnswer) -> None:
        self._items[start.id] = start.item
        ends = [self._offsets[name] for name in start.utterances if name in self._offsets]
        words = [self._words[name] for name in start.utterances if name in self._words]
        text = " ".join(text for _, text in words if text)
        answer = Answered(start.item, ends[-1][0] if ends else now_us, text, start.why)
        self._open[start.item] = answer
        if ends:
            answer.mark("detected", ends[-1][1])
        if words:
            answer.mark("recognised", words[-1][0])
        answer.mark("decided", now_us)

    def _mark(self, item: str | None, name: str, at_us: int) -> None:
        if item is not None and (answer := self._open.get(item)) is not None:
            answer.mark(name, at_us)

    def _sent(self, item: str, at_us: int) -> list[Event]:
        answer = self._open.get(item)
        if answer is None or "sent" in answer.marks:
            return []
        answer.mark("sent", at_us)
        return [Sounded(item, answer.sounded())]

    def _said(self, now_us: int, said: events.Said) -> list[Event]:
        answer = self._open.pop(said.item, None)
        if answer is None:  # the rest of what was cut: no turn of its own
            return []
        answer.end_us, answer.text, answer.heard_chars = now_us, said.text, said.heard_chars
        answer.finish, answer.error = said.finish, said.error
        if "sent" in answer.marks:
            answer.mark("played", now_us)
        return [answer]

    def _used(self, name: str, now_us: int, result: ToolResult | None) -> list[Event]:
        found = self._tools.pop(name, None)
        if found is None:
            return []
        at_us, call, item = found
        return [Used(call, at_us, now_us, result, item)]


def _forget(known: dict[str, Any]) -> None:
    for old in list(known)[:-_KEPT]:
        del known[old]
