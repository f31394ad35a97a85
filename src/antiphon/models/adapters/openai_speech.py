"""An OpenAI-compatible endpoint as recogniser (`/audio/transcriptions`) and voice (`/audio/speech`)."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from antiphon.audio.files import encode
from antiphon.errors import ModelError
from antiphon.models.adapters.openai_http import OPTIONS, endpoint_for
from antiphon.models.clauses import clauses_of, has_words
from antiphon.models.ports import SpeechChunk, Transcript
from antiphon.models.wire.sound import SoundReader

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.models.adapters.openai_http import Endpoint
    from antiphon.models.ports import SpeechContext, Synthesizer, Transcriber, Voice
    from antiphon.models.uri import Uri


class OpenAITranscriber:
    """One upload a clip, one after the other; temperature 0."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model
        self.name = f"openai+{endpoint.base}#{model}"
        self.limits = endpoint.limits

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]:
        return [await self._one(clip, language) for clip in clips]

    async def _one(self, clip: Clip, language: str | None) -> Transcript:
        if not len(clip):
            return Transcript("", language)
        fields = {"model": self._model, "response_format": "json", "temperature": "0"}
        if language is not None:
            fields["language"] = language
        upload = {"file": ("clip.wav", encode(clip, "wav"), "audio/wav")}
        async with self._endpoint.post(
            self.name, "audio/transcriptions", None, data=fields, files=upload
        ) as answer:
            told = await answer.json()
        if not isinstance(told.get("text"), str):
            raise ModelError(self.name, "answered without a text")
        return Transcript(told["text"].strip(), told.get("language") or language)


class OpenAISynthesizer:
    """One request a clause; raw 16-bit PCM comes back in pieces."""

    def __init__(self, endpoint: Endpoint, model: str, voice: str, rate_hz: int) -> None:
        self._endpoint = endpoint
        self._model = model
        self._voice = voice
        self._rate_hz = rate_hz
        self.name = f"openai+{endpoint.base}?voice={voice}&rate_hz={rate_hz}#{model}"
        self.limits = endpoint.limits

    async def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]:
        chars = 0
        async for clause in clauses_of(text):
            chars += len(clause)
            if not has_words(clause):
                continue
            async with aclosing(self._one(clause, chars, voice)) as chunks:
                async for chunk in chunks:
                    yield chunk
            chars = 0

    async def _one(self, clause: str, chars: int, voice: Voice) -> AsyncGenerator[SpeechChunk, None]:
        sent = {
            "model": self._model, "input": clause, "voice": voice.name or self._voice, "response_format": "pcm"
        }  # fmt: skip
        if voice.style:
            sent["instructions"] = voice.style
        reader = SoundReader(self._rate_hz)
        async with self._endpoint.post(self.name, "audio/speech", None, json=sent) as answer:
            answer.refuse_page()
            if answer.content_type == "application/json":
                raise ModelError(self.name, "answered with JSON instead of sound")
            async with aclosing(answer.pieces()) as pieces:
                async for piece in pieces:
                    if (clip := reader.read(piece)) is not None:
                        # Characters count with the first piece: how they spread over the rest is unknown.
                        yield SpeechChunk(clip, chars, estimated=True)
                        chars = 0
        if chars:
            raise ModelError(self.name, f"no sound for {clause[:40]!r}")


def open_transcriber(uri: Uri, clock: Clock) -> Transcriber:
    """`openai+http://HOST:PORT/v1#MODEL`. Raises ConfigError."""
    endpoint, model = endpoint_for(uri, clock)
    uri.only(*OPTIONS)
    return OpenAITranscriber(endpoint, model)


def open_synthesizer(uri: Uri, clock: Clock) -> Synthesizer:
    """`openai+http://HOST:PORT/v1?voice=NAME&rate_hz=24000#MODEL`. Raises ConfigError."""
    endpoint, model = endpoint_for(uri, clock)
    uri.only(*OPTIONS, "voice", "rate_hz")
    return OpenAISynthesizer(endpoint, model, uri.options.get("voice", "alloy"), uri.whole("rate_hz", 24_000))
