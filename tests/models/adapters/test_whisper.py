from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio.clip import Clip, join
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, UnavailableError
from antiphon.models.adapters import kokoro, whisper
from antiphon.models.ports import TimedWord, Transcript, speak
from antiphon.models.uri import parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLOCK = VirtualClock()


class Decoder:
    """A model that says given segments: (text, compression ratio) for plain and for n-gram-free decoding."""

    supported_languages = ("en", "zh")

    def __init__(self, plain: tuple[str, float], free: tuple[str, float] = ("", 0.0)) -> None:
        self.says = {False: plain, True: free}
        self.asked: list[dict[str, Any]] = []

    def transcribe(self, samples: Any, **options: Any) -> tuple[list[Any], None]:
        self.asked.append(options)
        text, ratio = self.says["no_repeat_ngram_size" in options]
        return [type("Segment", (), {"text": text, "compression_ratio": ratio})], None


def test_decoding_is_repeatable_by_construction() -> None:
    model: Any = Decoder((" Hello. ", 1.0))
    got = whisper._transcribe(model, np.zeros(16_000, np.float32), "en", whisper.Settings(5, vad=False))
    assert got == Transcript("Hello.", "en")
    assert model.asked == [
        {"language": "en", "beam_size": 5, "temperature": 0.0, "condition_on_previous_text": False}
    ]


def test_a_loop_is_decoded_again_without_repeats_and_the_less_repetitive_text_is_kept() -> None:
    model: Any = Decoder(("no no no no no no", 9.0), ("no thanks", 1.2))
    got = whisper._transcribe(model, np.zeros(16_000, np.float32), "en", whisper.Settings(1, vad=False))
    assert got.text == "no thanks"
    worse: Any = Decoder(("la la la", 3.0), ("la la la la", 4.0))
    got = whisper._transcribe(worse, np.zeros(16_000, np.float32), "en", whisper.Settings(1, vad=False))
    assert got.text == "la la la"


def test_words_come_with_their_times_where_they_are_asked_for() -> None:
    class Timed(Decoder):
        def transcribe(self, samples: Any, **options: Any) -> tuple[list[Any], None]:
            self.asked.append(options)
            word = type("Word", (), {"word": " 請", "start": 0.5, "end": 0.75})
            return [type("Segment", (), {"text": "請", "compression_ratio": 1.0, "words": [word]})], None

    model: Any = Timed(("", 1.0))
    settings = whisper.Settings(5, vad=False, words=True)
    got = whisper._transcribe(model, np.zeros(16_000, np.float32), "zh", settings)
    assert got == Transcript("请", "zh", (TimedWord("请", 0.5, 0.75),))
    assert model.asked[0]["word_timestamps"] is True


def test_traditional_characters_come_out_simplified() -> None:
    model: Any = Decoder(("請幫我預訂車票", 1.0))
    got = whisper._transcribe(model, np.zeros(16_000, np.float32), "zh", whisper.Settings(5, vad=False))
    assert got == Transcript("请帮我预订车票", "zh")


def test_an_unknown_language_is_refused() -> None:
    model: Any = Decoder(("x", 1.0))
    with pytest.raises(ConfigError, match="no language 'tlh'"):
        whisper._transcribe(model, np.zeros(16_000, np.float32), "tlh", whisper.Settings(5, vad=False))


def test_options_and_names_are_checked_before_anything_is_loaded(tmp_path: Path) -> None:
    for uri, problem in (
        (
            "whisper:base?beem=5",
            "no option 'beem'; whisper: takes beam, threads, vad, words, device, compute, revision",
        ),
        ("whisper:base?beam=0", "beam and threads count from 1"),
        (
            "whisper:huge",
            "no Whisper model 'huge'; there are: base, base.en, .*; or write owner/name of a hub",
        ),
        ("whisper:base?device=tpu", "no device 'tpu'; there are: cpu, cuda"),
        ("whisper:base?compute=int3", "no compute 'int3'; there are: int8, int8_float16"),
        ("whisper:base?revision=x", "base is pinned by its hash"),
        (f"whisper:{tmp_path}", "no model.bin in"),
    ):
        with pytest.raises(ConfigError, match=problem):
            whisper.open_transcriber(parse(uri), CLOCK)


def test_every_size_comes_from_where_faster_whisper_takes_it() -> None:
    utils = pytest.importorskip("faster_whisper.utils", reason="faster-whisper is not installed")
    assert {size: utils._MODELS[size] for size in whisper.REPOS} == whisper.REPOS


def test_a_size_that_is_not_here_names_its_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UnavailableError) as caught:
        whisper.open_transcriber(parse("whisper:large-v3"), CLOCK)
    assert caught.value.remedy == "antiphon weights fetch hf:Systran/faster-whisper-large-v3"


@pytest.mark.weights
async def test_a_size_of_the_hub_is_loaded_and_named_by_its_commit(
    weights: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (packaged,) = weights("whisper-base")
    commit = "0" * 39 + "1"
    repo = tmp_path / "models--Systran--faster-whisper-small"
    snapshot = repo / "snapshots" / commit
    snapshot.mkdir(parents=True)
    for file in ("model.bin", "config.json", "tokenizer.json", "vocabulary.txt"):
        (snapshot / file).symlink_to(packaged / file)
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    ears = whisper.open_transcriber(parse("whisper:small?beam=1&compute=float32"), CLOCK)
    assert ears.name.startswith("whisper:small@000000000000 float32 beam=1 vad=1 (faster-whisper ")
    assert await ears.transcribe([Clip.silence(1, 16_000)], "zh") == [Transcript("", "zh")]
    await ears.warm()


def test_missing_weights_name_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIPHON_CACHE", str(tmp_path))
    with pytest.raises(UnavailableError) as caught:
        whisper.open_transcriber(parse("whisper:base"), CLOCK)
    assert caught.value.remedy == "antiphon weights fetch whisper-base"


@pytest.mark.weights
async def test_noise_and_silence_give_no_words(weights: Callable[..., Any]) -> None:
    weights("whisper-base")
    hiss = 0.01 * np.random.default_rng(0).standard_normal(32_000)
    clips = [Clip.silence(2, 16_000), Clip(hiss, 16_000), Clip([], 16_000)]
    got = await whisper.open_transcriber(parse("whisper:base?beam=1"), CLOCK).transcribe(clips, None)
    assert got == [Transcript("", None)] * 3


@pytest.mark.weights
@pytest.mark.timeout(180)
async def test_the_embedded_voice_is_understood_in_both_languages(weights: Callable[..., Any]) -> None:
    weights("whisper-base", "kokoro")
    voice = kokoro.open_synthesizer(parse("kokoro:"), CLOCK)
    ears = whisper.open_transcriber(parse("whisper:base?beam=5"), CLOCK)
    english = await speak(voice, "I would like to know how much rain fell in Seattle last year.")
    mandarin = await speak(voice, "今天天气很好，我们一起去公园散步吧。")
    got = await ears.transcribe([english, mandarin], None)
    assert [transcript.language for transcript in got] == ["en", "zh"]
    assert got[0].text.rstrip(".") == "I would like to know how much rain fell in Seattle last year"
    assert got[1].text.replace(",", "，").rstrip("。") == "今天天气很好，我们一起去公园散步吧"
    assert ears.name.startswith("whisper:base@053522e2ecd5 int8 beam=5 vad=1 (")


@pytest.mark.weights
async def test_speech_far_apart_is_cut_into_windows(weights: Callable[..., Any]) -> None:
    weights("kokoro")
    voice = kokoro.open_synthesizer(parse("kokoro:"), CLOCK)
    said = await speak(voice, "Good morning, everybody.")
    silence = Clip.silence(4, said.rate_hz)
    both = whisper.resample(join([silence, said, silence, said]), 16_000)
    windows = whisper._windows(both.samples)
    assert len(windows) == 2
    (start, end), (start_again, end_again) = ((a / 16_000, b / 16_000) for a, b in windows)
    assert start == pytest.approx(4, abs=0.5)
    assert end == pytest.approx(4 + said.duration_s, abs=0.6)
    assert start_again == pytest.approx(8 + said.duration_s, abs=0.5)
    assert end_again == pytest.approx(8 + 2 * said.duration_s, abs=0.6)


@pytest.mark.weights
async def test_warming_up_loads_the_voice_activity_network_too(weights: Callable[..., Any]) -> None:
    from faster_whisper.vad import get_vad_model

    weights("whisper-base")
    get_vad_model.cache_clear()
    await whisper.open_transcriber(parse("whisper:base?beam=1"), CLOCK).warm()
    assert get_vad_model.cache_info().currsize == 1
