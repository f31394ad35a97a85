"""`whisper:`: speech recognition by faster-whisper (CTranslate2), int8 on the CPU unless asked otherwise.

    whisper:base?beam=5&threads=2&vad=1            the packaged multilingual base model
    whisper:base?words=1                           and when each word sounds
    whisper:large-v3?device=cuda&compute=float16   any other size, of the Hugging Face hub
    whisper:owner/name, whisper:/path/to/folder    any Whisper model converted for CTranslate2

Choices that make it repeatable: temperature 0 without the random fall-backs, no conditioning on earlier
text, speech found by a VAD first and decoded in windows of at most 28 s, because the model loops on long
mixed sound. A window that loops all the same (its text compresses too well) is decoded once more with
repeated 4-grams forbidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.resample import resample
from antiphon.errors import ConfigError, ModelError, unknown
from antiphon.models.native import Engines, need
from antiphon.models.ports import TimedWord, Transcript
from antiphon.models.weights import fetch, repos
from antiphon.text.script import simplify

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from faster_whisper import WhisperModel
    from numpy.typing import NDArray

    from antiphon.clock import Clock
    from antiphon.models.native import Engine
    from antiphon.models.uri import Uri

RATE_HZ = 16_000
_WINDOW_S = 28.0
_MAX_GAP_S = 2.0
_SHORTEST_S = 0.1
_LOOP_RATIO = 2.4  # the compression ratio at which OpenAI's own decoder calls a text a loop
_PACKAGED = {"base": "whisper-base"}
_SYSTRAN = (
    "tiny.en", "tiny", "base.en", "small.en", "small", "medium.en", "medium", "large-v1", "large-v2", "large-v3",
)  # fmt: skip
# Where faster-whisper itself takes the other sizes from.
REPOS = {size: f"Systran/faster-whisper-{size}" for size in _SYSTRAN} | {
    "distil-large-v2": "Systran/faster-distil-whisper-large-v2",
    "distil-large-v3": "Systran/faster-distil-whisper-large-v3",
    "large-v3-turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
}
_FILES = ("model.bin",)
_COMPUTE = ("int8", "int8_float16", "float16", "bfloat16", "float32")
_SPACELESS = frozenset({"zh", "ja", "yue", "th", "lo", "my"})

_engines: Engines[WhisperModel] = Engines()


@dataclass(frozen=True, slots=True)
class Settings:
    """How to decode. `beam` 1 is greedy."""

    beam: int
    vad: bool
    words: bool = False  # when each word sounds, too


def open_transcriber(uri: Uri, clock: Clock) -> Whisper:
    """A recogniser; nothing is loaded before its first clip.

    Raises ConfigError for unknown options, UnavailableError when package or weights are missing.
    """
    uri.only("beam", "threads", "vad", "words", "device", "compute", "revision")
    settings = Settings(
        beam=uri.whole("beam", 5), vad=uri.whole("vad", 1) != 0, words=uri.whole("words", 0) != 0
    )
    threads = uri.whole("threads", 2)
    if settings.beam < 1 or threads < 1:
        raise ConfigError(f"{uri.text}: beam and threads count from 1")
    need("faster_whisper")
    folder, weights = _weights(uri)
    device, compute = _machine(uri)
    engine = _engines.get((folder, threads, device, compute), lambda: _load(folder, threads, device, compute))
    where = "" if device == "cpu" else f" on {device}"
    said = (
        f"{compute}{where} beam={settings.beam} vad={int(settings.vad)}{' words=1' if settings.words else ''}"
    )
    packages = f"faster-whisper {version('faster-whisper')} ctranslate2 {version('ctranslate2')}"
    return Whisper(f"whisper:{weights} {said} ({packages})", engine, settings)


def _weights(uri: Uri) -> tuple[Path, str]:
    """The model's folder, and its name with a hash or a commit."""
    if (size := uri.path or "base") in _PACKAGED:
        if "revision" in uri.options:
            raise ConfigError(
                f"{uri.text}: {size} is pinned by its hash; write Systran/faster-whisper-base to choose one"
            )
        packaged = _PACKAGED[size]
        return fetch.locate(packaged), f"{size}@{fetch.digest(packaged)}"
    if size not in REPOS and "/" not in size:
        raise unknown(
            "Whisper model", size, {*_PACKAGED, *REPOS}, "or write owner/name of a hub, or a folder"
        )
    repo = repos.named("hf", REPOS.get(size, size), uri.options.get("revision", ""))
    found = repos.model_of(uri, repo, _FILES)
    if size not in REPOS:
        return found.folder, found.label
    return found.folder, f"{size}@{found.label.rpartition('@')[2]}"


def _machine(uri: Uri) -> tuple[str, str]:
    """Device and arithmetic. Raises ConfigError."""
    device = uri.options.get("device", "cpu")
    if device not in ("cpu", "cuda"):
        raise ConfigError(f"{uri.text}: no device {device!r}; there are: cpu, cuda")
    compute = uri.options.get("compute", "int8" if device == "cpu" else "float16")
    if compute not in _COMPUTE:
        raise ConfigError(f"{uri.text}: no compute {compute!r}; there are: {', '.join(_COMPUTE)}")
    return device, compute


def _load(folder: Path, threads: int, device: str, compute: str) -> WhisperModel:
    from faster_whisper import WhisperModel

    return WhisperModel(
        str(folder), device=device, compute_type=compute, cpu_threads=threads, local_files_only=True
    )


class Whisper:
    """The port `Transcriber`. Chinese comes out in simplified characters; no speech gives no words."""

    def __init__(self, name: str, engine: Engine[WhisperModel], settings: Settings) -> None:
        self.name = name
        self._engine = engine
        self._settings = settings

    async def warm(self) -> None:
        """Load model and VAD and decode a second, so that no measured call pays for the first of anything."""
        await self._engine.run(_warm)

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]:
        """Words of each clip. Raises ConfigError for a language that the model does not know."""
        return [await self._one(clip, language) for clip in clips]

    async def _one(self, clip: Clip, language: str | None) -> Transcript:
        if clip.duration_s < _SHORTEST_S:
            return Transcript("", language, () if self._settings.words else None)
        samples = resample(clip, RATE_HZ).samples
        try:
            return await self._engine.run(lambda model: _transcribe(model, samples, language, self._settings))
        except RuntimeError as error:
            raise ModelError(self.name, str(error)) from error


def _warm(model: WhisperModel) -> None:
    second = np.zeros(RATE_HZ, np.float32)
    _windows(second)
    model.detect_language(second)
    _decode_once(model, second, "en", 1, {})


def _transcribe(
    model: WhisperModel, samples: NDArray[np.float32], language: str | None, settings: Settings
) -> Transcript:
    if language is not None and language not in model.supported_languages:
        raise ConfigError(f"whisper: no language {language!r}; it takes codes such as zh and en")
    windows = _windows(samples) if settings.vad else [(0, len(samples))]
    if not windows:
        return Transcript("", language, () if settings.words else None)
    if language is None:
        start, end = windows[0]
        language = str(model.detect_language(samples[start:end])[0])
    found = [_decode(model, samples[start:end], language, settings) for start, end in windows]
    text = ("" if language in _SPACELESS else " ").join(one.text for one in found if one.text)
    plain = simplify if language in ("zh", "yue") else str
    words = tuple(
        TimedWord(plain(word.text), start / RATE_HZ + word.start_s, start / RATE_HZ + word.end_s)
        for (start, _), one in zip(windows, found, strict=True)
        for word in one.words
    )
    return Transcript(plain(text), language, words if settings.words else None)


def _windows(samples: NDArray[np.float32]) -> list[tuple[int, int]]:
    """Where speech is, in samples: neighbours together as long as a window holds them."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(max_speech_duration_s=_WINDOW_S, min_silence_duration_ms=500, speech_pad_ms=300)
    windows: list[tuple[int, int]] = []
    for span in get_speech_timestamps(samples, options):
        start, end = int(span["start"]), int(span["end"])
        if windows:
            first, last = windows[-1]
            if end - first <= _WINDOW_S * RATE_HZ and start - last <= _MAX_GAP_S * RATE_HZ:
                windows[-1] = (first, end)
                continue
        windows.append((start, end))
    return windows


@dataclass(frozen=True, slots=True)
class _Decoded:
    """A window's text, its words in time, and the highest compression ratio of its segments."""

    text: str
    words: tuple[TimedWord, ...]
    ratio: float


def _decode(model: WhisperModel, samples: NDArray[np.float32], language: str, settings: Settings) -> _Decoded:
    timed: dict[str, Any] = {"word_timestamps": True} if settings.words else {}
    found = _decode_once(model, samples, language, settings.beam, timed)
    if found.ratio > _LOOP_RATIO:
        again = _decode_once(model, samples, language, settings.beam, {"no_repeat_ngram_size": 4, **timed})
        if again.ratio < found.ratio:
            return again
    return found


def _decode_once(
    model: WhisperModel, samples: NDArray[np.float32], language: str, beam: int, extra: dict[str, Any]
) -> _Decoded:
    segments, _ = model.transcribe(
        samples, language=language, beam_size=beam, temperature=0.0, condition_on_previous_text=False, **extra
    )
    done = list(segments)
    text = "".join(segment.text for segment in done).strip()
    words = tuple(
        TimedWord(word.word.strip(), float(word.start), float(word.end))
        for segment in done
        if extra.get("word_timestamps")
        for word in segment.words or ()
    )
    return _Decoded(text, words, max((float(segment.compression_ratio) for segment in done), default=0.0))
