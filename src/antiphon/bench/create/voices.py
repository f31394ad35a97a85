"""Voices: prompt clips of a folder, or a synthesizer's presets by name, each measured once.

Appendix A has two sets of prompt clips: a clean one (UTMOS over 3.5, and listened to) for knowledge, reasoning
and creativity, and the full one for everything like chat. A preset voice stands in for a prompt clip; what is
measured and listened to is then a sentence that it speaks.
"""

from __future__ import annotations

import csv
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from antiphon.audio.files import encode, read
from antiphon.bench.create.gauges import open_gauges
from antiphon.bench.folder import clip_name
from antiphon.bench.metrics.emotions import FIVE
from antiphon.clock import RealClock
from antiphon.errors import ConfigError, DataError, ModelError
from antiphon.ids import hash_file
from antiphon.jsonl import to_row
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import Voice, speak
from antiphon.models.uri import parse
from antiphon.stage.outcome import Failed, Made

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.bench.create.gauges import Gauges
    from antiphon.models.ports import Synthesizer
    from antiphon.stage.outcome import Outcome

SAMPLE = {
    "zh": "今天天气很好，我们一起去公园散步吧。",
    "en": "The weather is fine today, so let us walk in the park.",
}
_SOUNDS = (".wav", ".flac", ".mp3", ".ogg")
# Mandarin and English presets; the one that is not understood (adapters/kokoro.py, SLURRED) is left out.
_PRESETS: dict[str, dict[str, tuple[str, ...]]] = {
    "kokoro": {
        "zh": ("zf_xiaobei", "zf_xiaoxiao", "zf_xiaoyi", "zm_yunjian", "zm_yunxi", "zm_yunxia", "zm_yunyang"),
        "en": ("af_heart", "af_bella", "am_michael", "am_puck", "bf_emma", "bm_george"),
    }
}


@dataclass(frozen=True, slots=True)
class VoiceSource:
    """Where a voice comes from: a prompt clip's file, or a preset's name alone. `language` "" speaks any;
    `text` is what the prompt says, where that is known."""

    name: str
    origin: Literal["preset", "prompt"]
    language: str = ""
    file: str = ""
    emotion: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class VoiceProfile:
    """A voice as measured. `mos` and `emotions` hold numbers where there are any, else `…_why` says why not."""

    KIND: ClassVar[str] = "voice"
    V: ClassVar[int] = 1
    name: str
    origin: Literal["preset", "prompt"]
    clip: str
    duration_s: float
    language: str = ""
    file: str = ""
    emotion: str = ""
    text: str = ""
    mos: float | None = None
    mos_why: str = ""
    emotions: dict[str, float] = field(default_factory=dict[str, float])
    emotions_why: str = ""


def sources(given: str | None, synthesizer: str, languages: Sequence[str]) -> list[VoiceSource]:
    """The voices that `given` names: a folder of prompt clips (perhaps with `voices.csv`: file, emotion, text),
    presets by name with commas between, or None for the synthesizer's own.

    Raises ConfigError for a folder without clips, DataError for a wrong voices.csv.
    """
    if given is not None and Path(given).is_dir():
        return _prompts(Path(given))
    if given is not None:
        if "/" in given:
            raise ConfigError(
                f"no folder {given!r}; give a folder of prompt clips, or names of preset voices"
            )
        return [VoiceSource(name.strip(), "preset") for name in given.split(",") if name.strip()]
    presets = _PRESETS.get(parse(synthesizer).scheme)
    if presets is None:
        return [VoiceSource("", "preset")]
    return [VoiceSource(name, "preset", language) for language in languages for name in presets[language]]


def _prompts(folder: Path) -> list[VoiceSource]:
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SOUNDS)
    if not files:
        raise ConfigError(f"{folder} holds no prompt clips ({', '.join(_SOUNDS)})")
    told = _told(folder / "voices.csv", {path.name for path in files})
    return [
        VoiceSource(
            f"{path.name}@{hash_file(path)[:12]}", "prompt", "", str(path), *told.get(path.name, ("", ""))
        )
        for path in files
    ]


def _told(path: Path, files: set[str]) -> dict[str, tuple[str, str]]:
    """Emotion and words of each file that the table names."""
    if not path.is_file():
        return {}
    found: dict[str, tuple[str, str]] = {}
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for row in (rows := csv.DictReader(lines)):
            name, emotion = (row.get("file") or "").strip(), (row.get("emotion") or "").strip().lower()
            if name not in files:
                raise DataError(path, f"no sound file {name!r} beside it", line=rows.line_num, field="file")
            if emotion and emotion not in FIVE:
                problem = f"{emotion!r} is not among {', '.join(FIVE)}"
                raise DataError(path, problem, line=rows.line_num, field="emotion")
            found[name] = (emotion, (row.get("text") or "").strip())
    return found


@asynccontextmanager
async def open_audition(synthesizer: str, scorers: Sequence[str], seed: int) -> AsyncGenerator[Audition]:
    """A worker that measures voices."""
    clock = RealClock()
    yield Audition(open_synthesizer(synthesizer, clock), open_gauges(scorers, clock), seed)


@dataclass(frozen=True, slots=True)
class Audition:
    """Hears each voice once: its prompt clip, or a sentence spoken by the preset."""

    synthesizer: Synthesizer
    gauges: Gauges
    seed: int

    async def __call__(self, voices: Sequence[VoiceSource]) -> list[Outcome]:
        return [await self._one(voice) for voice in voices]

    async def _one(self, voice: VoiceSource) -> Outcome:
        try:
            clip = await self._sample(voice)
            mos = await self.gauges.naturalness(clip)
            feelings = await self.gauges.emotions(clip)
        except (ModelError, DataError) as error:
            return Failed(str(error), transient=True)
        profile = VoiceProfile(
            voice.name, voice.origin, clip.digest, clip.duration_s, voice.language, voice.file, voice.emotion, voice.text,
            mos.value, mos.why,
            {name: one.value for name, one in feelings.items() if one.value is not None},
            next((one.why for one in feelings.values() if one.why), ""),
        )  # fmt: skip
        return Made(to_row(profile), {clip_name(clip.digest): encode(clip)})

    async def _sample(self, voice: VoiceSource) -> Clip:
        if voice.origin == "prompt":
            return read(voice.file)
        language = voice.language or "zh"
        return await speak(self.synthesizer, SAMPLE[language], Voice(voice.name, seed=self.seed), language)
