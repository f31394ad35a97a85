"""`llama:`: a chat model in GGUF run by llama.cpp (through xllamacpp) on the CPU.

    llama:qwen2.5-coder-0.5b?threads=2&context=4096      a packaged model
    llama:/path/model.gguf                               any GGUF with a chat template

Text only: spoken messages are read by their transcript. The same request gives the same reply: llama.cpp's
prompt cache changes how sums are rounded, so it is off unless `cache=1` (faster long dialogues). All threads
read the prompt, all but one write. Their number does not change a reply.
xllamacpp opens a port on the loopback interface for its own use.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from antiphon.errors import ConfigError, ModelError, ReplyError
from antiphon.messages import Kind, Speech, Text, ToolCall, ToolResult, says
from antiphon.models.native import Engines, Relay, need
from antiphon.models.ports import Done, Request, Sampling, TextDelta, ToolAsk, Usage, collect
from antiphon.models.weights import fetch, store

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.clock import Clock
    from antiphon.messages import Message, Part, ToolSpec
    from antiphon.models.native import Engine
    from antiphon.models.ports import Chunk
    from antiphon.models.uri import Uri

PACKAGED = ("qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")
_MAX_TOKENS = 512  # where the request sets no limit: a small model may go on for ever
_CALL_OPENERS = ("{", "```", "<tool_call>")

_engines: Engines[Any] = Engines()


def open_chat(uri: Uri, clock: Clock) -> LlamaChat:
    """A chat model; nothing is loaded before its first request.

    Raises ConfigError for unknown names or options, UnavailableError when package or weights are missing.
    """
    uri.only("threads", "context", "cache")
    threads, context = uri.whole("threads", 2), uri.whole("context", 4096)
    if threads < 1 or context < 256:
        raise ConfigError(f"{uri.text}: threads count from 1, context from 256")
    cache = uri.whole("cache", 0) != 0
    need("xllamacpp")
    path, weights = _weights(uri)
    engine = _engines.get((path, threads, context), lambda: _load(path, threads, context))
    settings = f"context={context}{' cache' if cache else ''}"
    name = f"llama:{weights} {settings} (xllamacpp {version('xllamacpp')})"
    return LlamaChat(name, engine, clock, cache=cache)


def _weights(uri: Uri) -> tuple[Path, str]:
    """The model's file, and its name with a hash."""
    if "/" not in uri.path:
        name = uri.one_of(PACKAGED, "packaged chat model (or a file, llama:/path.gguf)", PACKAGED[0])
        return next(fetch.locate(name).glob("*.gguf")), f"{name}@{fetch.digest(name)}"
    path = Path(uri.path).expanduser()
    if not _is_gguf(path):
        raise ConfigError(f"{uri.text}: {path} is not a GGUF file; give the path of one")
    return path, f"{path.stem}@{store.digest_of(path)}"


def _is_gguf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"GGUF"


def _load(path: Path, threads: int, context: int) -> Any:
    xllamacpp = importlib.import_module("xllamacpp")  # compiled, without type stubs
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams_batch.n_threads = threads
    # Writing leaves a core to the voice that speaks at the same time: threads that wait for one another
    # at every layer, with no core for one of them, were measured at 1 token a second instead of 27.
    params.cpuparams.n_threads = max(1, threads - 1)
    params.cpuparams.poll = params.cpuparams_batch.poll = 0  # a thread that waits gives its core away
    params.n_gpu_layers = 0
    params.fit_params = False  # the settings above are the settings
    params.cache_ram_mib = 0
    params.warmup = False
    params.verbosity = -1
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelError(f"llama:{path.name}", f"llama.cpp cannot load it: {error}") from error


class LlamaChat:
    """The port `Chat` on a local model. Calls queue up: one reply at a time."""

    accepts: frozenset[Kind] = frozenset({"text"})
    gives: frozenset[Kind] = frozenset({"text"})

    def __init__(self, name: str, engine: Engine[Any], clock: Clock, *, cache: bool = False) -> None:
        self.name = name
        self._engine = engine
        self._clock = clock
        self._cache = cache

    async def warm(self) -> None:
        """Load the model and write one token, so that no measured call pays for the first of anything."""
        await collect(self, Request((says("user", "1"),), sampling=Sampling(max_tokens=1)))

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        """The reply as it comes. Closing the stream stops llama.cpp after the token it is at.

        Raises ModelError: context too small, deadline passed, or llama.cpp failed.
        """
        start_us = self._clock.mono_us()
        body = self._body(request)
        reply = _Reply(tools=bool(request.tools))
        events: Relay[dict[str, Any] | None] = Relay()
        worker = asyncio.create_task(asyncio.to_thread(self._produce, body, events))
        try:
            while (event := await self._next(events, request.deadline_us, start_us)) is not None:
                for chunk in reply.take(self.name, event, self._clock.mono_us() - start_us):
                    yield chunk
            for chunk in reply.finish(self._clock.mono_us() - start_us):
                yield chunk
        finally:
            events.stopped.set()
            worker.cancel()  # the thread notices `stopped` at its next token

    async def _next(
        self, events: Relay[dict[str, Any] | None], deadline_us: int | None, start_us: int
    ) -> dict[str, Any] | None:
        left_s = None if deadline_us is None else (start_us + deadline_us - self._clock.mono_us()) / 1e6
        try:
            return await events.next(left_s)
        except TimeoutError:
            raise ModelError(
                self.name, f"no reply within {(deadline_us or 0) / 1e6:g} s", transient=True
            ) from None

    def _produce(self, body: dict[str, Any], events: Relay[dict[str, Any] | None]) -> None:
        """In a thread: run llama.cpp and hand over what it says."""
        try:
            self._engine.run_here(lambda server: _complete(server, body, events))
        except Exception as error:  # noqa: BLE001  the native boundary: the caller gets it, the thread ends
            known = isinstance(error, ModelError)
            events.fail(error if known else ModelError(self.name, str(error)))
        else:
            events.put(None)

    def _body(self, request: Request) -> dict[str, Any]:
        sampling = request.sampling
        body: dict[str, Any] = {
            "messages": [row for message in request.messages for row in _rows(self.name, message)],
            "stream": True,
            "stream_options": {"include_usage": True},
            "seed": sampling.seed & 0xFFFF_FFFF,
            "temperature": sampling.temperature,
            "max_tokens": sampling.max_tokens or _MAX_TOKENS,
            "cache_prompt": self._cache,
        }
        if request.tools:
            body["tools"] = [_tool(spec) for spec in request.tools]
        if request.choices:
            body["grammar"] = grammar(request.choices)
        return body


def _complete(server: Any, body: dict[str, Any], events: Relay[dict[str, Any] | None]) -> None:
    def said(event: dict[str, Any]) -> bool:
        events.put(event)
        return events.stopped.is_set()  # True makes xllamacpp stop

    if not events.stopped.is_set():
        server.handle_chat_completions(body, said)


class _Reply:
    """Turns llama.cpp's events into chunks; text that may be a tool call is held back to its end."""

    def __init__(self, *, tools: bool) -> None:
        self._tools = tools
        self._held = ""
        self._calls: dict[int, dict[str, str]] = {}
        self._finish = ""
        self._usage = Usage()

    def take(self, name: str, event: dict[str, Any], t_us: int) -> list[Chunk]:
        if "error" in event:
            raise ModelError(name, str(event["error"].get("message", event["error"])))
        if usage := event.get("usage"):
            self._usage = Usage(usage.get("prompt_tokens"), usage.get("completion_tokens"))
        words = ""
        for choice in event.get("choices", ()):
            self._finish = choice.get("finish_reason") or self._finish
            words += choice["delta"].get("content") or ""
            for piece in choice["delta"].get("tool_calls") or ():
                self._take_call(piece)
        text = self._hold(words) if self._tools else words
        return [TextDelta(text, t_us)] if text else []

    def _take_call(self, piece: dict[str, Any]) -> None:
        call = self._calls.setdefault(piece.get("index", 0), {"id": "", "name": "", "arguments": ""})
        call["id"] += piece.get("id") or ""
        for key in ("name", "arguments"):
            call[key] += piece.get("function", {}).get(key) or ""

    def _hold(self, words: str) -> str:
        """The part of the text so far that is certainly not a call."""
        self._held += words
        starts = [at for opener in _CALL_OPENERS if (at := self._held.find(opener)) >= 0]
        free = min(starts, default=len(self._held.rstrip("`<tol_ca")))  # an opener may be half here
        text, self._held = self._held[:free], self._held[free:]
        return text

    def finish(self, t_us: int) -> list[Chunk]:
        if not self._finish:
            return []  # cut off: `collect` says so
        calls = [_native_call(index, call) for index, call in sorted(self._calls.items())]
        if not calls and (written := first_call(self._held)) is not None:
            calls, self._held = [written], ""
        chunks: list[Chunk] = [TextDelta(self._held, t_us)] if self._held else []
        chunks += [ToolAsk(call, t_us) for call in calls]
        finish = "tool_calls" if calls else self._finish
        return [*chunks, Done(finish, t_us, self._usage)]


def _native_call(index: int, call: dict[str, str]) -> ToolCall:
    try:
        arguments = json.loads(call["arguments"] or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        raise ReplyError(f"llama: tool {call['name']}", f"arguments are not JSON: {call['arguments'][:80]!r}")
    return ToolCall(call["id"] or f"call_{index}", call["name"], cast("dict[str, Any]", arguments))


def first_call(text: str) -> ToolCall | None:
    """The tool call that a Qwen coder model wrote as JSON text: its first object with name and arguments."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, _ = decoder.raw_decode(text, at)
        except ValueError:
            value = None
        match value:
            case {"name": str(name), "arguments": dict(arguments)}:
                return ToolCall("call_0", name, cast("dict[str, Any]", arguments))
            case _:
                at = text.find("{", at + 1)
    return None


def grammar(choices: Sequence[str]) -> str:
    """A GBNF grammar that allows exactly these texts."""
    return "root ::= " + " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)


def _rows(name: str, message: Message) -> list[dict[str, Any]]:
    """A message in the chat-completions dialect; each tool result is a message of its own there."""
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    if results:
        return [{"role": "tool", "tool_call_id": part.call_id, "content": _result(part)} for part in results]
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    row: dict[str, Any] = {
        "role": message.role,
        "content": "".join(_words(name, part) for part in message.parts),
    }
    if calls:
        row["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for call in calls
        ]
    return [row]


def _words(name: str, part: Part) -> str:
    match part:
        case Text(text):
            return text
        case Speech():
            if part.heard is None:
                raise ModelError(
                    name,
                    "reads text only and this speech has no transcript; use cascade:, which recognises it",
                )
            return part.heard
        case _:
            return ""


def _result(part: ToolResult) -> str:
    return part.error if part.error is not None else json.dumps(part.value, ensure_ascii=False)


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": dict(spec.parameters),
        },
    }
