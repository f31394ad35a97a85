from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.levels import rms_dbfs
from antiphon.cache import Store
from antiphon.errors import ConfigError, ModelError
from antiphon.models.ports import SpeechChunk, SpeechContext, Voice
from antiphon.realtime.sets.multi_party import multi_party
from antiphon.realtime.simulation.voices import PRESETS, Voices, presets_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator
    from pathlib import Path


class Kokorolike:
    """Half a second of sound between silences, and a note of who was asked for it how."""

    def __init__(self, level: float = 0.5) -> None:
        self.name = "kokoro:fake"
        self.level = level
        self.asked: list[tuple[str, str, dict[str, float | str]]] = []

    async def stream(
        self, text: AsyncIterator[str], voice: Voice, context: SpeechContext
    ) -> AsyncGenerator[SpeechChunk, None]:
        words = "".join([part async for part in text])
        self.asked.append((words, voice.name, dict(context.cues)))
        silence, sound = np.zeros(8_000), np.full(8_000, self.level)
        yield SpeechChunk(Clip(np.concatenate([silence, sound, silence]), 16_000), len(words))


def test_people_of_a_session_get_different_voices_from_the_seed():
    session = multi_party(0, 0).session
    casts = [Voices(Kokorolike(), PRESETS["kokoro"], seed=seed).cast(session) for seed in range(6)]
    assert all(len(set(cast.values())) == len(cast) == 2 for cast in casts)
    assert all(set(cast.values()) <= set(PRESETS["kokoro"]["en"]) for cast in casts)
    assert len({tuple(cast.values()) for cast in casts}) > 1
    assert Voices(Kokorolike()).cast(session) == {}


async def test_a_line_is_cut_to_its_sound_levelled_and_made_once(tmp_path: Path):
    voice = Kokorolike()
    people = Voices(voice, rate=1.1, store=Store(tmp_path))
    first, again = [await people.say("hello", "en", "am_puck", 1.0) for _ in range(2)]
    assert voice.asked == [("hello", "am_puck", {"rate": 1.1})]
    assert first == again
    assert abs(first.duration_s - 0.5) < 0.05
    assert abs(rms_dbfs(first) + 26) < 0.3
    await people.say("hello", "en", "am_puck", 1.05)
    assert voice.asked[-1][2] == {"rate": 1.16}


async def test_what_cannot_be_spoken_is_one_line():
    with pytest.raises(ModelError, match="kokoro:fake: only silence for 'hello'"):
        await Voices(Kokorolike(0.0)).say("hello", "en", "", 1.0)
    with pytest.raises(ConfigError, match=r"--rate 3 makes a pace of 3; choose .* within 0.5 to 2"):
        await Voices(Kokorolike(), rate=3).say("hello", "en", "", 1.0)


def test_chosen_voices_beat_the_presets_of_their_language():
    assert presets_of("kokoro:v1.0", ["en=am_puck, bf_emma"]) == {
        "en": ("am_puck", "bf_emma"), "zh": PRESETS["kokoro"]["zh"],
    }  # fmt: skip
    assert presets_of("cosyvoice:x", []) == {}


@pytest.mark.parametrize("text", ["am_puck", "fr=x", "en=", "en= , "])
def test_voices_without_language_or_name_are_refused(text: str):
    with pytest.raises(ConfigError, match="write LANGUAGE=VOICE,VOICE with language en or zh"):
        presets_of("kokoro:v1.0", [text])
