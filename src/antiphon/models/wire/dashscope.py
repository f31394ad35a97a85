"""Alibaba Model Studio's Realtime dialect (Qwen-Audio, Qwen-Omni): the beta names, with its own formats.

Sound goes in at 16 kHz and comes out at 24 kHz. Tools are nested. Items cannot be truncated. A session ends
with `session.finish`; a `server_error` ends it too, an `invalid_request_error` does not. Source: Model Studio, client and server events of the
Qwen-Audio Realtime API and of the Qwen-Omni-Realtime API, as of October 2026.
"""

from __future__ import annotations

from antiphon.models.wire.ga import codec
from antiphon.models.wire.ga.dialect import flat_dialect
from antiphon.models.wire.ga.shapes import Event, Unknown

HOST = "dashscope.aliyuncs.com"
PATH = "/api-ws/v1/realtime"

# "pcm16" and "pcm24" are the older names: the number is the rate in kHz on the side where it stands.
DASHSCOPE = flat_dialect(
    "dashscope",
    in_hz=16_000,
    into=(("pcm", "audio/pcm", 16_000), ("pcm16", "audio/pcm", 16_000)),
    out=(("pcm", "audio/pcm", 24_000), ("pcm24", "audio/pcm", 24_000), ("pcm16", "audio/pcm", 24_000)),
    silent=frozenset({"output_audio_buffer.clear", "conversation.item.truncate"}),
    max_tokens="max_tokens",
)


class SessionFinish(Event, frozen=True, kw_only=True, tag="session.finish"):
    """The client will send nothing more; what is under way is finished."""


class ImageAppend(Event, frozen=True, kw_only=True, tag="input_image_buffer.append"):
    """A picture (JPEG) that belongs to the sound around it (base64 on the wire)."""

    image: bytes


class SessionFinished(Event, frozen=True, kw_only=True, tag="session.finished"):
    """Everything was answered; the server closes."""


CLIENT = {**codec.CLIENT, "session.finish": SessionFinish, "input_image_buffer.append": ImageAppend}
SERVER = {**codec.SERVER, "session.finished": SessionFinished}


def read_client(data: str | bytes) -> Event | Unknown:
    """What a client sent. Raises WireError."""
    return codec.read(data, CLIENT, DASHSCOPE)


def read_server(data: str | bytes) -> Event | Unknown:
    """What the service sent. Raises WireError."""
    return codec.read(data, SERVER, DASHSCOPE)


def write(event: Event | Unknown) -> str | None:
    """One event as JSON text, None where the service knows no such event."""
    return codec.write(event, DASHSCOPE)
