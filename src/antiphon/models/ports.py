"""The ports: what Antiphon asks of a model, and the records that pass through.

Every model has a `name`: full model name, weights and settings, in one string. It goes into
fingerprints and cache keys, so two models that may answer differently never share a name. The name of
anything scripted begins with "scripted:".
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from antiphon.audio.clip import Clip, join
from antiphon.errors import ModelError
from antiphon.messages import Kind, Message, ToolCall, ToolSpec

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to draw tokens. Temperature 0 is greedy; `max_tokens` caps one reply."""

    seed: int = 0
    temperature: float = 0.0
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a chat model. `deadline_us` counts from the call; None waits.

    With `choices` the reply must be one of them: a local model is held to it by a grammar, an endpoint
    is only told, so whoever asks still checks. `must_call`: the reply must call one of `tools`; a model is
    told where it can be, and whoever asks checks here too.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    want: frozenset[Kind] = frozenset({"text", "speech"})
    sampling: Sampling = Sampling()
    deadline_us: int | None = None
    choices: tuple[str, ...] = ()
    must_call: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What one reply consumed; None where the model does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """The very tokens of a reply: a trainer must never re-tokenise. Shapes (p,), (c,), (c,)."""

    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    logprobs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More words, `t_us` after the call."""

    text: str
    t_us: int


@dataclass(frozen=True, slots=True)
class SpeechDelta:
    """More sound, `t_us` after the call."""

    clip: Clip
    t_us: int


@dataclass(frozen=True, slots=True)
class ToolAsk:
    """A complete tool call, `t_us` after the call."""

    call: ToolCall
    t_us: int


@dataclass(frozen=True, slots=True)
class Done:
    """The last chunk. `finish` is "stop", "length" or "tool_calls"; `heard` is the model's own
    recognition of spoken input; `stages` maps a stage's name to when it ended."""

    finish: str
    t_us: int
    usage: Usage = Usage()
    cost_usd: float | None = None
    tokens: Tokens | None = None
    heard: str | None = None
    stages: Mapping[str, int] = field(default_factory=dict[str, int])


Chunk = TextDelta | SpeechDelta | ToolAsk | Done


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model gave back to one request. Times count from the call, None where nothing came."""

    text: str
    clip: Clip | None
    tool_calls: tuple[ToolCall, ...]
    finish: str
    first_token_us: int | None
    first_audio_us: int | None
    end_us: int
    usage: Usage = Usage()
    cost_usd: float | None = None
    tokens: Tokens | None = None
    heard: str | None = None
    stages: Mapping[str, int] = field(default_factory=dict[str, int])


class Chat(Protocol):
    """Text and/or speech in; text, speech and tool calls out. `aclose()` on the stream cancels.

    Raises ModelError; a stream that ends without `Done` is one, raised by `collect`.
    """

    name: str
    accepts: frozenset[Kind]
    gives: frozenset[Kind]

    def stream(self, request: Request) -> AsyncGenerator[Chunk, None]: ...


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word and when it sounds, seconds from the clip's start."""

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Transcript:
    """Recognised words. `language` is what was recognised ("zh", "en"), None when not told; `words` are the
    words in time, None where the recogniser gives no times."""

    text: str
    language: str | None = None
    words: tuple[TimedWord, ...] | None = None


class Transcriber(Protocol):
    """Batched recognition, for measuring. `language` None lets the model decide."""

    name: str

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]: ...


@dataclass(frozen=True, slots=True)
class Partial:
    """Words so far, after `t_us` of sound; `final` words do not change any more."""

    t_us: int
    text: str
    final: bool


class TranscriberStream(Protocol):
    """One live recognition: push sound, read what is known so far."""

    async def push(self, clip: Clip) -> list[Partial]: ...

    async def finish(self) -> list[Partial]: ...


class LiveTranscriber(Protocol):
    """Recognition with partial results, for live sessions."""

    name: str

    def open(self, language: str | None) -> TranscriberStream: ...


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks: a preset name or a prompt clip, a style in words, and a seed. Empty name: default.

    `prompt_text` is what the prompt clip says, where that is known: some models speak better for it.
    """

    name: str = ""
    style: str = ""
    prompt: Clip | None = None
    seed: int = 0
    prompt_text: str = ""


@dataclass(frozen=True, slots=True)
class SpeechContext:
    """What surrounds the words: the dialogue so far, cues (rate, emotion, loudness), the room. `urgent`: somebody waits
    for the first sound, and a slow voice may begin with less than a clause."""

    language: str | None = None
    history: tuple[Message, ...] = ()
    cues: Mapping[str, float | str] = field(default_factory=dict[str, "float | str"])
    noise_db: float | None = None
    urgent: bool = False


@dataclass(frozen=True, slots=True)
class SpeechChunk:
    """Speech for the next `chars` characters of the text; `estimated` when the count is a guess."""

    clip: Clip
    chars: int
    estimated: bool = True


class Synthesizer(Protocol):
    """Text to speech, from the first clause on. Raises ModelError, ConfigError for unknown voices."""

    name: str

    def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]: ...


@dataclass(frozen=True, slots=True)
class Invalid:
    """A clip that a scorer could not score, and why."""

    reason: str


class ClipScorer(Protocol):
    """Numbers about sound: MOS estimates, emotion probabilities. One dict of `names` a clip."""

    name: str
    names: tuple[str, ...]

    async def score(self, clips: Sequence[Clip]) -> list[dict[str, float] | Invalid]: ...


@runtime_checkable
class Warms(Protocol):
    """A model that loads its weights on first use, or now."""

    async def warm(self) -> None: ...


async def warm(model: object) -> None:
    """Load a model's weights before anything is measured; nothing to do where there are none."""
    if isinstance(model, Warms):
        await model.warm()


def is_scripted(name: str) -> bool:
    """Whether a model's name or URI says that it only recites a script."""
    return name.startswith("scripted:")


async def speak(
    synthesizer: Synthesizer, text: str, voice: Voice | None = None, language: str | None = None
) -> Clip:
    """All of a text as one clip. Raises ModelError when the synthesizer gives no sound."""

    async def whole() -> AsyncGenerator[str, None]:
        yield text

    stream = synthesizer.stream(whole(), voice or Voice(), SpeechContext(language=language))
    async with aclosing(stream) as chunks:
        clips = [chunk.clip async for chunk in chunks]
    if not any(len(clip) for clip in clips):
        raise ModelError(synthesizer.name, f"no sound for {text[:40]!r}")
    return join(clips)


async def collect(chat: Chat, request: Request) -> Reply:
    """Run a request to its end. Raises ModelError when the stream breaks off before `Done`."""
    texts: list[str] = []
    clips: list[Clip] = []
    calls: list[ToolCall] = []
    first_token_us = first_audio_us = None
    async with aclosing(chat.stream(request)) as chunks:
        async for chunk in chunks:
            match chunk:
                case TextDelta(text, t_us):
                    first_token_us = t_us if first_token_us is None else first_token_us
                    texts.append(text)
                case SpeechDelta(clip, t_us):
                    first_audio_us = t_us if first_audio_us is None else first_audio_us
                    clips.append(clip)
                case ToolAsk(call, _):
                    calls.append(call)
                case Done():
                    return Reply(
                        "".join(texts), join(clips) if clips else None, tuple(calls), chunk.finish,
                        first_token_us, first_audio_us, chunk.t_us, chunk.usage, chunk.cost_usd,
                        chunk.tokens, chunk.heard, chunk.stages,
                    )  # fmt: skip
    raise ModelError(chat.name, "the stream ended before the reply did", transient=True)
