"""The OpenAI chat dialect, sans-IO: a request's JSON body, and chunks out of an answer's JSON."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from antiphon.audio.files import decode, encode
from antiphon.errors import DataError, ModelError, ReplyError
from antiphon.messages import Speech, Text, ToolCall, ToolResult
from antiphon.models.ports import Chunk, Done, SpeechDelta, TextDelta, ToolAsk, Usage
from antiphon.models.wire.sound import SoundReader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.messages import Kind, Message, Part, ToolSpec
    from antiphon.models.ports import Request

Json = dict[str, Any]
_FINISHES = {"function_call": "tool_calls"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What this endpoint is asked for. `extra` is merged into the body last; a None there removes."""

    name: str
    model: str
    accepts: frozenset[Kind]
    gives: frozenset[Kind]
    voice: str
    sound: str
    rate_hz: int
    stream: bool
    max_tokens_name: str
    extra: Mapping[str, Any]
    audio_part: str = "input_audio"  # SGLang knows only "audio_url"; vLLM and SGLang-Omni know both


def body(request: Request, dialect: Dialect) -> Json:
    """The JSON body of a request. Raises ModelError for a spoken turn that cannot be sent."""
    sampling = request.sampling
    whole: Json = {
        "model": dialect.model,
        "messages": _messages(request, dialect),
        "stream": dialect.stream,
        "temperature": sampling.temperature,
        "seed": sampling.seed,
    }
    if sampling.max_tokens is not None:
        whole[dialect.max_tokens_name] = sampling.max_tokens
    if dialect.stream:
        whole["stream_options"] = {"include_usage": True}
    if request.tools:
        whole["tools"] = [_tool(spec) for spec in request.tools]
        whole["tool_choice"] = "required" if request.must_call else None
    if "speech" in request.want and "speech" in dialect.gives:
        whole["modalities"] = ["text", "audio"]
        whole["audio"] = {"voice": dialect.voice, "format": dialect.sound}
    elif "speech" in dialect.gives:
        whole["modalities"] = ["text"]
    whole |= dialect.extra
    return {key: value for key, value in whole.items() if value is not None}


def _tool(spec: ToolSpec) -> Json:
    function = {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}
    return {"type": "function", "function": function}


def _messages(request: Request, dialect: Dialect) -> list[Json]:
    sent = [json for message in request.messages for json in _message(message, dialect)]
    if request.choices:
        listed = " | ".join(request.choices)
        sent.append(
            {"role": "user", "content": f"Answer with exactly one of these and nothing else: {listed}"}
        )
    return sent


def _message(message: Message, dialect: Dialect) -> list[Json]:
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    content = [
        _content(part, message.role, dialect) for part in message.parts if isinstance(part, Text | Speech)
    ]
    sent: list[Json] = [_result(result) for result in results]
    if not content and not calls:
        return sent
    own: Json = {"role": message.role, "content": _plain(content) if content else None}
    if calls:
        own["tool_calls"] = [_call(call) for call in calls]
    return [*sent, own]


def _plain(content: Sequence[Json]) -> str | list[Json]:
    """Words alone go as a string: every server knows that form."""
    if all(part["type"] == "text" for part in content):
        return "".join(part["text"] for part in content)
    return list(content)


def _content(part: Part, role: str, dialect: Dialect) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    assert isinstance(part, Speech)
    if role == "user" and "speech" in dialect.accepts:
        if not len(part.clip):
            raise ModelError(dialect.name, "this spoken turn is empty: there is no sound to send")
        data = base64.b64encode(encode(part.clip, "wav")).decode()
        if dialect.audio_part == "audio_url":
            return {"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{data}"}}
        return {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
    if part.heard is None:
        what = "takes no speech" if role == "user" else "takes earlier speech of its own as words only"
        raise ModelError(
            dialect.name,
            f"{what}, and this {role} turn has no transcript; "
            "add accepts=text,speech for a model that listens, or put it behind cascade:?chat=…",
        )
    return {"type": "text", "text": part.heard}


def _call(call: ToolCall) -> Json:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _result(result: ToolResult) -> Json:
    value = {"error": result.error} if result.error is not None else result.value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return {"role": "tool", "tool_call_id": result.call_id, "content": text}


@dataclass
class _Call:
    """A tool call while its pieces arrive."""

    id: str = ""
    name: str = ""
    arguments: str = ""


class ReplyReader:
    """Turns the JSON of an answer, streamed or whole, into chunks. `name` goes into errors.

    Text may come as `content` or as the transcript of the sound; sound as `audio.data` or, from
    vLLM-omni, as `content` of a chunk whose `modality` is "audio". Hidden reasoning is not passed on.
    """

    def __init__(self, name: str, sound: str, rate_hz: int) -> None:
        self._name = name
        self._sound = sound
        self._reader = SoundReader(rate_hz)
        self._calls: dict[int, _Call] = {}
        self._finish: str | None = None
        self._usage = Usage()
        self._gave = False
        self._thought = False
        self._closed = False

    def event(self, data: str, t_us: int) -> list[Chunk]:
        """The chunks in one event's data. Raises ModelError on an error event or garbage."""
        if data.strip() == "[DONE]":
            self._closed = True
            return []
        answer = parse_object(self._name, data)
        return self._read(answer, "delta", t_us)

    def whole(self, answer: Json, t_us: int) -> list[Chunk]:
        """The chunks in an answer that was not streamed."""
        self._closed = True
        return self._read(answer, "message", t_us)

    def end(self, t_us: int) -> list[Chunk]:
        """Tool calls and `Done`. Raises ModelError for half a stream, an empty or a withheld reply."""
        if not self._closed and self._finish is None:
            raise ModelError(self._name, "the stream broke off before the reply ended", transient=True)
        if self._finish == "content_filter":
            raise ReplyError(self._name, "the endpoint withheld the reply (content_filter)")
        asks = [ToolAsk(self._whole_call(at, call), t_us) for at, call in sorted(self._calls.items())]
        if not self._gave and not asks:
            why = (
                "only hidden reasoning; raise max_tokens" if self._thought else "no text, sound or tool call"
            )
            raise ReplyError(self._name, f"an empty reply: {why}")
        finish = "tool_calls" if asks and self._finish != "length" else self._finish or "stop"
        return [*asks, Done(_FINISHES.get(finish, finish), t_us, self._usage)]

    def _read(self, answer: Json, key: str, t_us: int) -> list[Chunk]:
        if answer.get("error"):
            raise error_in(self._name, answer)
        try:
            return self._choices(answer, key, t_us)
        except (AttributeError, TypeError, KeyError):
            shown = one_line(json.dumps(answer, ensure_ascii=False), 80)
            raise ModelError(self._name, f"answered with JSON of an unknown shape: {shown}") from None

    def _choices(self, answer: Json, key: str, t_us: int) -> list[Chunk]:
        self._count(answer.get("usage"))
        found: list[Chunk] = []
        for choice in cast("list[Json]", answer.get("choices") or []):
            part = cast("Json", choice.get(key) or choice.get("message") or choice.get("delta") or {})
            if answer.get("modality") == "audio" and isinstance(part.get("content"), str):
                part = {**part, "content": None, "audio": {"data": part["content"]}}
            found += self._part(part, t_us, whole=key == "message")
            if self._finish in (None, "stop"):  # vLLM-Omni ends the words, then the sound: "stop" again
                self._finish = choice.get("finish_reason") or self._finish
        return found

    def _part(self, part: Json, t_us: int, *, whole: bool) -> list[Chunk]:
        audio = cast("Json", part.get("audio") or {})
        words = _words(part.get("content")) or cast("str", audio.get("transcript") or "")
        found: list[Chunk] = [TextDelta(words, t_us)] if words else []
        if audio.get("data") and (clip := self._clip(audio["data"], whole=whole)) is not None:
            found.append(SpeechDelta(clip, t_us))
        self._gave |= bool(found)
        self._thought |= bool(part.get("reasoning_content") or part.get("reasoning"))
        for position, piece in enumerate(cast("list[Json]", part.get("tool_calls") or [])):
            self._add(piece, position)
        return found

    def _clip(self, data: str, *, whole: bool) -> Clip | None:
        try:
            sound = base64.b64decode(data, validate=True)
            if whole and self._sound != "pcm16" and sound[:4] != b"RIFF":
                return decode(sound, "sound")
            return self._reader.read(sound)
        except (ValueError, DataError) as error:
            raise ModelError(self._name, f"sent speech that cannot be read: {error}") from None

    def _add(self, piece: Json, position: int) -> None:
        call = self._calls.setdefault(piece.get("index", position), _Call())
        function = cast("Json", piece.get("function") or {})
        call.id = piece.get("id") or call.id
        call.name += function.get("name") or ""
        call.arguments += function.get("arguments") or ""

    def _whole_call(self, position: int, call: _Call) -> ToolCall:
        try:
            arguments: object = json.loads(call.arguments or "{}")
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict) or not call.name:
            shown = call.arguments[:80]
            raise ReplyError(
                self._name, f"called tool {call.name!r} with arguments that are no JSON object: {shown}"
            )
        return ToolCall(call.id or f"call_{position}", call.name, cast("Json", arguments))

    def _count(self, usage: Json | None) -> None:
        """The latest count. vLLM-Omni's pieces of sound count no tokens, which takes none back."""
        if usage:
            written = usage.get("completion_tokens") or self._usage.completion_tokens
            self._usage = Usage(usage.get("prompt_tokens"), written)


def _words(content: object) -> str:
    """`content` is a string or a list of typed parts."""
    if isinstance(content, list):
        parts = cast("list[Json]", content)
        return "".join(part.get("text") or "" for part in parts if part.get("type") == "text")
    return content if isinstance(content, str) else ""


def parse_object(name: str, data: str | bytes) -> Json:
    """A JSON object. Raises ModelError that shows how the garbage begins."""
    try:
        value = json.loads(data)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        shown = data.decode(errors="replace") if isinstance(data, bytes) else data
        raise ModelError(name, f"answered with something that is no JSON object: {one_line(shown, 80)!r}")
    return cast("Json", value)


def error_in(name: str, answer: Json) -> ModelError:
    """The error that an answer carries, as servers spell it inside a stream."""
    error = answer.get("error")
    told = cast("Json", error) if isinstance(error, dict) else {"message": str(error)}
    code = told.get("code")
    busy = code == 429 or (isinstance(code, int) and code >= 500)
    return ModelError(name, one_line(str(told.get("message") or told), 200), transient=busy)


def one_line(text: str, limit: int) -> str:
    """Text for an error message: one line, cut at `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
