"""`hf:`: chat models run by transformers in this process; those that listen, and those that also speak.

    hf:Qwen/Qwen2.5-Omni-7B?speaker=Chelsie&device=cuda&dtype=bfloat16
    hf:Qwen/Qwen3-Omni-30B-A3B-Instruct?device=auto          spread over all GPUs
    hf:/path/of/a/model                                      a folder with config.json

Words come as they are written. transformers speaks when all words are there, so sound comes in one piece at
the end: its first-audio time is true, and says nothing about a server that streams. Temperature 0 writes
greedily; the voice is drawn at random either way, and the seed repeats both.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from antiphon.audio.clip import Clip
from antiphon.errors import AntiphonError, ConfigError, ModelError, unknown
from antiphon.messages import says
from antiphon.models.adapters import transformers_families as families
from antiphon.models.adapters.transformers_prompt import rows, sounds
from antiphon.models.adapters.transformers_weights import find
from antiphon.models.adapters.transformers_writer import StoppedError, Writer, only
from antiphon.models.native import Engines, Relay, need
from antiphon.models.ports import Done, Request, Sampling, SpeechDelta, TextDelta, Usage, collect

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from antiphon.clock import Clock
    from antiphon.messages import Kind
    from antiphon.models.adapters.transformers_families import Family, Loaded
    from antiphon.models.native import Engine
    from antiphon.models.ports import Chunk
    from antiphon.models.uri import Uri

_RATE_HZ = 24_000  # of both families' vocoders
_MAX_TOKENS = 1024  # where the request sets no limit
_DTYPES = ("bfloat16", "float16", "float32")
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")
_SPEECH_TOKENS = 4096  # the model's own limit: 82 s of Qwen2.5-Omni's voice, 327 s of Qwen3-Omni's
_OPTIONS = ("device", "dtype", "speaker", "speech_tokens", "revision", "gives")
_GIVES = ("text,speech", "speech,text", "text")

_engines: Engines[Loaded] = Engines()


@dataclass(frozen=True, slots=True)
class Manner:
    """How one chat uses its model: the speaker (empty: silent), how long it may speak, and what the chat
    template is told."""

    family: Family
    speaker: str
    speech_tokens: int
    template: Mapping[str, Any]


def open_chat(uri: Uri, clock: Clock) -> TransformersChat:
    """A chat model; its configuration is read now, its weights at the first request.

    Options: `device` (cuda where there is one, else cpu; `cuda:1`, `mps`, or `auto`: all GPUs), `dtype`
    (bfloat16; float32 on the CPU), `speaker`, `speech_tokens` (4096 at most), `revision`, `gives=text` (the voice takes
    no memory), and `template.NAME=JSON` for the chat template, such as `template.enable_thinking=false`.

    Raises ConfigError for a model or an option that cannot be, UnavailableError for missing packages or weights.
    """
    template = {name[9:]: _json(value) for name, value in uri.options.items() if name.startswith("template.")}
    uri.only(*_OPTIONS, *(f"template.{name}" for name in template))
    for package in ("torch", "transformers"):
        need(package, families.EXTRA)
    source = find(uri.path, uri.options.get("revision", "main"))
    family = families.family_of(uri.path, source.config)
    setting = _setting(uri, may_speak=family.speaks and bool(source.config.get("enable_audio_output", True)))
    speaker = uri.options.get("speaker", family.speaker) if setting.speaks else ""
    engine = _engines.get((source.name, setting), lambda: families.load(family, source.fetch(), setting))
    told = "".join(f" {key}={json.dumps(value)}" for key, value in sorted(template.items()))
    limit = uri.whole("speech_tokens", _SPEECH_TOKENS)
    spoken = f" speaker={speaker} speech_tokens={limit}" if speaker else ""
    name = (
        f"hf:{source.name} {setting.dtype} on {setting.device}{spoken}{told} "
        f"(transformers {version('transformers')}, torch {version('torch')})"
    )
    return TransformersChat(name, engine, clock, Manner(family, speaker, limit, template))


def _setting(uri: Uri, *, may_speak: bool) -> families.Setting:
    gives = uri.options.get("gives", "text,speech" if may_speak else "text")
    if gives not in _GIVES:
        raise unknown("gives", gives, _GIVES)
    speaks = gives != "text"
    if (speaks or "speaker" in uri.options) and not (may_speak and speaks):
        raise ConfigError(f"{uri.text}: it gives text only; leave out speaker, and speech in gives")
    cuda: bool = importlib.import_module("torch").cuda.is_available()
    device = uri.options.get("device", "cuda" if cuda else "cpu")
    if _DEVICE.fullmatch(device) is None:
        raise unknown("device", device, ("auto", "cpu", "cuda", "cuda:N", "mps"))
    if device.startswith("cuda") and not cuda:
        raise ConfigError(f"{uri.text}: no CUDA device here; device=cpu works, slowly")
    if device == "auto":
        need("accelerate", "pip install accelerate")
    dtype = uri.options.get("dtype", "float32" if device == "cpu" else "bfloat16")
    if dtype not in _DTYPES:
        raise unknown("dtype", dtype, _DTYPES)
    return families.Setting(device, dtype, speaks)


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


class TransformersChat:
    """The port `Chat` on a model in this process. Calls queue up: one reply at a time."""

    def __init__(self, name: str, engine: Engine[Loaded], clock: Clock, manner: Manner) -> None:
        self.name = name
        self.accepts: frozenset[Kind] = frozenset({"text", "speech"} if manner.family.processor else {"text"})
        self.gives: frozenset[Kind] = frozenset({"text", "speech"} if manner.speaker else {"text"})
        self._engine = engine
        self._clock = clock
        self._manner = manner

    async def warm(self) -> None:
        """Load the model and let it say something, so that no measured call pays for the first of anything."""
        await self._engine.warm()
        with suppress(ModelError):  # what it says does not matter, and a model that fails will fail again
            await collect(
                self, Request((says("user", "1"),), want=self.gives, sampling=Sampling(max_tokens=4))
            )

    async def stream(self, request: Request) -> AsyncGenerator[Chunk, None]:
        """The reply as it comes, each chunk with the time at which the model made it. Closing the stream stops
        the model at its next token; a vocoder at work ends first.

        Raises ModelError: a part it cannot take, deadline passed, an empty reply, or the model failed.
        """
        start_us = self._clock.mono_us()
        relay: Relay[Chunk] = Relay()
        worker = asyncio.create_task(asyncio.to_thread(self._produce, request, relay, start_us))
        try:
            while True:
                chunk = await self._next(relay, request.deadline_us, start_us)
                yield chunk
                if isinstance(chunk, Done):
                    return
        finally:
            relay.stopped.set()
            worker.cancel()  # the thread notices `stopped` at its next token

    async def _next(self, relay: Relay[Chunk], deadline_us: int | None, start_us: int) -> Chunk:
        left_s = None if deadline_us is None else (start_us + deadline_us - self._clock.mono_us()) / 1e6
        try:
            return await relay.next(left_s)
        except TimeoutError:
            late = f"no reply within {(deadline_us or 0) / 1e6:g} s"
            raise ModelError(self.name, late, transient=True) from None

    def _produce(self, request: Request, relay: Relay[Chunk], start_us: int) -> None:
        """In a thread: generate, and hand over what comes."""
        try:
            self._engine.run_here(lambda loaded: self._generate(loaded, request, relay, start_us))
        except StoppedError:
            return
        except AntiphonError as error:
            relay.fail(error)
        except Exception as error:  # noqa: BLE001  the native boundary: the caller gets it, the thread ends
            relay.fail(ModelError(self.name, f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"))

    def _generate(self, loaded: Loaded, request: Request, relay: Relay[Chunk], start_us: int) -> None:
        def t_us() -> int:
            return self._clock.mono_us() - start_us

        if relay.stopped.is_set():
            return
        inputs = self._inputs(loaded, request)
        writer = Writer(loaded.tokenizer, lambda text: relay.put(TextDelta(text, t_us())), relay.stopped)
        limit = request.sampling.max_tokens or _MAX_TOKENS
        generate = self._call(loaded, request, self._options(loaded, request, writer, limit))
        try:
            result = _seeded(loaded, request.sampling.seed, lambda: generate(**inputs))
        except RuntimeError as error:
            # A reply of nothing but its end cannot be spoken: the talker joins an empty list.
            problem = str(error) if writer.spoke else f"an empty reply ({error})"
            raise ModelError(self.name, " ".join(problem.split())[:200]) from error
        if not writer.spoke:
            raise ModelError(self.name, "an empty reply: no words before its end")
        written_us = t_us()
        if isinstance(result, tuple):
            samples = result[1].reshape(-1).float().cpu().numpy()
            relay.put(SpeechDelta(Clip(samples, _RATE_HZ), written_us))
        finish = "length" if writer.cut and len(writer.completion) >= limit else "stop"
        usage = Usage(len(writer.prompt), len(writer.completion))
        relay.put(Done(finish, t_us(), usage, tokens=writer.tokens))

    def _inputs(self, loaded: Loaded, request: Request) -> Mapping[str, Any]:
        if request.tools:
            raise ModelError(self.name, "takes no tools here; serve the model and use openai+http: for them")
        family = self._manner.family
        hears = "speech" in self.accepts
        asked = rows(self.name, request.messages, family.system, hears=hears)
        text: str = loaded.processor.apply_chat_template(
            asked, tokenize=False, add_generation_prompt=True, **self._manner.template
        )
        if not hears:
            return loaded.tokenizer(text, return_tensors="pt", add_special_tokens=False).to(loaded.device)
        extractor = loaded.processor.feature_extractor
        rate_hz: int = extractor.sampling_rate
        heard = sounds(request.messages, rate_hz)
        longest = max((len(samples) for samples in heard), default=0)
        if family.window and longest > extractor.n_samples:
            raise ModelError(
                self.name,
                f"hears {extractor.n_samples / rate_hz:g} s of one turn, and this one has {longest / rate_hz:.0f} s",
            )
        inputs = loaded.processor(
            text=[text], audio=heard or None, sampling_rate=rate_hz, return_tensors="pt", padding=True
        )
        return inputs.to(loaded.device).to(loaded.model.dtype)

    def _options(self, loaded: Loaded, request: Request, writer: Writer, limit: int) -> dict[str, Any]:
        transformers = importlib.import_module("transformers")
        drawn = request.sampling.temperature > 0
        options: dict[str, Any] = {
            "max_new_tokens": limit,
            "do_sample": drawn,
            "streamer": writer,
            "logits_processor": transformers.LogitsProcessorList([writer.score]),
            "stopping_criteria": transformers.StoppingCriteriaList([writer.check]),
        }
        if drawn:
            options["temperature"] = request.sampling.temperature
        if request.choices:
            end = loaded.tokenizer.eos_token_id
            options["prefix_allowed_tokens_fn"] = only(request.choices, loaded.tokenizer, end)
        return options

    def _call(self, loaded: Loaded, request: Request, options: Mapping[str, Any]) -> Callable[..., Any]:
        """What generates: words and voice, or the part that writes alone."""
        family = self._manner.family
        if not family.speaks:
            return partial(loaded.model.generate, **options)
        ended = {**options, "eos_token_id": loaded.tokenizer.eos_token_id}
        if "speech" not in self.gives or "speech" not in request.want:
            return partial(loaded.model.thinker.generate, **ended)
        speaker = families.speaker_of(loaded, self._manner.speaker)
        return partial(
            loaded.model.generate,
            **{f"thinker_{key}": value for key, value in ended.items()},
            **families.speech_options(loaded.model, speaker),
            talker_stopping_criteria=options["stopping_criteria"],
            talker_max_new_tokens=self._manner.speech_tokens,
        )


def _seeded(loaded: Loaded, seed: int, generate: Callable[[], Any]) -> Any:
    """Generate under this seed, and leave torch's random numbers to others as they were."""
    torch = importlib.import_module("torch")
    devices = list(range(torch.cuda.device_count())) if loaded.device.type == "cuda" else []
    with torch.random.fork_rng(devices), torch.inference_mode():
        torch.manual_seed(seed)
        return generate()
