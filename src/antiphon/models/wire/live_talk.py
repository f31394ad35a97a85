"""`LiveTalk`: one session of the Live protocol as its client sees it, sans-IO, beside `ga.talk.Talk` for GA.

The protocol has no items and no end of an answer. Sound of the agent's belongs to the answer that began with the
first of it; whoever holds the session decides when that is over and calls `over`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from antiphon.errors import ConfigError
from antiphon.live import (
    AudioFrame,
    AudioOut,
    Cancel,
    EndTurn,
    History,
    LiveError,
    LiveUsage,
    Played,
    SendText,
    SendToolResult,
    TextOut,
    ToolAsked,
    TurnEdge,
    Update,
)
from antiphon.messages import Message, Speech, Text, ToolCall, ToolResult
from antiphon.models.wire import live
from antiphon.models.wire.ga.failures import meaning
from antiphon.models.wire.ga.items import result_item, tools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.live import ClientEvent, ServerEvent
    from antiphon.messages import ToolSpec
    from antiphon.models.wire.ga.shapes import Event, Json, Unknown

_NOBODY = "Nobody can take this over. Answer the person yourself, from what you know."
_OVER = ("response.completed", "response.failed", "response.incomplete")


@dataclass
class LiveTalk:
    """What a client must remember. `behind`: work goes to the endpoint's own background model."""

    in_hz: int
    out_hz: int
    behind: bool
    answering: bool = False
    _answers: int = 0
    _half: bytes = b""  # of a sample that was cut between two deltas
    _heard: str = ""
    _asked: set[str] = field(default_factory=set[str])
    _open: set[str] = field(default_factory=set[str])
    _working: set[str] = field(default_factory=set[str])
    _called: bool = False
    _owed: bool = False  # a background model has answered, and nothing of it was spoken yet

    @property
    def busy(self) -> bool:
        """Whether work is under way of which the agent will speak."""
        return bool(self._working) or self._owed

    def send(self, event: ClientEvent) -> list[live.ClientEvent]:
        """What to send for a live event. Raises ConfigError for sound at another rate, ValueError for what
        the protocol has no event for."""
        match event:
            case AudioFrame():
                if event.rate_hz != self.in_hz:
                    raise ConfigError(f"this session takes sound at {self.in_hz} Hz, not {event.rate_hz}; resample the track first")  # fmt: skip
                return [live.AudioAppend(audio=event.pcm)]
            case SendText(text):
                content = [{"type": "input_text", "text": text}]
                return self._behind({"type": "message", "role": "user", "content": content})
            case SendToolResult(result):
                self._open.discard(result.call_id)
                item = result_item(result)
                output = {"type": item.type, "call_id": item.call_id, "output": item.output}
                return self._behind(output, go_on=not self._open)
            case EndTurn():
                self._need_behind()
                return [live.ResponseCreate()]
            case Update(instructions, specs):
                told: list[live.ClientEvent] = []
                if instructions is not None:
                    told.append(live.InstructionsAppend(content=instructions))
                return told if specs is None else [*told, self._offer(specs)]
            case History():
                raise ValueError(
                    "what was said before goes into the start of a Live session, not into its middle"
                )
            case Played() | Cancel():
                return []  # the agent owns its turns

    def _need_behind(self) -> None:
        if not self.behind:
            raise ValueError(
                "written questions and tools need the endpoint's background model: backend=MODEL"
            )

    def _behind(self, item: Json, *, go_on: bool = True) -> list[live.ClientEvent]:
        self._need_behind()
        asked: list[live.ClientEvent] = [live.ResponseCreate()] if go_on else []
        return [live.ResponseItemCreate(item=item), *asked]

    def _offer(self, specs: Sequence[ToolSpec]) -> live.ClientEvent:
        self._need_behind()
        settings = live.DelegationSettings(type="responses", responses={"tools": functions(specs)})
        return live.SessionUpdate(session=live.LiveSession(delegation=settings))

    def hear(self, event: live.ServerEvent, t_us: int) -> list[ServerEvent]:
        """What a server's event, which came at `t_us`, says to the holder of the session."""
        match event:
            case live.AudioDelta():
                return self._sound(event.delta, t_us)
            case live.OutputTranscriptDelta(delta=delta):
                return [*self._begun(t_us), TextOut(self._item, t_us, delta, "agent")]
            case live.InputTranscriptDelta(delta=delta):
                self._heard += delta
                return [TextOut(f"person_{self._answers}", t_us, self._heard, "person", final=True)]
            case live.DelegationCreated(delegation=made):
                if made.target != "client":
                    self._working.add(made.id)
                return []
            case live.ResponseEvent(event=inner, delegation_id=name):
                return self._work(inner, name, t_us)
            case live.SessionClosed(reason=reason, usage=usage):
                ended = [] if reason == "close_requested" else [self._ended(reason, t_us)]
                return [LiveUsage(t_us, (("seconds", usage.seconds),)), *ended]
            case live.Error(error=failure):
                return [meaning(failure, t_us)]
            case _:
                return []

    def helpless(self, event: Event | Unknown) -> list[live.ClientEvent]:
        """What to send back where the agent gives work to its client, and nobody is there to take it."""
        if isinstance(event, live.DelegationCreated) and event.delegation.target == "client":
            return [live.CommentaryAppend(content=_NOBODY, delegation_id=event.delegation.id)]
        return []

    @property
    def _item(self) -> str:
        return f"answer_{self._answers}"

    def _begun(self, t_us: int) -> list[ServerEvent]:
        self._owed = False
        if self.answering:
            return []
        self.answering, self._half = True, b""
        self._answers += 1
        return [TurnEdge(t_us, "answer_started", self._item)]

    def _sound(self, delta: bytes, t_us: int) -> list[ServerEvent]:
        begun = self._begun(t_us)
        pcm = self._half + delta
        whole = len(pcm) - len(pcm) % 2
        self._half = pcm[whole:]
        return [*begun, AudioOut(self._item, t_us, pcm[:whole], self.out_hz)] if whole else begun

    def _work(self, event: Json, delegation: str | None, t_us: int) -> list[ServerEvent]:
        kind, item = event.get("type"), event.get("item")
        if kind == "response.output_item.done" and isinstance(item, dict):
            return self._ask(cast("Json", item), t_us)
        if kind not in _OVER:
            return []
        self._working.discard(delegation or "")
        self._owed = kind == "response.completed" and not self._open
        body = event.get("response")
        response = cast("Json", body) if isinstance(body, dict) else {}
        told: list[ServerEvent] = []
        usage = response.get("usage")
        if isinstance(usage, dict):
            counted = cast("Json", usage)
            names = ("input_tokens", "output_tokens")
            counts = tuple(
                (name, float(counted[name])) for name in names if isinstance(counted.get(name), int)
            )
            told.append(LiveUsage(t_us, counts))
        if kind == "response.failed":
            told.append(LiveError(t_us, "the background model failed", fatal=False, transient=True))
        return told

    def _ask(self, item: Json, t_us: int) -> list[ServerEvent]:
        call, name, arguments = item.get("call_id"), item.get("name"), item.get("arguments")
        if item.get("type") != "function_call" or not isinstance(call, str) or call in self._asked:
            return []
        self._asked.add(call)
        self._called = True
        try:
            value: object = json.loads(arguments or "{}") if isinstance(arguments, str | None) else None
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or not isinstance(name, str) or not name:
            shown = f"called tool {name!r} with arguments that are no JSON object: {str(arguments)[:80]}"
            return [LiveError(t_us, shown, fatal=False)]
        self._open.add(call)
        return [ToolAsked(t_us, ToolCall(call, name, cast("dict[str, Any]", value)))]

    def _ended(self, reason: str, t_us: int) -> LiveError:
        heals = reason in ("expired", "connection_lost", "remote_hangup")
        return LiveError(t_us, f"the endpoint ended the session ({reason})", fatal=True, transient=heals)

    def over(self) -> str:
        """The answer is over; why: "tool_calls" or "stop"."""
        reason = "tool_calls" if self._called else "stop"
        self.answering, self._called, self._owed, self._heard = False, False, False, ""
        return reason


def functions(specs: Sequence[ToolSpec]) -> list[Json]:
    """Tools as a background model is offered them."""
    named = [(tool.name, tool.description, tool.parameters) for tool in tools(specs)]
    return [
        {"type": "function", "name": name, "description": what, "parameters": schema}
        for name, what, schema in named
    ]


def history(messages: Sequence[Message]) -> tuple[Json, ...]:
    """What was said before, for the start of a session: words alone. Raises ValueError for speech without any."""
    return tuple(
        {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        for message in messages
        for role, kind, text in _lines(message)
        if text
    )


def _lines(message: Message) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    kinds = {"assistant": "output_text"}
    for part in message.parts:
        match part:
            case Text(text):
                role = message.role if message.role in ("user", "assistant") else "developer"
                found.append((role, kinds.get(role, "input_text"), text))
            case Speech():
                if part.heard is None:
                    raise ValueError(
                        f"earlier speech of the {message.role} goes in as words, and this has no transcript"
                    )
                found.append((message.role, kinds.get(message.role, "input_text"), part.heard))
            case ToolCall(call, name, arguments):
                shown = json.dumps(dict(arguments), ensure_ascii=False)
                found.append(("developer", "input_text", f"You called {name}({shown}), call {call}."))
            case ToolResult():
                found.append(
                    ("developer", "input_text", f"Call {part.call_id} returned {result_item(part).output}")
                )
    return found
