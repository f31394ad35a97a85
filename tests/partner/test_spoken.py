from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from antiphon.audio.channel import band_pass
from antiphon.audio.clip import Clip
from antiphon.audio.perturb import from_text
from antiphon.cache import Store
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, ModelError
from antiphon.models.ports import SpeechChunk, SpeechContext, Voice
from antiphon.models.scripted_instruments import ScriptedSynthesizer
from antiphon.models.scripted_sound import words_in
from antiphon.partner.script import Script
from antiphon.partner.spoken import Conditions, SpokenPartner, rate_of
from antiphon.partner.user import ScriptedPartner

RATE = 16_000


class Voices:
    """A synthesizer that remembers how it was asked; without styles it refuses them, as Kokoro does."""

    def __init__(self, *, styles: bool = True, silent: bool = False) -> None:
        self.name = "voices"
        self.styles = styles
        self.silent = silent
        self.asked: list[tuple[str, str, dict[str, float | str]]] = []

    async def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]:
        if voice.style and not self.styles:
            raise ConfigError("no styles here")
        words = "".join([piece async for piece in text])
        self.asked.append((words, voice.style, dict(context.cues)))
        tone = np.sin(np.arange(RATE // 2) * 2 * np.pi * 440 / RATE) * (0.0 if self.silent else 0.3)
        yield SpeechChunk(Clip([] if self.silent else tone, RATE), len(words))


def script(style: str = "") -> Script:
    return Script(opening="Hello there.", style=style)


def spoken(voices: Voices, style: str = "", **more: object) -> SpokenPartner:
    return SpokenPartner(ScriptedPartner(script(style)), voices, "en", **more)  # pyright: ignore[reportArgumentType]


async def test_a_turn_is_spoken_and_says_that_it_is_synthetic():
    partner = SpokenPartner(ScriptedPartner(script()), ScriptedSynthesizer(VirtualClock()), "en")
    turn = await partner.turn([])
    assert turn.clip is not None
    assert words_in(turn.clip) == turn.text == "Hello there."
    assert turn.cues == {"speech": "synthetic speech", "conditions": "clean"}
    assert partner.name == "scripted:partner (synthetic speech: scripted:voice 24000 Hz, clean)"


async def test_a_style_reaches_a_voice_that_takes_styles():
    voices = Voices()
    turn = await spoken(voices, "said fast, in one breath").turn([])
    assert voices.asked == [("Hello there.", "said fast, in one breath", {})]
    assert (turn.cues["style_as"], turn.cues["rate"]) == ("style", 1.3)


async def test_a_voice_without_styles_is_told_only_how_fast():
    voices = Voices(styles=False)
    turn = await spoken(voices, "说得快，中途改口").turn([])
    assert voices.asked == [("Hello there.", "", {"rate": 1.3})]
    assert turn.cues["style_as"] == "rate"
    other = await spoken(Voices(styles=False), "cheerful").turn([])
    assert other.cues["style_as"] == "not followed"


@pytest.mark.parametrize(
    ("style", "rate"),
    [("hesitating", 0.85), ("慢慢说", 0.85), ("一口气说完", 1.3), ("warm", None), ("", None)],
)
def test_a_style_tells_how_fast(style: str, rate: float | None):
    assert rate_of(style) == rate


async def test_noise_and_the_telephone_change_what_arrives_and_stand_in_the_name():
    conditions = Conditions((from_text("white_noise:snr_db=5"),), telephone=True)
    partner = spoken(Voices(), conditions=conditions)
    clean, disturbed = await spoken(Voices()).turn([]), await partner.turn([])
    assert clean.clip is not None
    assert disturbed.clip is not None
    assert (clean.clip.rate_hz, disturbed.clip.rate_hz) == (RATE, 8000)
    assert disturbed.cues["conditions"] == "white_noise:snr_db=5, telephone"
    assert "white_noise:snr_db=5, telephone" in partner.name
    again = await spoken(Voices(), conditions=conditions).turn([])
    assert again.clip == disturbed.clip


def test_a_band_keeps_what_lies_in_it():
    def level(hz: float) -> float:
        wave = np.sin(np.arange(RATE) * 2 * np.pi * hz / RATE) * 0.5
        passed = band_pass(Clip(wave, RATE), 300, 3400).samples[RATE // 4 :]
        return float(np.sqrt(np.mean(passed**2)) / np.sqrt(np.mean(wave**2)))

    assert level(1000) == pytest.approx(1, abs=0.02)
    assert level(50) < 0.01
    assert level(7000) < 0.01
    with pytest.raises(ValueError, match="no band below half the rate"):
        band_pass(Clip([0.0], 4000), 300, 3400)


async def test_the_same_words_are_synthesized_once(tmp_path: Path):
    store, voices = Store(tmp_path), Voices()
    first = await spoken(voices, store=store).turn([])
    again = await spoken(voices, store=store).turn([])
    assert len(voices.asked) == 1
    assert again.clip == first.clip


async def test_a_voice_without_sound_is_an_error():
    with pytest.raises(ModelError, match="no sound for 'Hello"):
        await spoken(Voices(silent=True)).turn([])


class Hush(Voices):
    """Speaks without any level."""

    async def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]:
        yield SpeechChunk(Clip.silence(1, RATE), 1)


async def test_noise_that_cannot_be_mixed_in_is_the_voices_failure():
    partner = spoken(Hush(), conditions=Conditions((from_text("white_noise:snr_db=5"),)))
    with pytest.raises(ModelError, match="voices: white_noise:snr_db=5: "):
        await partner.turn([])


async def test_its_state_is_that_of_the_partner_who_speaks():
    partner = spoken(Voices())
    before = partner.snapshot()
    await partner.turn([])
    assert partner.snapshot() != before
    partner.restore(before)
    assert (await partner.turn([])).text == "Hello there."
