"""`cascade:`: recogniser, chat model and voice in a row, streaming, every part replaceable in the URI.

    cascade:?transcriber=whisper:base?beam=1&chat=llama:qwen2.5-coder-0.5b&synthesizer=kokoro:

The text of a part reaches to the next option of the cascade itself (transcriber, chat, synthesizer, system,
language), so parts may have options of their own without percent-encoding; a cascade inside a cascade must
be encoded. Percent signs are decoded once, and a plus sign is a plus sign.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from antiphon.errors import ConfigError, ModelError, unknown
from antiphon.ids import hash_json
from antiphon.messages import Message, Speech, Text, says
from antiphon.models.catalog import open_chat as open_part_chat
from antiphon.models.catalog import open_synthesizer, open_transcriber
from antiphon.models.clauses import Splitter, sayable
from antiphon.models.ports import (
    Done,
    SpeechContext,
    SpeechDelta,
    TextDelta,
    ToolAsk,
    Voice,
    warm,
)
from antiphon.text.script import language_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine, Mapping

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.messages import Kind
    from antiphon.models.ports import Chat, Chunk, Request, Synthesizer, Transcriber, Transcript
    from antiphon.models.uri import Uri

_PARTS: Mapping[str, str] = {
    "transcriber": "whisper:base?beam=1",
    "chat": "llama:qwen2.5-coder-0.5b",
    "synthesizer": "kokoro:",
}
_OPTIONS = (*_PARTS, "system", "language")
_LANGUAGES = ("zh", "en")
_REMEMBERED = 256

PROMPTS: Mapping[str, str] = {
    "zh": (
        "你是一个语音助手，正在和人说话。请用口语化的中文简短回答，说一到三句完整的话，"
        "只说能直接念出来的话：不要列表、标题、表情符号，也不要 Markdown。"
    ),
    "en": (
        "You are a voice assistant talking with a person. Answer in one to three short, complete sentences of "
        "plain spoken English. Say only what can be read aloud: no lists, no headings, no emoji, no Markdown."
    ),
}
# What the chat model reads in place of words when the recogniser heard none.
UNHEARD: Mapping[str, str] = {
    "zh": "（没有听清对方说了什么，请让对方再说一遍。）",
    "en": "(Nothing could be heard. Ask the person to say it again.)",
}


@dataclass(frozen=True, slots=True)
class Style:
    """How to answer: a system prompt (None: the default in the language of the question), a fixed language."""

    system: str | None = None
    language: str | None = None


@dataclass
class _Turn:
    """One reply under way: when it began, what its stages took, and what is ready to go out."""

    clock: Clock
    started_us: int
    out: asyncio.Queue[Chunk | BaseException | None] = field(default_factory=asyncio.Queue)
    clauses: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    stages: dict[str, int] = field(default_factory=dict[str, int])

    def now_us(self) -> int:
        return self.clock.mono_us() - self.started_us

    def reach(self, stage: str) -> int:
        """Now, remembered as the end of a stage if that is its first time."""
        now_us = self.now_us()
        self.stages.setdefault(stage, now_us)
        return now_us


class Cascade:
    """A voice agent out of three parts. `parts` are their names, so that a report can tell when a scorer
    uses the same recogniser. A cascade with a scripted part is scripted itself.

    `Done.stages`: recognised, first_text, text_done, first_speech, in microseconds from the call.
    """

    accepts: frozenset[Kind] = frozenset({"text", "speech"})
    gives: frozenset[Kind] = frozenset({"text", "speech"})

    def __init__(
        self,
        transcriber: Transcriber,
        chat: Chat,
        synthesizer: Synthesizer,
        clock: Clock,
        style: Style = Style(),
    ) -> None:
        self._transcriber = transcriber
        self._chat = chat
        self._synthesizer = synthesizer
        self._clock = clock
        self._style = style
        self.parts: Mapping[str, str] = {
            "transcriber": transcriber.name,
            "chat": chat.name,
            "synthesizer": synthesizer.name,
        }
        self.name = _name(self.parts, style)
        self._heard: dict[str, Transcript] = {}

    async def warm(self) -> None:
        """Load the weights of every part."""
        for part in (self._transcriber, self._chat, self._synthesizer):
            await warm(part)

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        """Words as they are written and speech as each clause is ready. Raises ModelError.

        The last user turn is always recognised, whatever transcript it carries: that one may be the
        reference. Earlier turns go by their transcripts, and are recognised where they have none.
        Closing the stream stops every part.
        """
        turn = _Turn(self._clock, self._clock.mono_us())
        current = max((at for at, m in enumerate(request.messages) if m.role == "user"), default=-1)
        await self._recognise(request, current, turn)
        messages = [self._in_words(m, fresh=at == current) for at, m in enumerate(request.messages)]
        heard = self._heard_in(request.messages[current]) if current >= 0 else None
        language = self._style.language or language_of(messages[current].text if messages else "")
        words = replace(request, messages=self._prompted(messages, language), want=frozenset({"text"}))
        work: list[Coroutine[None, None, None]] = [self._write(words, turn, heard)]
        if "speech" in request.want:
            work.append(self._speak(turn, language))
        tasks = [asyncio.create_task(_ending(part, turn)) for part in work]
        try:
            done = None
            for _ in tasks:  # each task puts one None last
                while (chunk := await turn.out.get()) is not None:
                    if isinstance(chunk, BaseException):
                        raise chunk
                    if isinstance(chunk, Done):
                        done = chunk
                    else:
                        yield chunk
            if done is None:
                raise ModelError(self._chat.name, "the stream ended before the reply did", transient=True)
            yield replace(done, t_us=turn.now_us(), stages={**turn.stages})
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _recognise(self, request: Request, current: int, turn: _Turn) -> None:
        """Hear the turn at `current`, and every earlier one of which no words are known."""
        clips = [
            part.clip
            for at, message in enumerate(request.messages)
            for part in message.parts
            if isinstance(part, Speech)
            and (at == current or (part.heard is None and self._is_new(part.clip)))
        ]
        if clips:
            found = await self._transcriber.transcribe(clips, self._style.language)
            self._remember({clip.digest: transcript for clip, transcript in zip(clips, found, strict=True)})
            turn.reach("recognised")

    def _is_new(self, clip: Clip) -> bool:
        return clip.digest not in self._heard

    def _remember(self, found: Mapping[str, Transcript]) -> None:
        """Keep the newest transcripts: the next request of a dialogue sends its earlier turns again."""
        for digest, transcript in found.items():
            self._heard.pop(digest, None)
            self._heard[digest] = transcript
        for digest in list(self._heard)[: -max(_REMEMBERED, len(found))]:
            del self._heard[digest]

    def _heard_in(self, message: Message) -> str | None:
        """What the recogniser made of a turn; None when it was written."""
        clips = [part.clip for part in message.parts if isinstance(part, Speech)]
        return " ".join(self._heard[clip.digest].text for clip in clips).strip() if clips else None

    def _in_words(self, message: Message, *, fresh: bool) -> Message:
        """A message with text in place of speech."""
        parts = tuple(
            Text(self._words(part, fresh=fresh)) if isinstance(part, Speech) else part
            for part in message.parts
        )
        return Message(message.role, parts)

    def _words(self, part: Speech, *, fresh: bool) -> str:
        if part.heard is not None and not fresh:
            return part.heard
        heard = self._heard[part.clip.digest]
        if heard.text.strip():
            return heard.text
        return UNHEARD[_supported(self._style.language or heard.language or "zh")]

    def _prompted(self, messages: list[Message], language: str) -> tuple[Message, ...]:
        """One system message in front: ours, then the request's own; many chat models take no second."""
        own = self._style.system if self._style.system is not None else PROMPTS[_supported(language)]
        given = [message.text for message in messages if message.role == "system"]
        rest = [message for message in messages if message.role != "system"]
        system = "\n\n".join(text for text in (own, *given) if text)
        return (says("system", system), *rest) if system else tuple(rest)

    async def _write(self, request: Request, turn: _Turn, heard: str | None) -> None:
        """Pass the chat model's words on, and its clauses to the voice."""
        splitter = Splitter()
        async with aclosing(self._chat.stream(request)) as chunks:
            async for chunk in chunks:
                match chunk:
                    case TextDelta(text, _):
                        turn.out.put_nowait(TextDelta(text, turn.reach("first_text")))
                        for clause in splitter.feed(text):
                            turn.clauses.put_nowait(clause)
                    case ToolAsk(call, _):
                        turn.out.put_nowait(ToolAsk(call, turn.now_us()))
                    case Done():
                        turn.reach("text_done")
                        turn.out.put_nowait(replace(chunk, heard=heard))
                    case SpeechDelta():
                        pass  # a model that speaks unasked: this cascade has its own voice
        for clause in splitter.flush():
            turn.clauses.put_nowait(clause)
        turn.clauses.put_nowait(None)

    async def _speak(self, turn: _Turn, language: str) -> None:
        """Speak the clauses as they come. A text without anything to pronounce stays silent."""
        clauses = _sayable_clauses(turn.clauses)
        first = await anext(clauses, None)
        if first is None:
            return

        async def text() -> AsyncGenerator[str, None]:
            yield first
            async for clause in clauses:
                yield clause

        context = SpeechContext(language=_supported(language))
        async with aclosing(self._synthesizer.stream(text(), Voice(), context)) as chunks:
            async for chunk in chunks:
                turn.out.put_nowait(SpeechDelta(chunk.clip, turn.reach("first_speech")))


async def _sayable_clauses(queue: asyncio.Queue[str | None]) -> AsyncGenerator[str, None]:
    """Clauses fit to be spoken, with a space where the next one could otherwise grow onto the last."""
    while (clause := await queue.get()) is not None:
        words = sayable(clause)
        if words:
            yield f"{words} " if words[-1].isascii() else words


async def _ending(work: Coroutine[None, None, None], turn: _Turn) -> None:
    """Run one part of a turn; its failure and its end go the way of its chunks."""
    try:
        await work
    except Exception as error:  # noqa: BLE001 - carried to whoever reads the stream, and raised there
        turn.out.put_nowait(error)
    turn.out.put_nowait(None)


def _supported(language: str) -> str:
    return "zh" if language in ("zh", "yue") else "en"


def _name(parts: Mapping[str, str], style: Style) -> str:
    """All parts with their settings, and the prompt's hash; scripted when any part is."""
    prompt = hash_json(dict(PROMPTS) if style.system is None else style.system)[:8]
    listed = " -> ".join(parts.values())
    fake = any(name.startswith("scripted:") for name in parts.values())
    fixed = f" language={style.language}" if style.language else ""
    return f"{'scripted:' if fake else ''}cascade:({listed}) prompt={prompt}{fixed}"


def options_of(text: str) -> dict[str, str]:
    """The options of a cascade URI, split at the cascade's own names. Raises ConfigError.

    `uri.parse` would split at every "&" and "#", which belong to the parts here.
    """
    _, _, query = text.partition("?")
    if not query:
        return {}
    cuts = list(re.finditer(rf"(?:^|&)({'|'.join(_OPTIONS)})=", query))
    if not cuts or cuts[0].start() != 0:
        raise unknown("cascade option", query.partition("=")[0], _OPTIONS)
    options: dict[str, str] = {}
    for cut, following in zip(cuts, [*cuts[1:], None], strict=True):
        if cut[1] in options:
            raise ConfigError(f"{text}: {cut[1]} is given twice; percent-encode a cascade inside a cascade")
        options[cut[1]] = unquote(query[cut.end() : following.start() if following else None])
    return options


def part_uri(text: str, part: str) -> str:
    """The URI of one part of a cascade URI (transcriber, chat, synthesizer), its default where it names none."""
    return options_of(text).get(part) or _PARTS[part]


def open_chat(uri: Uri, clock: Clock) -> Cascade:
    """A cascade by URI. Options: transcriber, chat, synthesizer (URIs), system (the prompt), language (zh, en).

    Raises ConfigError, also for a chat model that does not write.
    """
    if uri.path:
        raise ConfigError(f"{uri.text}: {uri.scheme}: takes no path; write {uri.scheme}:?chat=URI")
    options = options_of(uri.text)
    language = options.get("language")
    if language is not None and language not in _LANGUAGES:
        raise unknown("language", language, _LANGUAGES)
    part = {name: part_uri(uri.text, name) for name in _PARTS}
    chat = open_part_chat(part["chat"], clock)
    if not {"text"} <= chat.accepts & chat.gives:
        raise ConfigError(f"{part['chat']} does not read and write text; a cascade's chat model must")
    return Cascade(
        open_transcriber(part["transcriber"], clock),
        chat,
        open_synthesizer(part["synthesizer"], clock),
        clock,
        Style(options.get("system"), language),
    )
