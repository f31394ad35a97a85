"""The catalog: which function opens which URI, for each port; third parties add theirs by entry point."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Literal, get_args

from antiphon.errors import AntiphonError, ConfigError, ModelError, unknown
from antiphon.messages import says
from antiphon.models.ports import Invalid, Request, Sampling, collect, speak
from antiphon.models.retry import RetryPolicy, shared_limiter, with_retry
from antiphon.models.scripted_sound import tone
from antiphon.models.uri import parse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from importlib.metadata import EntryPoint

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.models.ports import Chat, ClipScorer, Synthesizer, Transcriber
    from antiphon.models.retry import Limits

Port = Literal["chat", "transcriber", "synthesizer", "scorer"]
GROUP = "antiphon.models"
PORTS: tuple[Port, ...] = get_args(Port)


@dataclass(frozen=True, slots=True)
class Entry:
    """One scheme of one port. `target` is "module:function", imported only when it is used."""

    port: Port
    scheme: str
    target: str
    example: str
    what: str
    needs: str


_ADAPTERS = "antiphon.models.adapters"
_CASCADE = "antiphon.models.cascade:open_chat"
_SCRIPTED = "antiphon.models.scripted"
_OPENAI = f"{_ADAPTERS}.openai_chat:open_chat"
_HEARS = f"{_ADAPTERS}.openai_speech:open_transcriber"
_SPEAKS = f"{_ADAPTERS}.openai_speech:open_synthesizer"
_REALTIME = f"{_ADAPTERS}.realtime:open_chat"
_LOCAL = "antiphon[local], weights"
_FUNASR = "antiphon[funasr], weights"
_KEY = "OPENAI_API_KEY"
_SERVER = "a running server"

ENTRIES: tuple[Entry, ...] = (
    Entry("chat", "cascade", _CASCADE, "cascade:", "recogniser, chat model and voice in a row", _LOCAL),
    Entry("chat", "embedded", _CASCADE, "embedded:", "another name for cascade:", _LOCAL),
    Entry("chat", "openai", _OPENAI, "openai:gpt-4o-audio-preview",
          "a model of api.openai.com, gpt-realtime… and gpt-live… too", _KEY),
    Entry("chat", "openai+http", _OPENAI, "openai+http://host:8000/v1#model",
          "any OpenAI-compatible endpoint", _SERVER),
    Entry("chat", "openai+https", _OPENAI, "openai+https://host/v1?key=MY_KEY#model", "the same over TLS", "a key"),
    Entry("chat", "realtime+ws", _REALTIME, "realtime+ws://host:8000/v1/realtime?model=NAME",
          "any OpenAI Realtime endpoint, or Live: …/v1/live/sessions#NAME", _SERVER),
    Entry("chat", "realtime+wss", _REALTIME, "realtime+wss://host/v1/realtime?model=NAME&key=MY_KEY",
          "the same over TLS", "a key"),
    Entry("chat", "dashscope", _REALTIME, "dashscope:qwen-audio-3.1-realtime",
          "a Realtime model of Alibaba Model Studio", "DASHSCOPE_API_KEY"),
    Entry("chat", "llama", f"{_ADAPTERS}.llama_cpp:open_chat", "llama:qwen2.5-coder-0.5b",
          "a GGUF model run by llama.cpp", _LOCAL),
    Entry("chat", "hf", f"{_ADAPTERS}.transformers_audio:open_chat", "hf:Qwen/Qwen2.5-Omni-7B",
          "a model that listens, and perhaps speaks, run by transformers", "antiphon[transformers], weights"),
    Entry("chat", "scripted", f"{_SCRIPTED}:open_chat", "scripted:echo", "a fake that recites a script", "nothing"),
    Entry("transcriber", "whisper", f"{_ADAPTERS}.whisper:open_transcriber", "whisper:base?beam=5",
          "Whisper of any size run by faster-whisper", _LOCAL),
    Entry("transcriber", "whisper-hf", f"{_ADAPTERS}.whisper_hf:open_transcriber",
          "whisper-hf:openai/whisper-large-v3", "Whisper run by transformers, the papers' recogniser",
          "antiphon[transformers], weights"),
    Entry("transcriber", "funasr", f"{_ADAPTERS}.funasr:open_transcriber", "funasr:paraformer-zh",
          "Paraformer and SenseVoice run by funasr", _FUNASR),
    Entry("transcriber", "openai", _HEARS, "openai:whisper-1", "a recogniser of api.openai.com", _KEY),
    Entry("transcriber", "openai+http", _HEARS, "openai+http://host:8000/v1#model",
          "any endpoint with /audio/transcriptions", _SERVER),
    Entry("transcriber", "openai+https", _HEARS, "openai+https://host/v1?key=MY_KEY#model",
          "the same over TLS", "a key"),
    Entry("transcriber", "scripted", f"{_SCRIPTED}_instruments:open_transcriber", "scripted:",
          "a fake that hears scripted tones", "nothing"),
    Entry("synthesizer", "kokoro", f"{_ADAPTERS}.kokoro:open_synthesizer", "kokoro:",
          "Kokoro-82M voices, Mandarin and English", _LOCAL),
    Entry("synthesizer", "cosyvoice", f"{_ADAPTERS}.cosyvoice:open_synthesizer", "cosyvoice:PATH?repo=FOLDER",
          "CosyVoice2 or 3: the voice of a prompt clip, styles", "the CosyVoice repository, weights"),
    Entry("synthesizer", "espeak", f"{_ADAPTERS}.espeak:open_synthesizer", "espeak:",
          "the formant synthesizer espeak-ng", "espeak-ng"),
    Entry("synthesizer", "openai", _SPEAKS, "openai:gpt-4o-mini-tts?voice=alloy", "a voice of api.openai.com", _KEY),
    Entry("synthesizer", "openai+http", _SPEAKS, "openai+http://host:8000/v1?voice=NAME#model",
          "any endpoint with /audio/speech", _SERVER),
    Entry("synthesizer", "openai+https", _SPEAKS, "openai+https://host/v1?key=MY_KEY#model",
          "the same over TLS", "a key"),
    Entry("synthesizer", "scripted", f"{_SCRIPTED}_instruments:open_synthesizer", "scripted:", "a fake that speaks tones", "nothing"),
    Entry("scorer", "utmos22", f"{_ADAPTERS}.utmos22:open_scorer", "utmos22:?checkpoint=PATH",
          "UTMOS22 strong learner, an estimate of naturalness", "antiphon[mos], its checkpoint"),
    Entry("scorer", "utmosv2", f"{_ADAPTERS}.utmosv2:open_scorer", "utmosv2:",
          "UTMOSv2, an estimate of naturalness", "utmosv2 from its repository, its checkpoint"),
    Entry("scorer", "distillmos", f"{_ADAPTERS}.distillmos:open_scorer", "distillmos:",
          "DistillMOS, an estimate of naturalness", "antiphon[mos], distillmos"),
    Entry("scorer", "dnsmos", f"{_ADAPTERS}.dnsmos:open_scorer", "dnsmos:",
          "DNSMOS, an estimate of noise and quality", "antiphon[local], speechmos"),
    Entry("scorer", "emotion2vec", f"{_ADAPTERS}.emotion2vec:open_scorer", "emotion2vec:",
          "emotion2vec_plus_large, nine emotions in a voice", _FUNASR),
    Entry("scorer", "scripted", f"{_SCRIPTED}_instruments:open_scorer", "scripted:", "a fake that scores by hash", "nothing"),
)  # fmt: skip


def entries() -> list[Entry]:
    """Everything that can be opened here: the tables above, then what installed packages add."""
    return [*ENTRIES, *(entry for point in _third_parties() for entry in _offered(point))]


def _third_parties() -> list[EntryPoint]:
    """Entry points in the order of their names; a built-in scheme cannot be taken over."""
    own = {entry.scheme for entry in ENTRIES}
    found = (point for point in entry_points(group=GROUP) if point.name not in own)
    return sorted(found, key=lambda point: (point.name, point.value))


def _offered(point: EntryPoint) -> list[Entry]:
    """What one entry point offers. One that does not load is listed, so that somebody can see why."""
    package = point.dist.name if point.dist is not None else point.value
    example = f"{point.name}:"
    try:
        loaded = _load(point)
    except ConfigError as error:
        return [Entry("chat", point.name, point.value, example, f"broken: {error}", package)]
    return [
        Entry(port, point.name, f"{point.value}.open_{port}", example, f"from {package}", package)
        for port in PORTS
        if hasattr(loaded, f"open_{port}")
    ]


def _load(point: EntryPoint) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"the adapter {point.name}: ({point.value}) does not load: {error}") from error


def _opener(port: Port, scheme: str) -> Callable[..., Any]:
    """The function for a scheme. Raises ConfigError that names the choices."""
    for entry in ENTRIES:
        if (entry.port, entry.scheme) == (port, scheme):
            module, _, function = entry.target.partition(":")
            return getattr(import_module(module), function)
    for point in _third_parties():
        if point.name == scheme and hasattr(loaded := _load(point), f"open_{port}"):
            return getattr(loaded, f"open_{port}")
    known = entries()
    others = sorted({entry.port for entry in known if entry.scheme == scheme})
    next_step = (
        f"{scheme}: is a {' and a '.join(others)}" if others else "`antiphon models list` shows them all"
    )
    choices = {f"{entry.scheme}:" for entry in known if entry.port == port}
    raise unknown(f"{port} scheme", f"{scheme}:", choices, next_step)


def _open(port: Port, text: str, clock: Clock) -> Any:
    """The model that a URI names; one with `limits`, an endpoint, comes with retries."""
    uri = parse(text)
    model = _opener(port, uri.scheme)(uri, clock)
    limits: Limits | None = getattr(model, "limits", None)
    if limits is None or port == "scorer":
        return model
    policy = RetryPolicy(attempts=limits.attempts)
    return with_retry(model, clock=clock, policy=policy, limiter=shared_limiter(limits, clock))


def open_chat(text: str, clock: Clock) -> Chat:
    """The chat model that a URI names. Raises ConfigError, DataError."""
    return _open("chat", text, clock)


def open_transcriber(text: str, clock: Clock) -> Transcriber:
    """The recogniser that a URI names. Raises ConfigError, DataError."""
    return _open("transcriber", text, clock)


def open_synthesizer(text: str, clock: Clock) -> Synthesizer:
    """The voice that a URI names. Raises ConfigError, DataError."""
    return _open("synthesizer", text, clock)


def open_scorer(text: str, clock: Clock) -> ClipScorer:
    """The clip scorer that a URI names. Raises ConfigError, DataError."""
    return _open("scorer", text, clock)


def _ports_of(text: str) -> list[Port]:
    """The ports that a URI's scheme serves. Raises ConfigError when it serves none."""
    scheme = parse(text).scheme
    known = entries()
    ports: list[Port] = [port for port in PORTS if any((e.port, e.scheme) == (port, scheme) for e in known)]
    if not ports:
        raise unknown("scheme", f"{scheme}:", {f"{entry.scheme}:" for entry in known})
    return ports


@dataclass(frozen=True, slots=True)
class Report:
    """What one tiny real call to a model showed. Times are microseconds; `said` is what came back."""

    uri: str
    port: str
    name: str
    works: bool
    said: str
    open_us: int = 0
    call_us: int = 0

    def say(self) -> str:
        """One line for a terminal."""
        if not self.works:
            return f"{self.uri} does not work: {self.said}"
        times = f"opened in {self.open_us / 1e6:.2f} s, answered in {self.call_us / 1e6:.2f} s"
        return f"{self.uri} works as {self.port} ({self.name}): {self.said}; {times}"


async def check(text: str, clock: Clock) -> Report:
    """Open a URI and make one tiny call, as the first port that its scheme serves.

    Raises nothing for a model that does not work: the report says in one line what is wrong.
    """
    port, name = "model", ""
    started_us = clock.mono_us()
    try:
        port = _ports_of(text)[0]
        model = _OPENERS[port](text, clock)
        name, opened_us = model.name, clock.mono_us()
        said = await _TRIALS[port](model)
        return Report(text, port, name, True, said, opened_us - started_us, clock.mono_us() - opened_us)
    except AntiphonError as error:
        problem = str(error)
    except Exception as error:  # noqa: BLE001 - an adapter may raise anything, and this is where one looks
        problem = f"{type(error).__name__}: {error}"
    return Report(text, port, name, False, " ".join(problem.split()))


async def _try_chat(chat: Chat) -> str:
    sampling = Sampling(max_tokens=8)
    reply = await collect(chat, Request((says("user", "hello"),), want=chat.gives, sampling=sampling))
    sound = f" and {reply.clip.duration_s:.1f} s of speech" if reply.clip is not None else ""
    return f"{reply.text[:40]!r}{sound}"


async def _try_transcriber(transcriber: Transcriber) -> str:
    (transcript,) = await transcriber.transcribe([_tone()], None)
    return f"{transcript.text[:40]!r} in half a second of a tone"


async def _try_synthesizer(synthesizer: Synthesizer) -> str:
    clip = await speak(synthesizer, "Hello.")
    return f"{clip.duration_s:.1f} s of speech at {clip.rate_hz} Hz"


async def _try_scorer(scorer: ClipScorer) -> str:
    (values,) = await scorer.score([_tone()])
    if isinstance(values, Invalid):
        raise ModelError(scorer.name, f"scores no tone: {values.reason}")
    return ", ".join(f"{name} {value:.2f}" for name, value in values.items())


def _tone() -> Clip:
    """Half a second that also carries words for a scripted recogniser."""
    return tone("hello", 0.5, 16_000)


_OPENERS: Mapping[Port, Callable[[str, Clock], Any]] = {
    "chat": open_chat,
    "transcriber": open_transcriber,
    "synthesizer": open_synthesizer,
    "scorer": open_scorer,
}
_TRIALS: Mapping[Port, Callable[[Any], Awaitable[str]]] = {
    "chat": _try_chat,
    "transcriber": _try_transcriber,
    "synthesizer": _try_synthesizer,
    "scorer": _try_scorer,
}
