"""Any OpenAI-compatible `/chat/completions` endpoint as a `Chat`: text and sound both ways, tools.

`openai:MODEL` is api.openai.com; `openai+http://HOST:PORT/v1?OPTIONS#MODEL` (or https) is any other.
"""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

from antiphon.errors import ConfigError, unknown
from antiphon.models.adapters import realtime
from antiphon.models.adapters.openai_http import OFFICIAL, OPTIONS, endpoint_for
from antiphon.models.wire.openai_chat import Dialect, ReplyReader, body
from antiphon.models.wire.sse import EventReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from antiphon.clock import Clock
    from antiphon.messages import Kind
    from antiphon.models.adapters.openai_http import Answer, Endpoint
    from antiphon.models.ports import Chat, Chunk, Request
    from antiphon.models.uri import Uri

_FORMATS = ("pcm16", "wav", "flac", "mp3", "opus")
_KINDS = ("text", "speech")
_SPEAKING = ("audio", "omni")
_AUDIO_PARTS = ("input_audio", "audio_url")
_OWN = ("accepts", "gives", "voice", "format", "rate_hz", "stream", "audio_part")


class OpenAIChat:
    """One model behind one endpoint. Deadline and `timeout_s` (silence) bound every wait."""

    def __init__(self, endpoint: Endpoint, dialect: Dialect) -> None:
        self._endpoint = endpoint
        self._dialect = dialect
        self.name = dialect.name
        self.accepts = dialect.accepts
        self.gives = dialect.gives
        self.limits = endpoint.limits

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        """Chunks as they arrive, t_us on the endpoint's clock from the call. Raises ModelError."""
        clock, dialect = self._endpoint.clock, self._dialect
        started_us = clock.mono_us()
        reader = ReplyReader(dialect.name, dialect.sound, dialect.rate_hz)
        sent = body(request, dialect)
        async with self._endpoint.post(
            self.name, "chat/completions", request.deadline_us, json=sent
        ) as answer:
            if answer.content_type != "text/event-stream":
                for chunk in reader.whole(await answer.json(), clock.mono_us() - started_us):
                    yield chunk
            else:
                async with aclosing(_events(answer)) as events:
                    async for event in events:
                        for chunk in reader.event(event, clock.mono_us() - started_us):
                            yield chunk
            for chunk in reader.end(clock.mono_us() - started_us):
                yield chunk

    async def aclose(self) -> None:
        """Close the connections of the running loop; they close by themselves when it ends."""
        await self._endpoint.aclose()


async def _events(answer: Answer) -> AsyncGenerator[str, None]:
    reader = EventReader()
    async with aclosing(answer.pieces()) as pieces:
        async for piece in pieces:
            for event in reader.feed(piece):
                yield event
    for event in reader.end():
        yield event


def open_chat(uri: Uri, clock: Clock) -> Chat:
    """The model that a URI names; `openai:gpt-realtime…` and `gpt-live…` speak others. Raises ConfigError.

    Options: `accepts`, `gives` (text,speech; both by default where the model's name says "audio" or
    "omni", else text), `voice`, `format`, `rate_hz` (of raw PCM), `stream=0`, `audio_part` (`audio_url`
    for SGLang), `timeout_s`, `key` (the NAME of an environment variable), `rpm`, `concurrency`, `attempts`,
    and `body.NAME=JSON` for any other parameter of the request (null leaves one out).
    """
    if uri.scheme == "openai" and uri.path.startswith(realtime.MODELS):
        return realtime.open_chat(uri, clock)
    endpoint, model = endpoint_for(uri, clock)
    extra = {name[5:]: _json(value) for name, value in uri.options.items() if name.startswith("body.")}
    uri.only(*OPTIONS, *_OWN, *(f"body.{name}" for name in extra))
    default = "text,speech" if any(word in model.lower() for word in _SPEAKING) else "text"
    streams = uri.options.get("stream", "1") not in ("0", "false", "no")
    sound = uri.options.get("format", "pcm16" if streams else "wav")
    if sound not in _FORMATS:
        raise unknown("format", sound, _FORMATS)
    if streams and sound not in ("pcm16", "wav"):
        raise ConfigError(f"{uri.text}: {sound} cannot be streamed; write format=pcm16, or stream=0")
    audio_part = uri.options.get("audio_part", _AUDIO_PARTS[0])
    if audio_part not in _AUDIO_PARTS:
        raise unknown("audio_part", audio_part, _AUDIO_PARTS)
    official = endpoint.base == OFFICIAL
    dialect = Dialect(
        name=_name(uri, model, endpoint.base),
        model=model,
        accepts=_kinds(uri, "accepts", default),
        gives=_kinds(uri, "gives", default),
        voice=uri.options.get("voice", "alloy"),
        sound=sound,
        rate_hz=uri.whole("rate_hz", 24_000),
        stream=streams,
        max_tokens_name="max_completion_tokens" if official else "max_tokens",
        extra=extra,
        audio_part=audio_part,
    )
    return OpenAIChat(endpoint, dialect)


def _name(uri: Uri, model: str, base: str) -> str:
    """Endpoint, model and every option that may change an answer; none that only changes the wait."""
    settings = [f"{key}={value}" for key, value in sorted(uri.options.items()) if key not in OPTIONS]
    return f"openai+{base}{'?' if settings else ''}{'&'.join(settings)}#{model}"


def _kinds(uri: Uri, option: str, default: str) -> frozenset[Kind]:
    kinds = uri.options.get(option, default).split(",")
    for kind in kinds:
        if kind not in _KINDS:
            raise unknown(option, kind, _KINDS)
    return frozenset(cast("list[Kind]", kinds))


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value
