"""What Realtime events carry: sessions, items, responses, usage. Names and fields are the protocol's own.

An optional field is None when it is absent, and None is not written. Where null itself says something
("take no turns by yourself"), absent is UNSET and None is null. Source: OpenAI Realtime API reference, GA.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

Json = dict[str, Any]


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """A part of an event. Fields that Antiphon does not know are dropped on reading."""


class Format(Shape, frozen=True, kw_only=True):
    """How sound is coded: `audio/pcm` (16-bit little-endian mono at `rate`), `audio/pcmu`, `audio/pcma`."""

    type: str = "audio/pcm"
    rate: int | None = None


class TurnDetection(Shape, frozen=True, kw_only=True):
    """Who notices that the person has ended: `server_vad`, `semantic_vad`, or (DashScope) `smart_turn`."""

    type: str
    threshold: float | None = None
    prefix_padding_ms: int | None = None
    silence_duration_ms: int | None = None
    idle_timeout_ms: int | None = None
    eagerness: str | None = None
    create_response: bool | None = None
    interrupt_response: bool | None = None


class Transcription(Shape, frozen=True, kw_only=True):
    """Which recogniser writes down what the person says."""

    model: str | None = None
    language: str | None = None
    prompt: str | None = None


class NoiseReduction(Shape, frozen=True, kw_only=True):
    """`near_field` or `far_field`."""

    type: str | None = None


class Listening(Shape, frozen=True, kw_only=True):
    """A session's input side."""

    format: Format | None = None
    turn_detection: TurnDetection | UnsetType | None = UNSET
    transcription: Transcription | UnsetType | None = UNSET
    noise_reduction: NoiseReduction | UnsetType | None = UNSET


class Speaking(Shape, frozen=True, kw_only=True):
    """A session's output side. `voice` is a preset's name, or an object with the id of an own one."""

    format: Format | None = None
    voice: str | Json | None = None
    speed: float | None = None


class Audio(Shape, frozen=True, kw_only=True):
    """Both sides of a session; a response has only `output`."""

    input: Listening | None = None
    output: Speaking | None = None


class Tool(Shape, frozen=True, kw_only=True):
    """A function on offer; `parameters` is a JSON schema."""

    type: str = "function"
    name: str | None = None
    description: str | None = None
    parameters: Json | None = None


class Session(Shape, frozen=True, kw_only=True):
    """A session's settings, whole or as a change. A client of the beta dialect sends no `type`."""

    type: str | None = None
    id: str | None = None
    object: str | None = None
    model: str | None = None
    expires_at: int | None = None
    instructions: str | None = None
    output_modalities: tuple[str, ...] | None = None
    audio: Audio | None = None
    tools: tuple[Tool, ...] | None = None
    tool_choice: str | Json | None = None
    parallel_tool_calls: bool | None = None
    max_output_tokens: int | str | None = None
    reasoning: Json | None = None
    truncation: str | Json | None = None


class Part(Shape, frozen=True, kw_only=True):
    """A piece of an item. `audio` is base64."""

    type: str | None = None
    text: str | None = None
    audio: str | None = None
    transcript: str | None = None


class Item(Shape, frozen=True, kw_only=True):
    """One entry of the conversation: `message`, `function_call`, `function_call_output`, or another kind."""

    type: str
    id: str | None = None
    object: str | None = None
    status: str | None = None
    role: str | None = None
    content: tuple[Part, ...] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    output: str | None = None
    server_label: str | None = None  # of an `mcp_call`, with its `error`
    error: Json | None = None


class Failure(Shape, frozen=True, kw_only=True):
    """An error in the peer's words; `event_id` is that of the client event which caused it."""

    type: str | None = None
    code: str | None = None
    message: str | None = None
    param: str | None = None
    event_id: str | None = None


class StatusDetails(Shape, frozen=True, kw_only=True):
    """Why a response ended as it did."""

    type: str | None = None
    reason: str | None = None
    error: Failure | None = None


class Usage(Shape, frozen=True, kw_only=True):
    """Tokens of one response; the details split them into text, audio and cached ones."""

    total_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_token_details: Json | None = None
    output_token_details: Json | None = None


class Response(Shape, frozen=True, kw_only=True):
    """One answer: `in_progress`, `completed`, `cancelled`, `incomplete` or `failed`."""

    id: str | None = None
    object: str | None = None
    status: str | None = None
    status_details: StatusDetails | None = None
    output: tuple[Item, ...] | None = None
    output_modalities: tuple[str, ...] | None = None
    audio: Audio | None = None
    conversation_id: str | None = None
    max_output_tokens: int | str | None = None
    metadata: Json | None = None
    usage: Usage | None = None


class ResponseOptions(Shape, frozen=True, kw_only=True):
    """How one answer shall differ from the session. `conversation` "none": it leaves no trace there."""

    instructions: str | None = None
    output_modalities: tuple[str, ...] | None = None
    audio: Audio | None = None
    conversation: str | None = None
    input: tuple[Item, ...] | None = None
    max_output_tokens: int | str | None = None
    metadata: Json | None = None
    tools: tuple[Tool, ...] | None = None
    tool_choice: str | Json | None = None
    parallel_tool_calls: bool | None = None
    reasoning: Json | None = None


class Conversation(Shape, frozen=True, kw_only=True):
    """The default conversation of a session."""

    id: str | None = None
    object: str | None = None


class RateLimit(Shape, frozen=True, kw_only=True):
    """What is left of a quota."""

    name: str | None = None
    limit: int | None = None
    remaining: int | None = None
    reset_seconds: float | None = None


class Event(Shape, frozen=True, kw_only=True):
    """Whatever crosses the socket."""

    event_id: str | None = None


class Unknown(msgspec.Struct, frozen=True):
    """An event that Antiphon has no type for: kept as it came."""

    type: str
    body: Json
