"""`SpokenPartner`: a partner whose every turn is spoken by a synthesizer, so that the agent hears and does not read.

What it says is *synthetic speech*, in its name and in the cues of every turn: it tells nothing yet about
recordings of people.
"""

from __future__ import annotations

import re
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antiphon.audio.channel import band_pass
from antiphon.audio.clip import join
from antiphon.audio.files import decode, encode
from antiphon.audio.g711 import telephone
from antiphon.audio.perturb import apply, to_text
from antiphon.cache import key_of
from antiphon.errors import ConfigError, ModelError
from antiphon.models.ports import SpeechContext, Voice, is_scripted

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from antiphon.audio.clip import Clip
    from antiphon.audio.perturb import Recipe
    from antiphon.cache import Store
    from antiphon.messages import Message
    from antiphon.models.ports import Synthesizer
    from antiphon.partner.partner import Partner, PartnerTurn

LABEL = "synthetic speech"
TELEPHONE_HZ = (300.0, 3400.0)  # what a telephone's band carries (ITU-T G.712)
_VERSION = 1
_FAST = re.compile(r"\b(fast|quick|quickly|hurried|rushed|in one breath)\b|快|一口气|赶时间")
_SLOW = re.compile(r"\b(slow|slowly|hesitat\w*|drawling)\b|慢|犹豫|吞吞吐吐")
_RATES = ((_FAST, 1.3), (_SLOW, 0.85))


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the partner's speech reaches the agent: noise and the like in this order, then the telephone."""

    noise: tuple[Recipe, ...] = ()
    telephone: bool = False

    def __str__(self) -> str:
        words = [*map(to_text, self.noise), *(["telephone"] if self.telephone else [])]
        return ", ".join(words) or "clean"


CLEAN = Conditions()
_VOICE = Voice()


class SpokenPartner:
    """A partner with a voice. `store` keeps spoken turns, so that no words are synthesized twice."""

    def __init__(
        self,
        partner: Partner,
        synthesizer: Synthesizer,
        language: str,
        conditions: Conditions = CLEAN,
        voice: Voice = _VOICE,
        store: Store | None = None,
    ) -> None:
        self._partner = partner
        self._synthesizer = synthesizer
        self._language = language
        self._conditions = conditions
        self._voice = voice
        self._store = store
        self._takes_style = True
        scripted = "" if is_scripted(partner.name) or not is_scripted(synthesizer.name) else "scripted:"
        self.name = f"{scripted}{partner.name} ({LABEL}: {synthesizer.name}, {conditions})"

    async def turn(self, dialogue: Sequence[Message]) -> PartnerTurn:
        """The inner partner's turn, spoken. Raises ModelError when there is no sound for it."""
        turn = await self._partner.turn(dialogue)
        if not turn.text:
            return turn
        style = str(turn.cues.get("style", ""))
        cues: dict[str, str | float] = {**turn.cues, "speech": LABEL, "conditions": str(self._conditions)}
        rate = rate_of(style)
        if rate is not None:
            cues["rate"] = rate
        clip = self._reaches(await self._clean(turn.text, style, rate))
        if style:
            cues["style_as"] = (
                "style" if self._takes_style else "rate" if rate is not None else "not followed"
            )
        return replace(turn, clip=clip, cues=cues)

    async def _clean(self, text: str, style: str, rate: float | None) -> Clip:
        key = key_of(
            "partner", _VERSION, self._synthesizer.name, text, self._language, style, rate or 1.0,
            [self._voice.name, self._voice.seed],
        )  # fmt: skip
        kept = self._store.get(key) if self._store is not None else None
        if kept is not None and not style:
            return decode(kept, text[:40])
        data = encode(await self._speak(text, style, rate))
        if self._store is not None and not is_scripted(self._synthesizer.name):
            self._store.put(key, data)
        return decode(data, text[:40])  # the same 16 bits whether it was kept or is new

    async def _speak(self, text: str, style: str, rate: float | None) -> Clip:
        """The text in its style where the voice takes one; else only as fast or slow as the style says."""
        if style and self._takes_style:
            try:
                return await self._sound(text, replace(self._voice, style=style), {})
            except ConfigError:
                self._takes_style = False  # a voice with presets only
        return await self._sound(text, self._voice, {} if rate is None else {"rate": rate})

    async def _sound(self, text: str, voice: Voice, cues: Mapping[str, float | str]) -> Clip:
        async def whole() -> AsyncGenerator[str, None]:
            yield text

        context = SpeechContext(language=self._language, cues=cues)
        async with aclosing(self._synthesizer.stream(whole(), voice, context)) as chunks:
            clips = [chunk.clip async for chunk in chunks]
        if not any(len(clip) for clip in clips):
            raise ModelError(self._synthesizer.name, f"no sound for {text[:40]!r}")
        return join(clips)

    def _reaches(self, clip: Clip) -> Clip:
        """The clip as it arrives. The same words are always disturbed in the same way."""
        for recipe in self._conditions.noise:
            try:
                clip = apply(recipe, clip, self._voice.seed)
            except ValueError as error:  # silence has no signal-to-noise ratio
                raise ModelError(self._synthesizer.name, f"{to_text(recipe)}: {error}") from None
        if self._conditions.telephone:
            clip = telephone(band_pass(clip, *TELEPHONE_HZ))
        return clip

    def snapshot(self) -> bytes:
        return self._partner.snapshot()

    def restore(self, state: bytes) -> None:
        self._partner.restore(state)


def rate_of(style: str) -> float | None:
    """How fast a style is said, 1 being normal; None when it does not say."""
    for words, rate in _RATES:
        if words.search(style.casefold()):
            return rate
    return None
