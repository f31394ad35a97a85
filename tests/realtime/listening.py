"""People of shaped noise and a scripted recogniser that finds their lines in what it hears, for tests of real ears."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.ids import rng
from antiphon.realtime.live.hearing import EnergyVad
from antiphon.realtime.simulation.real_ears import Organs, RealEars
from antiphon.realtime.simulation.recogniser import Latency
from antiphon.realtime.simulation.room import RATE_HZ, Room

if TYPE_CHECKING:
    from antiphon.partner.live import Line
    from antiphon.realtime.simulation.simulate import Session

_CHUNK = 2 * RATE_HZ // 50


class ScriptedPeople:
    """Every line is a noise of its own, 60 ms a character; `words` recognises it, as far as it was heard."""

    def __init__(self, session: Session, latency_ms: int = 300) -> None:
        self.session, self.latency = session, Latency(latency_ms, latency_ms)
        self.asked = self.learned = 0
        self._texts: dict[bytes, tuple[str, bool]] = {}

    def say(self, line: Line, text: str, pace: float) -> Clip:
        count = round(len(text) * 0.06 / pace * RATE_HZ)
        samples = 0.1 * rng(0, "person", text).standard_normal(count)
        clip = Clip(np.clip(samples, -1, 1).astype(np.float32), RATE_HZ)
        self._texts[clip.pcm16()] = (text, line.enrolled)
        return clip

    def _shares(self, pcm: bytes) -> list[tuple[str, bool, float]]:
        """What is in this sound: text, whether the enrolled person says it, and how much of it."""
        found: list[tuple[str, bool, float]] = []
        for sound, (text, enrolled) in self._texts.items():
            starts = range(0, max(1, len(sound) - _CHUNK), _CHUNK)
            hit = sum(sound[at : at + _CHUNK] in pcm for at in starts)
            if hit:
                found.append((text, enrolled, hit / len(starts)))
        return found

    def words(self, pcm: bytes) -> str:
        self.asked += 1
        return " ".join(text[: math.ceil(len(text) * share)] for text, _, share in self._shares(pcm))

    def known(self, pcm: bytes) -> tuple[str | None, bool | None]:
        """As `Who`: whose line it is, of what is a second long."""
        if len(pcm) < 2 * RATE_HZ:
            return None, None
        return next(((None, enrolled) for _, enrolled, _ in self._shares(pcm)), (None, None))

    def learn(self, pcm: bytes) -> None:
        self.learned += 1

    def ears(self, *, tell: bool = False, told: bool = False) -> RealEars:
        """Ears that find out who speaks, if they `tell`, or are `told`."""
        organs = Organs(self.say, self.words, EnergyVad, self.latency, self if tell else None, told)
        return RealEars(organs, Room(-math.inf, rng(0)))
