"""The OpenAI Live dialect (`/v1/live/sessions`), sans-IO: a model that owns its turns.

No event of the client's creates, cancels or truncates an answer. Work leaves the model as a *delegation*;
what comes of it goes back as `session.commentary.append` (to be spoken), `session.thinking.append` (to be
known) or `session.instructions.append` (to be followed). What configures OpenAI's own background models is
kept as JSON. Source: the types of openai-python 3.57 (`openai.types.live`).
"""

from __future__ import annotations

from typing import cast

from antiphon.models.wire.ga import codec
from antiphon.models.wire.ga.shapes import Event, Failure, Format, Json, Shape, Unknown


class Voice(Shape, frozen=True, kw_only=True):
    """A preset's name, or an object with the id of an own one."""

    voice: str | Json | None = None


class Audio(Shape, frozen=True, kw_only=True):
    """One format for both directions: `audio/pcm` at 16 or 24 kHz, `audio/pcmu`, `audio/pcma`."""

    format: Format | None = None
    output: Voice | None = None


class DelegationSettings(Shape, frozen=True, kw_only=True):
    """Where work goes: to the `client`, to `responses` or to `decisions`. The model speaks an
    acknowledgement by itself when nothing has come after `acknowledgement_delay_ms`."""

    type: str
    acknowledgement_delay_ms: int | None = None
    responses: Json | None = None
    decisions: Json | None = None


class LiveSession(Shape, frozen=True, kw_only=True):
    """A session's settings, whole or as a change; a server adds `id`, `expires_at` and `status`."""

    model: str | None = None
    id: str | None = None
    expires_at: int | None = None
    status: str | None = None
    audio: Audio | None = None
    client: Json | None = None
    delegation: DelegationSettings | None = None
    input: tuple[Json, ...] | None = None
    instructions: str | None = None
    safety_identifier: str | None = None
    store: bool | None = None
    triggers: tuple[Json, ...] | None = None


class Delegation(Shape, frozen=True, kw_only=True):
    """Work that the model gave away: `target` says to whom."""

    id: str
    target: str
    type: str = "delegation"
    response_id: str | None = None


class Seconds(Shape, frozen=True, kw_only=True):
    """How long a session has lasted."""

    seconds: float
    active_seconds: int | None = None
    paused_seconds: int | None = None


class ContextWindow(Shape, frozen=True, kw_only=True):
    """How full the model's context is, 0 to 1."""

    usage_ratio: float


class LiveFailure(Failure, frozen=True, kw_only=True):
    """An error; here the event that caused it is `client_event_id`."""

    client_event_id: str | None = None


class SessionStart(Event, frozen=True, kw_only=True, tag="session.start"):
    """The first event of a client."""

    session: LiveSession


class SessionUpdate(Event, frozen=True, kw_only=True, tag="session.update"):
    """Change delegation or triggers."""

    session: LiveSession


class AudioAppend(Event, frozen=True, kw_only=True, tag="session.input_audio.append"):
    """More of what the person says (base64 on the wire)."""

    audio: bytes


class Mute(Event, frozen=True, kw_only=True, tag="session.input_audio.mute"):
    """Listen no longer."""


class Unmute(Event, frozen=True, kw_only=True, tag="session.input_audio.unmute"):
    """Listen again."""


class FixturePlay(Event, frozen=True, kw_only=True, tag="session.output_audio.fixture.play"):
    """Play ready sound as the agent's (base64 on the wire)."""

    audio: bytes


class _Append(Event, frozen=True, kw_only=True):
    content: str
    delegation_id: str | None = None


class InstructionsAppend(_Append, frozen=True, kw_only=True, tag="session.instructions.append"):
    """More to follow, from now on."""


class ThinkingAppend(_Append, frozen=True, kw_only=True, tag="session.thinking.append"):
    """More to know, and not to say."""


class CommentaryAppend(_Append, frozen=True, kw_only=True, tag="session.commentary.append"):
    """More to say, at a fitting moment."""


class ResponseItemCreate(Event, frozen=True, kw_only=True, tag="response.item.create"):
    """An item for the background model."""

    item: Json


class ResponseCreate(Event, frozen=True, kw_only=True, tag="response.create"):
    """Let the background model answer."""


class SessionClose(Event, frozen=True, kw_only=True, tag="session.close"):
    """End the session."""


ClientEvent = (
    SessionStart
    | SessionUpdate
    | AudioAppend
    | Mute
    | Unmute
    | FixturePlay
    | InstructionsAppend
    | ThinkingAppend
    | CommentaryAppend
    | ResponseItemCreate
    | ResponseCreate
    | SessionClose
    | Unknown
)


class _Answer(Event, frozen=True, kw_only=True):
    client_event_id: str | None = None


class SessionStarted(_Answer, frozen=True, kw_only=True, tag="session.started"):
    """The session with its settings."""

    session: LiveSession


class SessionUpdated(_Answer, frozen=True, kw_only=True, tag="session.updated"):
    """The settings after a change, whole."""

    session: LiveSession


class Muted(_Answer, frozen=True, kw_only=True, tag="session.input_audio.muted"):
    """Nobody listens."""


class Unmuted(_Answer, frozen=True, kw_only=True, tag="session.input_audio.unmuted"):
    """Somebody listens again."""


class FixturePlaying(_Answer, frozen=True, kw_only=True, tag="session.output_audio.fixture.playing"):
    """Ready sound begins."""


class FixturePlayed(_Answer, frozen=True, kw_only=True, tag="session.output_audio.fixture.played"):
    """Ready sound ended."""


class _Timed(_Answer, frozen=True, kw_only=True):
    start_ms: int
    end_ms: int


class InstructionsAppended(_Timed, frozen=True, kw_only=True, tag="session.instructions.appended"):
    """Taken in, at this place of the session's time."""


class ThinkingAppended(_Timed, frozen=True, kw_only=True, tag="session.thinking.appended"):
    """Taken in, at this place of the session's time."""


class CommentaryAppended(_Timed, frozen=True, kw_only=True, tag="session.commentary.appended"):
    """Taken in, at this place of the session's time."""


class AudioDelta(Event, frozen=True, kw_only=True, tag="session.output_audio.delta"):
    """More of the agent's speech, which plays from `start_ms` to `end_ms` (base64 on the wire). It alone
    carries no `event_id`."""

    delta: bytes
    start_ms: int | None = None
    end_ms: int | None = None


class InputTranscriptDelta(_Timed, frozen=True, kw_only=True, tag="session.input_transcript.delta"):
    """More words of the person's."""

    delta: str


class OutputTranscriptDelta(_Timed, frozen=True, kw_only=True, tag="session.output_transcript.delta"):
    """More words of the agent's."""

    delta: str


class DelegationCreated(_Answer, frozen=True, kw_only=True, tag="session.delegation.created"):
    """The model gave work away, at `offset_ms` of the session's time."""

    delegation: Delegation
    offset_ms: int


class ResponseEvent(_Answer, frozen=True, kw_only=True, tag="response.event"):
    """What the background model says, as an event of the Responses API."""

    event: Json
    delegation_id: str | None = None


class UsageUpdated(_Answer, frozen=True, kw_only=True, tag="session.usage.updated"):
    """How long, and how full."""

    usage: Seconds
    context_window: ContextWindow | None = None


class SessionClosed(_Answer, frozen=True, kw_only=True, tag="session.closed"):
    """The last event: `reason` is close_requested, expired, content, remote_hangup or another word."""

    reason: str
    session: LiveSession
    usage: Seconds


class Error(_Answer, frozen=True, kw_only=True, tag="error"):
    """Something failed."""

    error: LiveFailure


class Info(_Answer, frozen=True, kw_only=True, tag="info"):
    """Something worth knowing."""

    code: str
    message: str


ServerEvent = (
    SessionStarted
    | SessionUpdated
    | Muted
    | Unmuted
    | FixturePlaying
    | FixturePlayed
    | InstructionsAppended
    | ThinkingAppended
    | CommentaryAppended
    | AudioDelta
    | InputTranscriptDelta
    | OutputTranscriptDelta
    | DelegationCreated
    | ResponseEvent
    | UsageUpdated
    | SessionClosed
    | Error
    | Info
    | Unknown
)
CLIENT = codec.by_name(ClientEvent)
SERVER = codec.by_name(ServerEvent)


def read_client(data: str | bytes) -> ClientEvent:
    """What a client sent. Raises WireError."""
    return cast("ClientEvent", codec.read(data, CLIENT, None))


def read_server(data: str | bytes) -> ServerEvent:
    """What a server sent. Raises WireError."""
    return cast("ServerEvent", codec.read(data, SERVER, None))


def write(event: Event | Unknown) -> str:
    """One event as JSON text."""
    return codec.write(event) or ""
