"""`Talk`: one session as its client sees it, sans-IO. Live events become Realtime events, and back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast

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
from antiphon.messages import ToolCall
from antiphon.models.wire.ga import client, server
from antiphon.models.wire.ga.failures import meaning
from antiphon.models.wire.ga.items import items, result_item, tools
from antiphon.models.wire.ga.shapes import Failure, Item, Part, Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.live import ClientEvent, ServerEvent
    from antiphon.models.wire.ga.client import ClientEvent as Sent
    from antiphon.models.wire.ga.server import ServerEvent as Got
    from antiphon.models.wire.ga.shapes import Response, Usage

_REASONS = {"max_output_tokens": "length", "content_filter": "content_filter"}


@dataclass
class Talk:
    """What a client must remember: rates, the answer under way, what of it was played, open tool calls."""

    in_hz: int
    out_hz: int
    answering: bool = False
    _sound: bool = False  # sent since the last commit
    _item: str | None = None
    _part: int = 0
    _played: dict[str, int] = field(default_factory=dict[str, int])
    _half: bytes = b""  # of a sample that was cut between two deltas
    _worded: set[str] = field(default_factory=set[str])
    _names: dict[str, str] = field(default_factory=dict[str, str])
    _asked: set[str] = field(default_factory=set[str])
    _open: set[str] = field(default_factory=set[str])
    _called: bool = False

    def send(self, event: ClientEvent) -> list[Sent]:
        """What to send for a live event. Raises ConfigError for sound at another rate, ValueError for
        history that cannot be told."""
        sent = self._sent(event)
        self.answering |= any(isinstance(one, client.ResponseCreate) for one in sent)
        return sent

    def _sent(self, event: ClientEvent) -> list[Sent]:
        match event:
            case AudioFrame():
                return self._frame(event)
            case SendText(text):
                said = Item(type="message", role="user", content=(Part(type="input_text", text=text),))
                return [client.ItemCreate(item=said), client.ResponseCreate()]
            case History(messages):
                return [client.ItemCreate(item=i) for message in messages for i in items(message, self.in_hz)]
            case EndTurn():
                commit: list[Sent] = [client.AudioCommit()] if self._sound else []
                self._sound = False
                return [*commit, client.ResponseCreate()]
            case SendToolResult(result):
                self._open.discard(result.call_id)
                go_on: list[Sent] = [] if self._open else [client.ResponseCreate()]
                return [client.ItemCreate(item=result_item(result)), *go_on]
            case Played(item, ms, stopped):
                self._played[item] = ms
                cut = client.ItemTruncate(item_id=item, content_index=self._part, audio_end_ms=ms)
                return [cut] if stopped else []
            case Cancel():
                return self._cancel()
            case Update(instructions, specs):
                offered = None if specs is None else tools(specs)
                return [client.SessionUpdate(session=Session(type="realtime", instructions=instructions, tools=offered))]  # fmt: skip

    def _frame(self, frame: AudioFrame) -> list[Sent]:
        if frame.rate_hz != self.in_hz:
            raise ConfigError(
                f"this session takes sound at {self.in_hz} Hz, not {frame.rate_hz}; resample the track first"
            )
        self._sound = True
        return [client.AudioAppend(audio=frame.pcm)]

    def _cancel(self) -> list[Sent]:
        """Stop, and let the conversation hold only what was heard where the player has told."""
        sent: list[Sent] = [client.ResponseCancel()] if self.answering else []
        if self._item is not None and self._item in self._played:
            heard_ms = self._played[self._item]
            sent.append(
                client.ItemTruncate(item_id=self._item, content_index=self._part, audio_end_ms=heard_ms)
            )
        return sent

    def hear(self, event: Got, t_us: int) -> list[ServerEvent]:
        """What a server's event, which came at `t_us`, says to the holder of the session."""
        handler = self._HEARD.get(type(event))
        return [] if handler is None else handler(self, event, t_us)

    def _settings(self, event: server.SessionUpdated | server.SessionCreated, _: int) -> list[ServerEvent]:
        audio = event.session.audio
        if audio is not None and audio.output is not None and audio.output.format is not None:
            self.out_hz = audio.output.format.rate or self.out_hz
        return []

    def _edge(self, event: server.SpeechStarted | server.SpeechStopped, t_us: int) -> list[ServerEvent]:
        edge = "speech_started" if isinstance(event, server.SpeechStarted) else "speech_stopped"
        return [TurnEdge(t_us, edge, event.item_id or None)]

    def _transcript(
        self, event: server.TranscriptionDelta | server.TranscriptionCompleted, t_us: int
    ) -> list[ServerEvent]:
        if isinstance(event, server.TranscriptionCompleted):
            return [TextOut(event.item_id, t_us, event.transcript, "person", final=True)]
        return [TextOut(event.item_id, t_us, event.delta, "person")] if event.delta else []

    def _started(self, _: server.ResponseCreated, t_us: int) -> list[ServerEvent]:
        self.answering, self._called = True, False
        return [TurnEdge(t_us, "answer_started")]

    def _words(self, event: server.TextDelta | server.TranscriptDelta, t_us: int) -> list[ServerEvent]:
        self._worded.add(event.item_id)
        return [TextOut(event.item_id, t_us, event.delta, "agent")] if event.delta else []

    def _all_words(self, event: server.TextDone | server.TranscriptDone, t_us: int) -> list[ServerEvent]:
        """Only where a server gave no pieces."""
        text = event.text if isinstance(event, server.TextDone) else event.transcript
        if event.item_id in self._worded or not text:
            return []
        self._worded.add(event.item_id)
        return [TextOut(event.item_id, t_us, text, "agent")]

    def _speech(self, event: server.AudioDelta, t_us: int) -> list[ServerEvent]:
        if event.item_id != self._item:
            self._item, self._part, self._half = event.item_id, event.content_index, b""
        pcm = self._half + event.delta
        whole = len(pcm) - len(pcm) % 2
        self._half = pcm[whole:]
        return [AudioOut(event.item_id, t_us, pcm[:whole], self.out_hz)] if whole else []

    def _tool_item(self, event: server.OutputItemAdded, _: int) -> list[ServerEvent]:
        item = event.item
        if item.type == "function_call" and item.name:
            for key in (item.call_id, item.id):
                if key:
                    self._names[key] = item.name
        return []

    def _arguments(self, event: server.ArgumentsDone, t_us: int) -> list[ServerEvent]:
        name = event.name or self._names.get(event.call_id) or self._names.get(event.item_id) or ""
        return self._ask(event.call_id, name, event.arguments, t_us)

    def _item_done(self, event: server.OutputItemDone, t_us: int) -> list[ServerEvent]:
        item = event.item
        if item.type != "function_call":
            return []
        return self._ask(item.call_id or item.id or "", item.name or "", item.arguments or "", t_us)

    def _ask(self, call_id: str, name: str, arguments: str, t_us: int) -> list[ServerEvent]:
        """A call once, whichever of the events that repeat it comes first."""
        if call_id in self._asked:
            return []
        self._asked.add(call_id)
        self._called = True
        try:
            value: object = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict) or not name:
            shown = f"called tool {name!r} with arguments that are no JSON object: {arguments[:80]}"
            return [LiveError(t_us, shown, fatal=False)]
        self._open.add(call_id)
        return [ToolAsked(t_us, ToolCall(call_id, name, cast("dict[str, Any]", value)))]

    def _done(self, event: server.ResponseDone, t_us: int) -> list[ServerEvent]:
        response = event.response
        self.answering = False
        late = [
            asked
            for item in response.output or ()
            if item.type == "function_call" and response.status == "completed"
            for asked in self._ask(item.call_id or item.id or "", item.name or "", item.arguments or "", t_us)
        ]
        used: list[ServerEvent] = [LiveUsage(t_us, counts(response.usage))] if response.usage else []
        reason = self._reason(response)
        failed: list[ServerEvent] = []
        if reason == "failed":
            details = response.status_details
            failed = [meaning((details.error if details else None) or Failure(code="failed"), t_us)]
        self._called = False
        return [*late, *used, *failed, TurnEdge(t_us, "answer_done", reason=reason)]

    def _reason(self, response: Response) -> str:
        why = response.status_details.reason if response.status_details else None
        if response.status == "incomplete":
            return _REASONS.get(why or "", "length")
        if response.status in ("cancelled", "failed"):
            return response.status
        return "tool_calls" if self._called else "stop"

    def _failed(self, event: server.Error, t_us: int) -> list[ServerEvent]:
        # A cancel that crosses the answer's end on the wire is no failure.
        return [] if event.error.code == "response_cancel_not_active" else [meaning(event.error, t_us)]

    _HEARD: ClassVar[dict[type, Callable[[Any, Any, int], list[ServerEvent]]]] = {
        server.SessionCreated: _settings,
        server.SessionUpdated: _settings,
        server.SpeechStarted: _edge,
        server.SpeechStopped: _edge,
        server.TranscriptionDelta: _transcript,
        server.TranscriptionCompleted: _transcript,
        server.ResponseCreated: _started,
        server.TextDelta: _words,
        server.TranscriptDelta: _words,
        server.TextDone: _all_words,
        server.TranscriptDone: _all_words,
        server.AudioDelta: _speech,
        server.OutputItemAdded: _tool_item,
        server.ArgumentsDone: _arguments,
        server.OutputItemDone: _item_done,
        server.ResponseDone: _done,
        server.Error: _failed,
    }


def counts(usage: Usage) -> tuple[tuple[str, float], ...]:
    """Tokens by name: `input_tokens`, `output_tokens`, and such as `input_audio_tokens` where told."""
    found: dict[str, float] = {}
    for side, total, details in (
        ("input", usage.input_tokens, usage.input_token_details),
        ("output", usage.output_tokens, usage.output_token_details),
    ):
        if total is not None:
            found[f"{side}_tokens"] = total
        for name, count in (details or {}).items():
            if isinstance(count, int | float) and not isinstance(count, bool):
                found[f"{side}_{name}"] = count
    return tuple(found.items())
