from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.audio.levels import peak_dbfs, rms_dbfs
from antiphon.clock import VirtualClock
from antiphon.models.catalog import open_synthesizer
from antiphon.models.ports import SpeechContext, Voice
from antiphon.models.scripted_instruments import ScriptedSynthesizer
from antiphon.models.scripted_sound import words_in
from antiphon.realtime.live.renderer import (
    RATE_HZ,
    Renderer,
    Spoken,
    Unfollowed,
    louder,
    plan,
    raised_db,
    tight,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from antiphon.models.ports import Synthesizer

needs_espeak = pytest.mark.skipif(
    shutil.which("espeak-ng") is None, reason="no espeak-ng here (Debian: apt-get install espeak-ng)"
)


async def pieces(*texts: str) -> AsyncGenerator[str, None]:
    for text in texts:
        yield text


async def rendered(renderer: Renderer, text: str, context: SpeechContext | None = None) -> list[Spoken]:
    stream = renderer.stream(pieces(text), context or SpeechContext())
    return [spoken async for spoken in stream]


def sound(spoken: list[Spoken]) -> Clip:
    return Clip.from_pcm16(b"".join(one.pcm for one in spoken), RATE_HZ)


def fake() -> Renderer:
    return Renderer(ScriptedSynthesizer(VirtualClock()))


async def test_sound_starts_on_the_first_clause_while_the_rest_is_unwritten():
    written: list[str] = []

    async def text() -> AsyncGenerator[str, None]:
        for piece in ("The first one is ready. ", "The second one follows. "):
            written.append(piece)
            yield piece

    stream = fake().stream(text(), SpeechContext())
    first = await anext(stream)
    assert written == ["The first one is ready. "]
    assert words_in(Clip.from_pcm16(first.pcm, RATE_HZ)) == "The first one is ready. "
    await stream.aclose()


async def test_places_count_in_the_text_as_written_whatever_its_numbers_became():
    text = "It costs $12.50 today. Thank you."
    spoken = await rendered(fake(), text)
    assert [one.end_char for one in spoken] == [len("It costs $12.50 today."), len(text)]
    said = words_in(sound(spoken))
    assert said == "It costs twelve dollars and fifty cents today. Thank you. "


async def test_a_text_without_anything_to_pronounce_is_silent():
    assert await rendered(fake(), "… 😀") == []


def test_cues_that_nobody_can_follow_are_reported():
    asked = SpeechContext(
        cues={"rate": "fast", "emotion": "happy", "loudness": "soft", "mood": 1, "voice": "x"}
    )
    found = plan("kokoro", Voice("af_heart"), asked)
    assert found.voice == Voice("x")
    assert found.cues == {"rate": 1.25}
    assert found.gain_db == -6
    assert found.unfollowed == (
        Unfollowed("emotion", "happy", "kokoro: cannot"),
        Unfollowed("mood", "1", "no such cue; there are: rate, loudness, emotion, voice"),
    )


@pytest.mark.parametrize(
    ("cue", "value", "why"),
    [
        ("rate", 3, "outside 0.5 to 2"),
        ("rate", "swift", "not one of slow, normal, fast"),
        ("loudness", 40, "outside -18 to 9"),
    ],
)
def test_cues_out_of_range_are_reported_with_the_range(cue, value, why):
    assert plan("kokoro", Voice(), SpeechContext(cues={cue: value})).unfollowed == (
        Unfollowed(cue, str(value), why),
    )


def test_a_style_goes_to_a_synthesizer_that_has_styles():
    assert plan("cosyvoice", Voice("v"), SpeechContext(cues={"emotion": "calm"})).voice == Voice("v", "calm")


def test_a_voice_is_raised_by_half_the_noise_and_not_without_end():
    assert [raised_db(level) for level in (None, -70, -55, -45, -20)] == [0, 0, 0, 5, 9]


def test_a_louder_voice_bends_and_never_clips():
    wave = np.linspace(-1, 1, 101, dtype=np.float32)
    raised = louder(wave, 9)
    assert np.abs(raised).max() < 1
    assert (np.diff(raised) >= 0).all()
    assert louder(wave, 0) is wave
    np.testing.assert_allclose(louder(wave / 10, 6), wave / 10 * 10**0.3, rtol=1e-6)


def test_silence_around_a_clause_is_cut_and_silence_within_it_stays():
    quiet, loud = np.zeros(4800, dtype=np.float32), np.full(2400, 0.5, dtype=np.float32)
    found = tight(np.concatenate([quiet, loud, quiet, loud, quiet]))
    assert len(found) == 2400 + 4800 + 2400 + 2 * 360
    assert len(tight(quiet)) == 0


def espeak() -> Synthesizer:
    return open_synthesizer("espeak:en-us", VirtualClock())


async def check_rate_and_noise(renderer: Renderer, text: str) -> None:
    normal = sound(await rendered(renderer, text))
    fast = sound(await rendered(renderer, text, SpeechContext(cues={"rate": 1.5})))
    noisy = sound(await rendered(renderer, text, SpeechContext(noise_db=-43.0)))
    soft = sound(await rendered(renderer, text, SpeechContext(cues={"loudness": -6})))
    assert fast.duration_s < 0.8 * normal.duration_s
    assert 3 < rms_dbfs(noisy) - rms_dbfs(normal) < 6.5
    assert rms_dbfs(normal) - rms_dbfs(soft) == pytest.approx(6, abs=0.7)
    assert peak_dbfs(noisy) < 0


@needs_espeak
async def test_a_rate_cue_shortens_speech_and_a_noisy_room_raises_it():
    await check_rate_and_noise(Renderer(espeak()), "The library opens at nine in the morning.")


@pytest.mark.weights
@pytest.mark.timeout(300)
async def test_kokoro_follows_the_rate_and_is_raised_too(weights: Callable[..., list[Path]]):
    weights("kokoro")
    renderer = Renderer(open_synthesizer("kokoro:", VirtualClock()))
    await check_rate_and_noise(renderer, "图书馆早上九点开门。")
