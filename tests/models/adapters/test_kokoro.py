from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio.clip import Clip
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, ModelError, UnavailableError
from antiphon.models.adapters import kokoro
from antiphon.models.ports import SpeechContext, Voice, speak
from antiphon.models.uri import parse
from antiphon.text.script import Language

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

CLOCK = VirtualClock()


@pytest.fixture
def voice(weights: Callable[..., Any]) -> kokoro.KokoroVoice:
    weights("kokoro")
    return kokoro.open_synthesizer(parse("kokoro:"), CLOCK)


async def one(text: str) -> AsyncGenerator[str, None]:
    yield text


def test_missing_weights_name_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIPHON_CACHE", str(tmp_path))
    with pytest.raises(UnavailableError) as caught:
        kokoro.open_synthesizer(parse("kokoro:"), CLOCK)
    assert caught.value.remedy == "antiphon weights fetch kokoro"


@pytest.mark.weights
def test_names_say_model_weights_and_voices(weights: Callable[..., Any]) -> None:
    weights("kokoro")
    names = [
        kokoro.open_synthesizer(parse(uri), CLOCK).name.partition(" (kokoro-onnx")[0]
        for uri in ("kokoro:", "kokoro:zf_xiaobei", "kokoro:?zh=zf_xiaoni&en=bf_emma")
    ]
    assert names == [
        "kokoro:v1.0-int8@c767f3a7067c zh=zf_xiaoyi en=af_heart",
        "kokoro:v1.0-int8@c767f3a7067c zh=zf_xiaobei en=zf_xiaobei",
        "kokoro:v1.0-int8@c767f3a7067c zh=zf_xiaoni(slurred) en=bf_emma",
    ]


@pytest.mark.weights
def test_an_unknown_voice_lists_the_known_ones(weights: Callable[..., Any]) -> None:
    weights("kokoro")
    with pytest.raises(ConfigError, match=r"no Kokoro voice 'bob'; there are: af_alloy, .*zm_yunyang"):
        kokoro.open_synthesizer(parse("kokoro:bob"), CLOCK)


@pytest.mark.weights
async def test_the_same_text_gives_the_same_samples(voice: kokoro.KokoroVoice) -> None:
    first = await speak(voice, "Good morning.")
    assert await speak(voice, "Good morning.") == first
    assert first.rate_hz == 24_000
    assert 0.5 < first.duration_s < 2.5
    assert float(np.abs(first.samples).max()) > 0.1


@pytest.mark.weights
async def test_sound_starts_before_the_text_ends(voice: kokoro.KokoroVoice) -> None:
    given: list[str] = []

    async def text() -> AsyncGenerator[str, None]:
        for piece in ("你好，很高兴", "认识你。", "我们", "走吧。"):
            given.append(piece)
            yield piece

    async with aclosing(voice.stream(text(), Voice(), SpeechContext())) as chunks:
        first = await anext(chunks)
        assert given == ["你好，很高兴", "认识你。"]
        rest = [chunk async for chunk in chunks]
    assert first.chars == len("你好，很高兴认识你。")
    assert [chunk.chars for chunk in rest] == [len("我们走吧。")]
    # The pause that the full stop asks for comes before the next clause.
    assert not rest[0].clip.samples[: 24_000 // 4].any()
    assert first.clip.samples[-2400:].any()


@pytest.mark.weights
async def test_the_rate_cue_changes_the_length(voice: kokoro.KokoroVoice) -> None:
    async def duration_s(rate: float) -> float:
        context = SpeechContext(cues={"rate": rate})
        text = one("我们一起去公园散步吧。")
        return sum([chunk.clip.duration_s async for chunk in voice.stream(text, Voice(), context)])

    slow, normal, fast = [await duration_s(rate) for rate in (0.7, 1.0, 1.5)]
    assert slow > 1.2 * normal > 1.2 * 1.2 * fast


@pytest.mark.weights
@pytest.mark.parametrize(
    ("wish", "context", "problem"),
    [
        (Voice("bob"), SpeechContext(), "no Kokoro voice 'bob'"),
        (Voice(style="whispering"), SpeechContext(), "preset voices only"),
        (Voice(prompt=Clip([0.0], 16_000)), SpeechContext(), "preset voices only"),
        (Voice(), SpeechContext(cues={"emotion": "sad"}), "no Kokoro cue 'emotion'; there are: rate"),
        (Voice(), SpeechContext(cues={"rate": 3.0}), "rate must be a number from 0.5 to 2, not 3.0"),
        (Voice(), SpeechContext(cues={"rate": "fast"}), "rate must be a number from 0.5 to 2, not 'fast'"),
    ],
)
async def test_what_kokoro_cannot_do_is_refused_and_not_ignored(
    voice: kokoro.KokoroVoice, wish: Voice, context: SpeechContext, problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        await anext(voice.stream(one("你好。"), wish, context))


@pytest.mark.weights
@pytest.mark.parametrize("text", ["", " \n", "……？！", "🙂"])
async def test_a_text_without_words_is_an_error_and_not_silence(voice: kokoro.KokoroVoice, text: str) -> None:
    with pytest.raises(ModelError, match="no sound"):
        await speak(voice, text)


@pytest.mark.weights
async def test_numbers_and_english_words_inside_mandarin_become_phonemes(voice: kokoro.KokoroVoice) -> None:
    def phonemes(model: Any) -> list[str]:
        return [kokoro._phonemes(model, text, "en-us") for text in ("3点", "三点", "用Apple，好")]

    digits, words, mixed = await voice._engine.run(phonemes)
    assert digits == words
    assert "ˈæpəl" in mixed
    assert "，" not in mixed


@pytest.mark.weights
async def test_digits_alone_are_read_in_the_language_of_the_context(voice: kokoro.KokoroVoice) -> None:
    def phonemes(model: Any) -> list[str]:
        told: list[tuple[str, Language]] = [("1 3 6", "en"), ("one three six", "en"), ("1 3 6", "zh")]
        return [kokoro._phonemes(model, text, "en-us", language) for text, language in told]

    digits, words, mandarin = await voice._engine.run(phonemes)
    assert digits == words != mandarin
    assert voice._voiced("1 3 6", Voice(), SpeechContext(language="en"))[2] == "en"


@pytest.mark.weights
@pytest.mark.timeout(120)
async def test_a_clause_longer_than_the_models_context_is_spoken_whole(voice: kokoro.KokoroVoice) -> None:
    clause = "and then we walked on " * 26
    counts = await voice._engine.run(lambda model: [len(kokoro._phonemes(model, clause, "en-us"))])
    assert counts[0] > 510
    context = SpeechContext(cues={"rate": 2.0})
    seconds = [chunk.clip.duration_s async for chunk in voice.stream(one(clause), Voice(), context)]
    assert len(seconds) == 1
    assert 10 < seconds[0] < 30


@pytest.mark.weights
async def test_warming_up_loads_both_languages_too(voice: kokoro.KokoroVoice) -> None:
    kokoro._mandarin.cache_clear()
    await voice.warm()
    assert kokoro._mandarin.cache_info().currsize == 1


@pytest.mark.weights
async def test_where_it_is_urgent_the_first_words_come_by_themselves(voice: kokoro.KokoroVoice) -> None:
    text = "The library opens at nine in the morning. It closes at ten."

    async def chunks(*, urgent: bool) -> list[tuple[int, float]]:
        stream = voice.stream(one(text), Voice(), SpeechContext(urgent=urgent))
        return [(chunk.chars, chunk.clip.duration_s) async for chunk in stream]

    whole, parts = await chunks(urgent=False), await chunks(urgent=True)
    assert [chars for chars, _ in whole] == [41, 18]
    assert [chars for chars, _ in parts] == [17, 24, 18]
    assert parts[0][1] < 0.7 * whole[0][1]
    assert parts[2] == whole[1]
