"""Events that a Realtime client sends."""

from __future__ import annotations

from antiphon.models.wire.ga.shapes import Event, Item, ResponseOptions, Session, Unknown


class SessionUpdate(Event, frozen=True, kw_only=True, tag="session.update"):
    """Change the session's settings: only what is named."""

    session: Session


class AudioAppend(Event, frozen=True, kw_only=True, tag="input_audio_buffer.append"):
    """More of what the person says, in the session's input format (base64 on the wire)."""

    audio: bytes


class AudioCommit(Event, frozen=True, kw_only=True, tag="input_audio_buffer.commit"):
    """The sound so far becomes an item."""


class AudioClear(Event, frozen=True, kw_only=True, tag="input_audio_buffer.clear"):
    """Forget the sound so far."""


class OutputClear(Event, frozen=True, kw_only=True, tag="output_audio_buffer.clear"):
    """WebRTC: drop what has not been played."""


class ItemCreate(Event, frozen=True, kw_only=True, tag="conversation.item.create"):
    """Put an item into the conversation, at its end or after another one."""

    item: Item
    previous_item_id: str | None = None


class ItemRetrieve(Event, frozen=True, kw_only=True, tag="conversation.item.retrieve"):
    """Ask for an item."""

    item_id: str


class ItemDelete(Event, frozen=True, kw_only=True, tag="conversation.item.delete"):
    """Take an item out."""

    item_id: str


class ItemTruncate(Event, frozen=True, kw_only=True, tag="conversation.item.truncate"):
    """Only `audio_end_ms` of an item were heard: forget the rest, words included."""

    item_id: str
    content_index: int
    audio_end_ms: int


class ResponseCreate(Event, frozen=True, kw_only=True, tag="response.create"):
    """Answer now."""

    response: ResponseOptions | None = None


class ResponseCancel(Event, frozen=True, kw_only=True, tag="response.cancel"):
    """Stop the answer under way."""

    response_id: str | None = None


ClientEvent = (
    SessionUpdate
    | AudioAppend
    | AudioCommit
    | AudioClear
    | OutputClear
    | ItemCreate
    | ItemRetrieve
    | ItemDelete
    | ItemTruncate
    | ResponseCreate
    | ResponseCancel
    | Unknown
)
