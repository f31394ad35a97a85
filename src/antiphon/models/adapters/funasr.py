"""`funasr:`: Paraformer and SenseVoice, recognisers of Mandarin, run by the funasr package.

    funasr:paraformer-zh                         Mandarin with some English
    funasr:iic/SenseVoiceSmall?hub=ms            Mandarin, Cantonese, English, Japanese, Korean
    funasr:sensevoice-small?hub=hf&itn=1         the same of the Hugging Face hub, numbers as digits
    funasr:/path/to/folder                       any recogniser of funasr

Neither prints punctuation here, unless SenseVoice is asked for it (`itn`). A clip of more than 28 s is cut
in its pauses. Features are made without funasr's random dither, so the same sound gives the same words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from antiphon.audio.clip import Clip
from antiphon.audio.resample import resample
from antiphon.audio.vad import speech_spans
from antiphon.errors import ConfigError, ModelError
from antiphon.models.adapters import funasr_loading
from antiphon.models.adapters.torch_device import place_of
from antiphon.models.native import Engines
from antiphon.models.ports import Transcript
from antiphon.models.scorable import is_silent
from antiphon.text.script import simplify

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from antiphon.clock import Clock
    from antiphon.models.native import Engine
    from antiphon.models.uri import Uri

RATE_HZ = 16_000
NAMES: funasr_loading.Names = {
    "paraformer-zh": (
        "iic/speech_seaco_paraformer_large_asr_nat-zh-cn-16k-common-vocab8404-pytorch",
        "funasr/paraformer-zh",
    ),
    "sensevoice-small": ("iic/SenseVoiceSmall", "FunAudioLLM/SenseVoiceSmall"),
}
_LONGEST_S = 28.0
_SHORTEST_S = 0.1
_TAG = re.compile(r"<\|([^|<>]*)\|>")
# Paraformer puts spaces between tokens, we between pieces; none belongs beside Han characters.
_GAP = re.compile(r"(?<=[㐀-鿿]) +| +(?=[㐀-鿿])")
_SENSEVOICE = ("zh", "en", "yue", "ja", "ko")
_PARAFORMER = ("zh", "en")

_engines: Engines[Any] = Engines()


def open_transcriber(uri: Uri, clock: Clock) -> Funasr:
    """A recogniser; nothing is loaded before its first clip.

    Raises ConfigError for unknown options, UnavailableError when package or weights are missing.
    """
    uri.only("hub", "revision", "itn", "threads", "device")
    threads, itn = uri.whole("threads", 2), uri.whole("itn", 0) != 0
    if threads < 1:
        raise ConfigError(f"{uri.text}: threads count from 1")
    found = funasr_loading.folder_of(uri, NAMES, "paraformer-zh")
    device = place_of(uri, funasr_loading.REMEDY).device
    engine = _engines.get(
        (found.folder, device, threads),
        lambda: funasr_loading.load(found.folder, device, threads, frontend_conf={"dither": 0.0}),
    )
    said = f"itn={int(itn)} dither=0 on {device.partition(':')[0]} {funasr_loading.packages()}"
    return Funasr(f"funasr:{found.label} {said}", engine, itn=itn)


class Funasr:
    """The port `Transcriber`. SenseVoice's tags of language, emotion and event are no words."""

    def __init__(self, name: str, engine: Engine[Any], *, itn: bool) -> None:
        self.name = name
        self._engine = engine
        self._itn = itn

    async def warm(self) -> None:
        """Load the model now, so that no measured call pays for it."""
        await self._engine.warm()

    async def transcribe(self, clips: Sequence[Clip], language: str | None) -> list[Transcript]:
        """Words of each clip. Raises ConfigError for a language that the model does not know."""
        return [await self._one(clip, language) for clip in clips]

    async def _one(self, clip: Clip, language: str | None) -> Transcript:
        if clip.duration_s < _SHORTEST_S or is_silent(clip):
            return Transcript("", language)
        sounds = pieces(resample(clip, RATE_HZ))
        try:
            return await self._engine.run(lambda model: self._recognise(model, sounds, language))
        except RuntimeError as error:
            raise ModelError(self.name, " ".join(str(error).split())[:300]) from error

    def _recognise(self, model: Any, sounds: list[NDArray[np.float32]], language: str | None) -> Transcript:
        kind = str(model.kwargs["model"])
        known = _SENSEVOICE if kind == "SenseVoiceSmall" else _PARAFORMER
        if language is not None and language not in known:
            raise ConfigError(f"funasr: {kind} has no language {language!r}; there are: {', '.join(known)}")
        rows = funasr_loading.generate(model, sounds, language=language or "auto", use_itn=self._itn)
        read = [plain(str(row["text"])) for row in rows]
        heard = language or next((spoken for _, spoken in read if spoken in known), None)
        text = _GAP.sub("", " ".join(words for words, _ in read if words))
        return Transcript(simplify(text) if heard in ("zh", "yue") else text, heard)


def plain(text: str) -> tuple[str, str | None]:
    """Words without tags, and the first tag, which is SenseVoice's language: `<|zh|><|NEUTRAL|>…你好`."""
    tags = _TAG.findall(text)
    return _GAP.sub("", _TAG.sub("", text)).strip(), tags[0] if tags else None


def pieces(clip: Clip) -> list[NDArray[np.float32]]:
    """A clip as it is up to 28 s, else its speech in pieces of at most 28 s that end in pauses where there
    are any; shapes (n,)."""
    if clip.duration_s <= _LONGEST_S:
        return [clip.samples]
    windows: list[list[float]] = []
    for span in speech_spans(clip, min_silence_ms=300, pad_ms=200):
        start = span.start_s
        if windows and span.end_s - windows[-1][0] <= _LONGEST_S:
            windows[-1][1] = span.end_s
            continue
        while span.end_s - start > _LONGEST_S:
            windows.append([start, start + _LONGEST_S])
            start += _LONGEST_S
        windows.append([start, span.end_s])
    rate = clip.rate_hz
    return [clip.samples[round(start * rate) : round(end * rate)] for start, end in windows]
