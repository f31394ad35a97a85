from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.audio.clip import Clip, join
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, UnavailableError
from antiphon.models import native
from antiphon.models.adapters import kokoro, whisper_hf
from antiphon.models.catalog import check, open_transcriber
from antiphon.models.ports import Transcript, speak
from antiphon.models.uri import parse
from tests.models.adapters import ct2_whisper, tiny_whisper

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.timeout(180)  # importing transformers and drawing weights takes its time

CLOCK = VirtualClock()
SENTENCES = (
    "The committee met on Tuesday to discuss the new bridge across the river.",
    "Several members were worried about the cost of the foundations.",
    "The engineer answered that the ground is firm and dry.",
    "After two hours they agreed to begin the work in spring.",
    "A local newspaper wrote about the plan on the next day.",
    "Most of its readers seemed to be pleased with the decision.",
    "Nobody mentioned the old ferry, which will stop running.",
    "It has carried people for more than sixty years.",
    "The captain said that he will miss the water.",
    "His daughter wants to open a small restaurant near the pier.",
)


def noise(seconds: float, seed: int = 0) -> Clip:
    samples = 0.1 * np.random.default_rng(seed).standard_normal(round(seconds * 16_000))
    return Clip(samples.astype(np.float32), 16_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers", reason="transformers is not installed")
    return tiny_whisper.save(tmp_path_factory.mktemp("whisper") / "tiny")


def ears(folder: Path, options: str = "") -> whisper_hf.WhisperHf:
    return whisper_hf.open_transcriber(parse(f"whisper-hf:{folder}?device=cpu{options}"), CLOCK)


async def test_a_batch_says_what_each_clip_says_alone(folder: Path) -> None:
    clips = [noise(1), Clip([], 16_000), noise(3, 1), Clip.silence(2, 8_000), noise(0.5, 2)]
    together = await ears(folder).transcribe(clips, "zh")
    alone = [(await ears(folder, "&batch=1").transcribe([clip], "zh"))[0] for clip in clips]
    assert together == alone
    assert [transcript.language for transcript in together] == ["zh"] * 5
    assert together[1] == together[3] == Transcript("", "zh")
    assert together[0].text
    assert together[0].text != together[2].text


async def test_what_is_said_after_the_thirtieth_second_is_decoded(folder: Path) -> None:
    hum = Clip(0.3 * np.sin(np.arange(12 * 16_000) * 0.17), 16_000)
    texts = [
        (await ears(folder).transcribe([join([noise(30), *tail])], "en"))[0].text
        for tail in ([], [noise(12, 5)], [hum], [noise(12, 5)])
    ]
    assert len(set(texts)) == 3
    assert texts[1] == texts[3]


async def test_the_language_is_forced_by_the_caller_and_over_him_by_the_name(folder: Path) -> None:
    clip = noise(2)
    (english,) = await ears(folder).transcribe([clip], "en")
    (mandarin,) = await ears(folder, "&language=zh").transcribe([clip], "en")
    (detected,) = await ears(folder).transcribe([clip], None)
    assert (english.language, mandarin.language) == ("en", "zh")
    assert english.text != mandarin.text
    assert detected == {"en": english, "zh": mandarin}[detected.language or ""]
    with pytest.raises(
        ConfigError, match=r"^whisper-hf:tiny@\w{12}: no language 'tlh'; it takes codes such as zh, en"
    ):
        await ears(folder).transcribe([clip], "tlh")


async def test_a_model_of_english_only_is_asked_for_nothing_else(folder: Path, tmp_path: Path) -> None:
    english = tiny_whisper.save(tmp_path / "english", multilingual=False)
    (found,) = await ears(english).transcribe([noise(2)], None)
    assert found.language == "en"
    assert found.text
    with pytest.raises(ConfigError, match="no language 'zh'"):
        await ears(english).transcribe([noise(2)], "zh")


def test_the_name_holds_weights_and_settings(folder: Path) -> None:
    name = ears(folder, "&beam=2&batch=4&language=zh&dtype=bfloat16").name
    assert name.startswith("whisper-hf:tiny@")
    assert " beam=2 batch=4 bfloat16 on cpu language=zh (transformers " in name
    assert name.split()[0] == ears(folder).name.split()[0]
    other = tiny_whisper.save(folder.parent / "other" / "tiny", seed=4)
    assert ears(other).name.split()[0] != name.split()[0]


async def test_weights_that_lack_a_parameter_are_refused_not_filled_up(folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    broken = tiny_whisper.save(tmp_path / "broken")
    state = load_file(broken / "model.safetensors")
    del state["model.encoder.conv1.weight"]
    save_file(state, broken / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UnavailableError, match=r"lack model\.encoder\.conv1\.weight; fetch them again"):
        await ears(broken).transcribe([noise(1)], "zh")
    (broken / "config.json").write_text(json.dumps({"model_type": "whisper", "d_model": "wide"}))
    with pytest.raises(UnavailableError, match="no Whisper model in"):
        await ears(broken).transcribe([noise(1)], "zh")


async def test_the_catalog_opens_and_tries_it(folder: Path) -> None:
    assert open_transcriber(f"whisper-hf:{folder}", CLOCK).name.startswith("whisper-hf:tiny@")
    report = await check(f"whisper-hf:{folder}?device=cpu", CLOCK)
    assert (report.works, report.port) == (True, "transcriber")


def test_options_are_checked_before_anything_is_loaded(folder: Path) -> None:
    for options, problem in (
        (
            "&beem=5",
            "no option 'beem'; whisper-hf: takes language, revision, beam, batch, threads, device, dtype",
        ),
        ("&batch=0", "beam, batch and threads count from 1"),
        ("&dtype=int3", "no dtype 'int3'; there are: float32, float16, bfloat16"),
    ):
        with pytest.raises(ConfigError, match=problem):
            ears(folder, options)


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError) as caught:
        whisper_hf.open_transcriber(parse("whisper-hf:"), CLOCK)
    assert str(caught.value) == "the package transformers is missing; pip install 'antiphon[transformers]'"


@pytest.mark.slow
@pytest.mark.weights
@pytest.mark.timeout(900)
async def test_real_weights_hear_the_embedded_voice_for_more_than_thirty_seconds(
    weights: Callable[..., Any], tmp_path: Path
) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    packaged, _ = weights("whisper-base", "kokoro")
    voice = kokoro.open_synthesizer(parse("kokoro:"), CLOCK)
    mandarin = await speak(voice, "今天的天气很好，我们下午去公园散步吧。")
    clips = [await speak(voice, sentence) for sentence in SENTENCES]
    base = ears(ct2_whisper.save(packaged, tmp_path / "base"))
    short = await base.transcribe([mandarin, clips[0]], None)
    assert [transcript.language for transcript in short] == ["zh", "en"]
    assert short[0].text.replace(",", "，").strip("。") == "今天的天气很好，我们下午去公园散步吧"
    assert short[1].text == SENTENCES[0]
    long = join([part for clip in clips for part in (clip, Clip.silence(0.3, clip.rate_hz))])
    assert long.duration_s > 30
    (heard,) = await base.transcribe([long], "en")
    said = " ".join(SENTENCES).lower().split()
    assert sum(word in heard.text.lower().split() for word in said) >= 0.9 * len(said)
