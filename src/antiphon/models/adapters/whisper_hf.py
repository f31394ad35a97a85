"""`whisper-hf:`: Whisper run by transformers, as in the published evaluations (Whisper-large-v3).

    whisper-hf:openai/whisper-large-v3                   of the hub, at its default branch
    whisper-hf:openai/whisper-large-v3?revision=06f233f&language=zh&device=cuda:0&dtype=float16&batch=16
    whisper-hf:/path/to/folder                           a model saved by transformers

A clip of at most 30 s is decoded in one piece without timestamps, many at once; greedy unless `beam` says
otherwise. A longer one is decoded window after window at the timestamps that the model predicts, so that
nothing behind the 30th second is lost, with the fall-backs that the model's card gives for long sound: a
window that loops or that the model itself finds unlikely is drawn again at rising temperatures, from a
fixed seed.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from antiphon.audio.resample import resample
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.models.adapters.torch_device import place_of
from antiphon.models.native import Engines, need
from antiphon.models.ports import Transcript
from antiphon.models.scorable import is_silent
from antiphon.models.weights import repos
from antiphon.text.script import simplify

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from antiphon.audio.clip import Clip
    from antiphon.clock import Clock
    from antiphon.models.adapters.torch_device import Place
    from antiphon.models.native import Engine
    from antiphon.models.uri import Uri

RATE_HZ = 16_000
REMEDY = "pip install 'antiphon[transformers]'"
_WINDOW = 30 * RATE_HZ
_SHORTEST_S = 0.1
_DEFAULT = "openai/whisper-large-v3"
_SEED = 0
# Long sound, as the card of whisper-large-v3 decodes it.
_LONG = {
    "return_timestamps": True, "condition_on_prev_tokens": False, "compression_ratio_threshold": 1.35,
    "temperature": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), "logprob_threshold": -1.0, "no_speech_threshold": 0.6,
}  # fmt: skip
_SHORT = {"return_timestamps": False, "do_sample": False}

_engines: Engines[Loaded] = Engines()


@dataclass(frozen=True, slots=True)
class Settings:
    """How to decode. `language` overrides what the caller says; `beam` 1 is greedy."""

    language: str | None
    beam: int
    batch: int
    place: Place


@dataclass(frozen=True, slots=True)
class Loaded:
    """The model and what turns sound into its features and its tokens into text."""

    model: Any
    features: Any
    tokenizer: Any

    @property
    def languages(self) -> frozenset[str]:
        """Codes that can be asked for; none for a model of English only."""
        known: dict[str, int] = getattr(self.model.generation_config, "lang_to_id", None) or {}
        return frozenset(token.strip("<|>") for token in known)


def open_transcriber(uri: Uri, clock: Clock) -> WhisperHf:
    """A recogniser; nothing is loaded before its first clip.

    Raises ConfigError for unknown options, UnavailableError when package or weights are missing.
    """
    uri.only("language", "revision", "beam", "batch", "threads", "device", "dtype")
    beam, batch, threads = uri.whole("beam", 1), uri.whole("batch", 8), uri.whole("threads", 2)
    if min(beam, batch, threads) < 1:
        raise ConfigError(f"{uri.text}: beam, batch and threads count from 1")
    need("transformers", REMEDY)
    place = place_of(uri, REMEDY)
    repo = repos.named("hf", uri.path or _DEFAULT, uri.options.get("revision", ""))
    found = repos.model_of(uri, repo, ("config.json", "*.safetensors"))
    settings = Settings(uri.options.get("language"), beam, batch, place)
    engine = _engines.get((found.folder, place, threads), lambda: _load(found.folder, place, threads))
    return WhisperHf(f"whisper-hf:{found.label} {_said(settings)}", engine, settings)


def _said(settings: Settings) -> str:
    """The settings that may change a word, and the packages."""
    forced = f" language={settings.language}" if settings.language else ""
    packages = f"(transformers {version('transformers')} torch {version('torch')})"
    kind = settings.place.device.partition(":")[0]
    return f"beam={settings.beam} batch={settings.batch} {settings.place.dtype} on {kind}{forced} {packages}"


def _load(folder: Path, place: Place, threads: int) -> Loaded:
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(threads)
    try:
        model, loading = transformers.WhisperForConditionalGeneration.from_pretrained(
            folder, dtype=getattr(torch, place.dtype), use_safetensors=True, local_files_only=True,
            output_loading_info=True,
        )  # fmt: skip
        features = transformers.WhisperFeatureExtractor.from_pretrained(folder, local_files_only=True)
        tokenizer = transformers.WhisperTokenizer.from_pretrained(folder, local_files_only=True)
    except ImportError:
        raise
    except Exception as error:
        words = " ".join(str(error).split())[:200]
        raise UnavailableError(f"no Whisper model in {folder} ({words})", "fetch it again") from error
    if lacking := sorted(loading["missing_keys"]):
        # transformers would fill them with random numbers
        raise UnavailableError(f"the weights in {folder} lack {', '.join(lacking[:3])}", "fetch them again")
    return Loaded(model.to(place.device).eval(), features, tokenizer)


class WhisperHf:
    """The port `Transcriber`. Chinese comes out in simplified characters; silence gives no words."""

    def __init__(self, name: str, engine: Engine[Loaded], settings: Settings) -> None:
        self.name = name
        self._engine = engine
        self._settings = settings

    async def warm(self) -> None:
        """Load the model now, so that no measured call pays for it."""
        await self._engine.warm()

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]:
        """Words of each clip. Raises ConfigError for a language that the model does not know."""
        language = self._settings.language or language
        found = [Transcript("", language)] * len(clips)
        loud = [at for at, clip in enumerate(clips) if clip.duration_s >= _SHORTEST_S and not is_silent(clip)]
        if not loud:
            return found
        sounds = {at: resample(clips[at], RATE_HZ).samples for at in loud}
        for at, transcript in await self._engine.run(lambda loaded: self._all(loaded, sounds, language)):
            found[at] = transcript
        return found

    def _all(
        self, loaded: Loaded, sounds: dict[int, NDArray[np.float32]], language: str | None
    ) -> list[tuple[int, Transcript]]:
        _check(self.name, loaded, language)
        done: list[tuple[int, Transcript]] = []
        try:
            for group in _groups(sounds, self._settings.batch):
                transcripts = _transcribe(loaded, [sounds[at] for at in group], language, self._settings)
                done += zip(group, transcripts, strict=True)
        except RuntimeError as error:  # out of memory, an operation that this device has not
            raise ModelError(self.name, " ".join(str(error).split())[:300]) from error
        return done


def _check(name: str, loaded: Loaded, language: str | None) -> None:
    known = loaded.languages or {"en"}
    if language is not None and language not in known:
        some = ", ".join(code for code in ("zh", "en", "yue", "ja") if code in known)
        raise ConfigError(f"{name.split(' ', 1)[0]}: no language {language!r}; it takes codes such as {some}")


def _groups(sounds: dict[int, NDArray[np.float32]], batch: int) -> Iterator[list[int]]:
    """Clips that are decoded together: up to `batch` of at most 30 s, a longer one alone."""
    short = [at for at, samples in sounds.items() if len(samples) <= _WINDOW]
    for start in range(0, len(short), batch):
        yield short[start : start + batch]
    for at, samples in sounds.items():
        if len(samples) > _WINDOW:
            yield [at]


def _transcribe(
    loaded: Loaded, sounds: list[NDArray[np.float32]], language: str | None, settings: Settings
) -> list[Transcript]:
    torch = importlib.import_module("torch")
    model, long = loaded.model, max(map(len, sounds)) > _WINDOW
    features = loaded.features(
        sounds, sampling_rate=RATE_HZ, return_tensors="pt", return_attention_mask=True,
        truncation=not long, padding="longest" if long else "max_length",
    )  # fmt: skip
    placed = features["input_features"].to(model.device, model.dtype)
    with torch.inference_mode(), torch.random.fork_rng():
        torch.manual_seed(_SEED)
        codes = _codes(loaded, placed, language)
        tokens = model.generate(
            placed, attention_mask=features["attention_mask"].to(model.device), num_beams=settings.beam,
            **(_LONG if long else _SHORT),
            **({"language": codes, "task": "transcribe"} if loaded.languages else {}),
        )  # fmt: skip
    texts: list[str] = loaded.tokenizer.batch_decode(tokens, skip_special_tokens=True)
    return [_transcript(text, code) for text, code in zip(texts, codes, strict=True)]


def _codes(loaded: Loaded, features: Any, language: str | None) -> list[str]:
    """The language of each clip: as asked for, else as its first 30 s sound."""
    if not loaded.languages:
        return ["en"] * len(features)
    if language is not None:
        return [language] * len(features)
    detected = loaded.model.detect_language(features)
    return [str(loaded.tokenizer.decode([int(token)])).strip("<|>") for token in detected.reshape(-1)]


def _transcript(text: str, language: str) -> Transcript:
    text = text.strip()
    return Transcript(simplify(text) if language in ("zh", "yue") else text, language)
