"""Events that a Realtime server sends.

Ids and indexes that a client can do without default to nothing: servers other than OpenAI's leave them out.
"""

from __future__ import annotations

from antiphon.models.wire.ga.shapes import (
    Conversation,
    Event,
    Failure,
    Item,
    Json,
    Part,
    RateLimit,
    Response,
    Session,
    Unknown,
)


class Error(Event, frozen=True, kw_only=True, tag="error"):
    """Something failed; most errors leave the session alive."""

    error: Failure


class SessionCreated(Event, frozen=True, kw_only=True, tag="session.created"):
    """The first event of a session, with its defaults."""

    session: Session


class SessionUpdated(Event, frozen=True, kw_only=True, tag="session.updated"):
    """The settings after a change, whole."""

    session: Session


class ConversationCreated(Event, frozen=True, kw_only=True, tag="conversation.created"):
    """The conversation that the session holds."""

    conversation: Conversation


class ItemAdded(Event, frozen=True, kw_only=True, tag="conversation.item.added"):
    """An item entered the conversation; it may still grow."""

    item: Item
    previous_item_id: str | None = None


class ItemDone(Event, frozen=True, kw_only=True, tag="conversation.item.done"):
    """An item is complete."""

    item: Item
    previous_item_id: str | None = None


class ItemCreated(Event, frozen=True, kw_only=True, tag="conversation.item.created"):
    """The same as added, in the beta dialect."""

    item: Item
    previous_item_id: str | None = None


class ItemRetrieved(Event, frozen=True, kw_only=True, tag="conversation.item.retrieved"):
    """The item that was asked for."""

    item: Item


class ItemDeleted(Event, frozen=True, kw_only=True, tag="conversation.item.deleted"):
    """An item is gone."""

    item_id: str


class ItemTruncated(Event, frozen=True, kw_only=True, tag="conversation.item.truncated"):
    """An item ends where it was heard to."""

    item_id: str
    audio_end_ms: int
    content_index: int = 0


class TranscriptionDelta(
    Event, frozen=True, kw_only=True, tag="conversation.item.input_audio_transcription.delta"
):
    """More words of the person's."""

    item_id: str
    content_index: int = 0
    delta: str = ""


class TranscriptionSegment(
    Event, frozen=True, kw_only=True, tag="conversation.item.input_audio_transcription.segment"
):
    """Words with their place in the sound, in seconds, and who said them."""

    item_id: str
    text: str
    content_index: int = 0
    id: str = ""
    speaker: str = ""
    start: float = 0.0
    end: float = 0.0


class TranscriptionCompleted(
    Event, frozen=True, kw_only=True, tag="conversation.item.input_audio_transcription.completed"
):
    """All words of one of the person's items."""

    item_id: str
    transcript: str
    content_index: int = 0
    usage: Json | None = None


class TranscriptionFailed(
    Event, frozen=True, kw_only=True, tag="conversation.item.input_audio_transcription.failed"
):
    """The recogniser gave up on an item."""

    item_id: str
    error: Failure
    content_index: int = 0


class AudioCommitted(Event, frozen=True, kw_only=True, tag="input_audio_buffer.committed"):
    """The sound so far is an item now."""

    item_id: str
    previous_item_id: str | None = None


class AudioCleared(Event, frozen=True, kw_only=True, tag="input_audio_buffer.cleared"):
    """The sound so far is forgotten."""


class SpeechStarted(Event, frozen=True, kw_only=True, tag="input_audio_buffer.speech_started"):
    """The person began, `audio_start_ms` into the sound sent. Stock clients stop playing at this."""

    audio_start_ms: int
    item_id: str = ""


class SpeechStopped(Event, frozen=True, kw_only=True, tag="input_audio_buffer.speech_stopped"):
    """The person ended."""

    audio_end_ms: int
    item_id: str = ""


class TimeoutTriggered(Event, frozen=True, kw_only=True, tag="input_audio_buffer.timeout_triggered"):
    """Nobody spoke for `idle_timeout_ms`."""

    audio_start_ms: int
    audio_end_ms: int
    item_id: str = ""


class OutputStarted(Event, frozen=True, kw_only=True, tag="output_audio_buffer.started"):
    """WebRTC: playing began."""

    response_id: str = ""


class OutputStopped(Event, frozen=True, kw_only=True, tag="output_audio_buffer.stopped"):
    """WebRTC: everything was played."""

    response_id: str = ""


class OutputCleared(Event, frozen=True, kw_only=True, tag="output_audio_buffer.cleared"):
    """WebRTC: what was not played is dropped."""

    response_id: str = ""


class ResponseCreated(Event, frozen=True, kw_only=True, tag="response.created"):
    """An answer begins."""

    response: Response


class ResponseDone(Event, frozen=True, kw_only=True, tag="response.done"):
    """An answer ended, however it did."""

    response: Response


class _OfResponse(Event, frozen=True, kw_only=True):
    response_id: str = ""
    output_index: int = 0


class OutputItemAdded(_OfResponse, frozen=True, kw_only=True, tag="response.output_item.added"):
    """A new item of the answer."""

    item: Item


class OutputItemDone(_OfResponse, frozen=True, kw_only=True, tag="response.output_item.done"):
    """An item of the answer is complete."""

    item: Item


class _OfItem(_OfResponse, frozen=True, kw_only=True):
    item_id: str = ""


class _OfPart(_OfItem, frozen=True, kw_only=True):
    content_index: int = 0


class ContentPartAdded(_OfPart, frozen=True, kw_only=True, tag="response.content_part.added"):
    """A new piece of an item."""

    part: Part


class ContentPartDone(_OfPart, frozen=True, kw_only=True, tag="response.content_part.done"):
    """A piece of an item is complete."""

    part: Part


class TextDelta(_OfPart, frozen=True, kw_only=True, tag="response.output_text.delta"):
    """More written words."""

    delta: str


class TextDone(_OfPart, frozen=True, kw_only=True, tag="response.output_text.done"):
    """All written words."""

    text: str = ""


class AudioDelta(_OfPart, frozen=True, kw_only=True, tag="response.output_audio.delta"):
    """More speech, in the session's output format (base64 on the wire)."""

    delta: bytes


class AudioDone(_OfPart, frozen=True, kw_only=True, tag="response.output_audio.done"):
    """All speech was sent."""


class TranscriptDelta(_OfPart, frozen=True, kw_only=True, tag="response.output_audio_transcript.delta"):
    """More words of the speech."""

    delta: str


class TranscriptDone(_OfPart, frozen=True, kw_only=True, tag="response.output_audio_transcript.done"):
    """All words of the speech."""

    transcript: str = ""


class ArgumentsDelta(_OfItem, frozen=True, kw_only=True, tag="response.function_call_arguments.delta"):
    """More of a call's JSON."""

    delta: str
    call_id: str = ""


class ArgumentsDone(_OfItem, frozen=True, kw_only=True, tag="response.function_call_arguments.done"):
    """A whole call. Some servers name the function only in its item."""

    arguments: str
    call_id: str
    name: str | None = None


class RateLimitsUpdated(Event, frozen=True, kw_only=True, tag="rate_limits.updated"):
    """What is left of the quotas."""

    rate_limits: tuple[RateLimit, ...]


ServerEvent = (
    Error
    | SessionCreated
    | SessionUpdated
    | ConversationCreated
    | ItemAdded
    | ItemDone
    | ItemCreated
    | ItemRetrieved
    | ItemDeleted
    | ItemTruncated
    | TranscriptionDelta
    | TranscriptionSegment
    | TranscriptionCompleted
    | TranscriptionFailed
    | AudioCommitted
    | AudioCleared
    | SpeechStarted
    | SpeechStopped
    | TimeoutTriggered
    | OutputStarted
    | OutputStopped
    | OutputCleared
    | ResponseCreated
    | ResponseDone
    | OutputItemAdded
    | OutputItemDone
    | ContentPartAdded
    | ContentPartDone
    | TextDelta
    | TextDone
    | AudioDelta
    | AudioDone
    | TranscriptDelta
    | TranscriptDone
    | ArgumentsDelta
    | ArgumentsDone
    | RateLimitsUpdated
    | Unknown
)
