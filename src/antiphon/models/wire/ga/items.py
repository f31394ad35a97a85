"""Messages as items of a Realtime conversation."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from antiphon.audio.resample import resample
from antiphon.messages import Speech, Text, ToolCall, ToolResult
from antiphon.models.wire.ga.shapes import Item, Part, Tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antiphon.messages import Message, ToolSpec
    from antiphon.messages import Part as Said


def tools(specs: Sequence[ToolSpec]) -> tuple[Tool, ...]:
    """Tools as a session offers them."""
    return tuple(
        Tool(name=spec.name, description=spec.description, parameters=dict(spec.parameters)) for spec in specs
    )


def items(message: Message, rate_hz: int) -> list[Item]:
    """One message: results and calls as items of their own, words and sound together in another. A turn
    with a transcript goes by that. Raises ValueError for earlier speech of the agent's without words."""
    parts = [_part(part, message.role, rate_hz) for part in message.parts if isinstance(part, Text | Speech)]
    results = [result_item(part) for part in message.parts if isinstance(part, ToolResult)]
    calls = [_call(part) for part in message.parts if isinstance(part, ToolCall)]
    said = [Item(type="message", role=message.role, content=tuple(parts))] if parts else []
    return [*results, *said, *calls]


def _part(part: Said, role: str, rate_hz: int) -> Part:
    kind = "output_text" if role == "assistant" else "input_text"
    if isinstance(part, Text):
        return Part(type=kind, text=part.text)
    assert isinstance(part, Speech)
    if part.heard is not None:
        return Part(type=kind, text=part.heard)
    if role != "user":
        raise ValueError(f"earlier speech of the {role} goes in as words, and this has no transcript")
    pcm = resample(part.clip, rate_hz).pcm16()
    return Part(type="input_audio", audio=base64.b64encode(pcm).decode())


def result_item(result: ToolResult) -> Item:
    """What a tool gave back, an error as `{"error": …}`."""
    value = {"error": result.error} if result.error is not None else result.value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Item(type="function_call_output", call_id=result.call_id, output=text)


def _call(call: ToolCall) -> Item:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return Item(type="function_call", call_id=call.id, name=call.name, arguments=arguments)
