"""`kokoro:`: Mandarin and English speech by Kokoro-82M (int8, onnxruntime) on the CPU.

    kokoro:                              zf_xiaoyi for Mandarin, af_heart for English
    kokoro:zf_xiaobei                    one voice for everything
    kokoro:?zh=zm_yunxi&en=bf_emma       a voice for each language

Text is spoken clause by clause, so sound starts before the text ends. Mandarin phonemes come from misaki,
English ones from phonemizer and espeak-ng (GPL-3.0, loaded as a library); a clause that mixes both goes
through both and is spoken by one voice. The same text gives the same samples.
"""

from __future__ import annotations

import logging
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.errors import ConfigError, ModelError, unknown
from antiphon.models.clauses import clauses_of, has_words, sayable
from antiphon.models.heads import head
from antiphon.models.native import Engines, need
from antiphon.models.ports import SpeechChunk
from antiphon.models.weights import fetch
from antiphon.text.normalise import spoken
from antiphon.text.script import language_of, runs

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping
    from pathlib import Path

    from kokoro_onnx import Kokoro

    from antiphon.clock import Clock
    from antiphon.models.native import Engine
    from antiphon.models.ports import SpeechContext, Voice
    from antiphon.models.uri import Uri
    from antiphon.text.script import Language

RATE_HZ = 24_000
DEFAULTS = {"zh": "zf_xiaoyi", "en": "af_heart"}
# Measured: half of its Mandarin is not understood by the recogniser that understands the other voices.
SLURRED = frozenset({"zf_xiaoni"})
_MODEL, _VOICES = "kokoro-v1.0.int8.onnx", "voices-v1.0.bin"
_GROUPS = {"zh": ("zf_", "zm_"), "en": ("af_", "am_", "bf_", "bm_")}
_RATES = (0.5, 2.0)
_PAUSES_S = {".": 0.25, "!": 0.25, "?": 0.25, "…": 0.25, ",": 0.1, ";": 0.1, ":": 0.1}

_engines: Engines[Kokoro] = Engines()


@dataclass(frozen=True, slots=True)
class Spoken:
    """A clause ready for the model: phonemes, who says them, how fast."""

    phonemes: str
    voice: str
    rate: float


def open_synthesizer(uri: Uri, clock: Clock) -> KokoroVoice:
    """A synthesizer; nothing is loaded before its first clause.

    Raises ConfigError for unknown voices and options, UnavailableError when packages or weights are missing.
    """
    uri.only("zh", "en", "threads")
    threads = uri.whole("threads", 2)
    if threads < 1:
        raise ConfigError(f"{uri.text}: threads count from 1")
    for package in ("kokoro_onnx", "misaki", "jieba", "cn2an", "pypinyin"):
        need(package)
    folder = fetch.locate("kokoro")
    known = voices(folder)
    chosen = {
        language: _voice(uri.options.get(language) or uri.path or default, known)
        for language, default in DEFAULTS.items()
    }
    engine = _engines.get((folder, threads), lambda: _load(folder, threads))
    return KokoroVoice(_name(chosen), engine, chosen, known)


def voices(folder: Path) -> tuple[str, ...]:
    """The Mandarin and English voices in a weights folder."""
    with zipfile.ZipFile(folder / _VOICES) as packed:
        names = [name.removesuffix(".npy") for name in packed.namelist()]
    wanted = tuple(prefix for group in _GROUPS.values() for prefix in group)
    return tuple(sorted(name for name in names if name.startswith(wanted)))


def _voice(name: str, known: tuple[str, ...]) -> str:
    if name not in known:
        raise unknown("Kokoro voice", name, known)
    return name


def _name(chosen: Mapping[str, str]) -> str:
    """Model, weights, both packages that shape the sound, voices; a bad voice is called what it is."""
    said = " ".join(
        f"{language}={voice}{'(slurred)' if voice in SLURRED else ''}" for language, voice in chosen.items()
    )
    packages = f"kokoro-onnx {version('kokoro-onnx')} misaki {version('misaki')}"
    return f"kokoro:v1.0-int8@{fetch.digest('kokoro')} {said} ({packages})"


def _load(folder: Path, threads: int) -> Kokoro:
    import onnxruntime
    from kokoro_onnx import Kokoro

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # leave idle cores idle
    session = onnxruntime.InferenceSession(str(folder / _MODEL), options, providers=["CPUExecutionProvider"])
    return Kokoro.from_session(session, str(folder / _VOICES))


class KokoroVoice:
    """The port `Synthesizer`. The one cue it can follow is `rate` (0.5 to 2, 1 is normal)."""

    def __init__(
        self, name: str, engine: Engine[Kokoro], chosen: Mapping[str, str], known: tuple[str, ...]
    ) -> None:
        self.name = name
        self._engine = engine
        self._chosen = chosen
        self._known = known

    async def warm(self) -> None:
        """Load the model and both languages, so that no measured call pays for the first of anything."""
        await self._engine.run(lambda model: _speak(model, "好 well", self._chosen["zh"], "zh", 1.0))

    async def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]:
        """One chunk a clause; where it is urgent, the first words of the first one come by themselves. Raises ConfigError for a voice, style or cue that Kokoro does not have,
        ModelError when the whole text gives no sound."""
        rate = self._checked(voice, context)
        chars, heard, pause_s = 0, "", 0.0
        sounded = False
        async for part in self._parts(text, context):
            chars += len(part)
            heard += part[:40]
            said = self._voiced(part, voice, context)
            clip, next_pause_s = await self._engine.run(lambda model, said=said: _speak(model, *said, rate))
            if clip is None:
                continue
            pause = np.zeros(round(pause_s * RATE_HZ), np.float32)
            yield SpeechChunk(Clip(np.concatenate([pause, clip]), RATE_HZ), chars)
            chars, pause_s, sounded = 0, next_pause_s, True
        if not sounded:
            raise ModelError(self.name, f"no sound for {heard[:40]!r}")

    async def _parts(self, text: AsyncIterator[str], context: SpeechContext) -> AsyncGenerator[str, None]:
        urgent = context.urgent
        async for clause in clauses_of(text):
            if urgent and has_words(clause):
                urgent = False
                language = context.language if context.language in ("zh", "en") else language_of(clause)
                for part in head(clause, language, _words):
                    if part:
                        yield part
            else:
                yield clause

    def _checked(self, voice: Voice, context: SpeechContext) -> float:
        """The rate, once everything that was asked for can be done."""
        if voice.name:
            _voice(voice.name, self._known)
        if voice.prompt is not None or voice.style:
            raise ConfigError("kokoro: has preset voices only; leave prompt and style out")
        for cue in context.cues:
            if cue != "rate":
                raise unknown("Kokoro cue", cue, ["rate"])
        rate = context.cues.get("rate", 1.0)
        if not isinstance(rate, int | float) or not _RATES[0] <= rate <= _RATES[1]:
            raise ConfigError(f"kokoro: rate must be a number from 0.5 to 2, not {rate!r}")
        return float(rate)

    def _voiced(self, clause: str, voice: Voice, context: SpeechContext) -> tuple[str, str, Language]:
        language = context.language if context.language in ("zh", "en") else language_of(clause)
        return clause, voice.name or self._chosen[language], language


def _speak(
    model: Kokoro, clause: str, voice: str, language: Language, rate: float
) -> tuple[np.ndarray | None, float]:
    """A clause's samples (None for marks alone), and the pause that its last mark asks for."""
    phonemes = _phonemes(model, clause, "en-gb" if voice.startswith("b") else "en-us", language)
    known = "".join(phoneme for phoneme in phonemes if phoneme in model.tokenizer.vocab)
    if not any(phoneme.isalpha() for phoneme in known):
        return None, 0.0
    samples, _ = model.create(known, voice, speed=rate, is_phonemes=True)
    return np.asarray(samples, np.float32), _PAUSES_S.get(known.rstrip()[-1], 0.0) / rate


def _phonemes(model: Kokoro, clause: str, english: str, language: Language = "zh") -> str:
    """`language` is what digits and signs without any letter are read in."""
    mandarin = _mandarin()
    parts: list[str] = []
    for run in runs(mandarin.map_punctuation(sayable(clause)), language):
        words = spoken(run.text, run.language)
        if run.language == "zh":
            parts.append(str(mandarin(words)[0]))
        else:
            parts.append(model.tokenizer.phonemize(words, english))
    return " ".join(part for part in parts if part)


def _words(text: str) -> list[str]:
    _mandarin()  # has told jieba to be quiet
    import jieba

    return jieba.lcut(text)


@lru_cache(maxsize=1)
def _mandarin() -> Any:
    import jieba
    from misaki.zh import ZHG2P

    jieba.setLogLevel(logging.ERROR)  # it reports its own loading on standard error
    return ZHG2P()
