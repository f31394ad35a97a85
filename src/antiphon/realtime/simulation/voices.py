"""The voices of simulated people: who speaks with which, and their lines as sound, made once and kept."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antiphon.audio.clip import Clip, join
from antiphon.audio.files import decode, encode
from antiphon.audio.levels import rms_dbfs, with_gain_db, within_full_scale
from antiphon.audio.resample import resample
from antiphon.cache import key_of
from antiphon.errors import ConfigError, ModelError
from antiphon.ids import rng
from antiphon.models.ports import SpeechContext, Voice, is_scripted
from antiphon.realtime.live.renderer import FOLLOWS, RATES, tight
from antiphon.realtime.simulation.room import RATE_HZ

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from antiphon.cache import Store
    from antiphon.models.ports import Synthesizer
    from antiphon.realtime.simulation.simulate import Session

SPEECH_DB = -26.0  # everybody's level in the track (ITU-T P.56 calls -26 dBov the nominal one)
_VERSION = 1
# Synthesizers with presets: those that a recogniser understands.
PRESETS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "kokoro": {
        "en": ("af_heart", "am_michael", "bf_emma", "am_fenrir", "af_bella", "bm_george", "am_puck"),
        "zh": ("zm_yunxi", "zf_xiaoyi", "zm_yunjian", "zf_xiaoxiao", "zm_yunyang", "zf_xiaobei"),
    },
    "espeak": {
        "en": ("en-us", "en-gb+f3", "en-us+m3", "en-gb+f4"),
        "zh": ("cmn", "cmn+f3", "cmn+m3", "cmn+f4"),
    },
}


@dataclass(frozen=True)
class Voices:
    """A synthesizer and who may speak with it. `presets` maps a language to voices; none: the one it has.
    `rate` multiplies the pace of every session. `store` keeps what was spoken."""

    synthesizer: Synthesizer
    presets: Mapping[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    rate: float = 1.0
    seed: int = 0
    store: Store | None = None

    def cast(self, session: Session) -> dict[str, str]:
        """A voice for each speaker of a session, different ones as long as there are enough."""
        names = self.presets.get(session.language, ())
        if not names:
            return {}
        order = rng(self.seed, "voices", session.id).permutation(len(names))
        people = dict.fromkeys(line.speaker for line in session.lines)
        return {person: names[int(order[at % len(names)])] for at, person in enumerate(people)}

    async def say(self, text: str, language: str, voice: str, pace: float) -> Clip:
        """The words as 16 kHz sound without silence around it. Raises ModelError, ConfigError."""
        rate = round(self.rate * pace, 2)
        if not RATES[0] <= rate <= RATES[1]:
            raise ConfigError(
                f"--rate {self.rate:g} makes a pace of {rate:g}; choose one for which it stays within "
                f"{RATES[0]:g} to {RATES[1]:g} (sessions have 0.9 to 1.2 of their own)"
            )
        key = key_of("person", _VERSION, self.synthesizer.name, text, language, voice, rate, self.seed)
        kept = self.store.get(key) if self.store is not None else None
        if kept is None:
            kept = encode(await self._sound(text, language, voice, rate))
            if self.store is not None and not is_scripted(self.synthesizer.name):
                self.store.put(key, kept)
        samples = tight(resample(decode(kept, text[:40]), RATE_HZ).samples)
        if not len(samples):
            raise ModelError(self.synthesizer.name, f"only silence for {text[:40]!r}")
        clip = Clip(samples, RATE_HZ)
        return within_full_scale(with_gain_db(clip, SPEECH_DB - rms_dbfs(clip)))

    async def _sound(self, text: str, language: str, voice: str, rate: float) -> Clip:
        async def whole() -> AsyncGenerator[str, None]:
            yield text

        paced = "rate" in FOLLOWS.get(self.synthesizer.name.partition(":")[0], frozenset[str]())
        context = SpeechContext(language=language, cues={"rate": rate} if paced else {})
        stream = self.synthesizer.stream(whole(), Voice(voice, seed=self.seed), context)
        async with aclosing(stream) as chunks:
            clips = [chunk.clip async for chunk in chunks]
        if not any(len(clip) for clip in clips):
            raise ModelError(self.synthesizer.name, f"no sound for {text[:40]!r}")
        return join(clips)


def presets_of(synthesizer: str, chosen: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The voices of a synthesizer (its name) by language; `chosen` are like "en=af_heart,am_michael" and beat
    the defaults. Raises ConfigError."""
    found = dict(PRESETS.get(synthesizer.partition(":")[0], {}))
    for text in chosen:
        language, equals, names = text.partition("=")
        listed = tuple(name.strip() for name in names.split(",") if name.strip())
        if language not in ("en", "zh") or not equals or not listed:
            raise ConfigError(f"--voices {text!r}: write LANGUAGE=VOICE,VOICE with language en or zh")
        found[language] = listed
    return found
