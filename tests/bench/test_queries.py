from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antiphon.audio.background import open_corpus
from antiphon.audio.clip import Clip
from antiphon.audio.files import decode, write
from antiphon.audio.perturb import PacketLoss, from_text
from antiphon.bench.items import Item
from antiphon.bench.queries import Querist, Query, condition
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS
from antiphon.cache import Store
from antiphon.clock import VirtualClock
from antiphon.errors import ConfigError, ModelError
from antiphon.jsonl import to_row
from antiphon.models.ports import SpeechChunk
from antiphon.models.scripted_instruments import ScriptedSynthesizer
from antiphon.models.scripted_sound import words_in
from antiphon.stage.outcome import Failed, Made

SOUND = Clip([0.25, -0.25, 0.1, -0.05] * 200, 8_000)
SPOKEN = Item("a-0", "general_knowledge", "zh", "中国的首都是哪里？", "北京")


class Voice:
    """A voice that counts what it speaks; its name is not scripted, so that it is cached."""

    name = "fake:voice"

    def __init__(self, broken: bool = False, sound: Clip = SOUND) -> None:
        self.spoken: list[str] = []
        self._sound = sound
        self._broken = broken

    async def stream(self, text, voice, context):
        async for piece in text:
            if self._broken:
                raise ModelError(self.name, "busy")
            self.spoken.append(piece)
            yield SpeechChunk(self._sound, len(piece))


async def made(querist: Querist, item: Item) -> tuple[Query, Clip]:
    (outcome,) = await querist([item])
    assert isinstance(outcome, Made)
    ((name, data),) = outcome.blobs.items()
    query = Query(**{k: v for k, v in outcome.row.items() if k not in ("kind", "v")})
    assert name == f"clips/{query.clip}.flac"
    assert to_row(query) == outcome.row
    return query, decode(data, name)


async def test_a_question_without_a_recording_is_spoken(tmp_path: Path) -> None:
    voice = ScriptedSynthesizer(VirtualClock())
    query, clip = await made(Querist(voice, 0, Store(tmp_path)), SPOKEN)
    assert words_in(clip) == "中国的首都是哪里？"
    assert query == Query("a-0", clip.digest, clip.duration_s, "synthetic", "scripted:voice 24000 Hz")


async def test_a_question_is_spoken_once_and_then_comes_from_the_cache(tmp_path: Path) -> None:
    voice = Voice()
    first = await made(Querist(voice, 0, Store(tmp_path)), SPOKEN)
    again = await made(Querist(voice, 0, Store(tmp_path)), SPOKEN)
    assert first == again
    assert voice.spoken == ["中国的首都是哪里？"]
    await made(Querist(voice, 1, Store(tmp_path)), SPOKEN)
    assert len(voice.spoken) == 2  # another seed may speak otherwise


async def test_a_recording_is_kept_as_it_is_and_nobody_spoke_it(tmp_path: Path) -> None:
    clip = Clip([0.5, -0.25] * 800, 16_000)
    write(tmp_path / "a.wav", clip)
    item = Item("a-0", "general_knowledge", "zh", "？", audio=str(tmp_path / "a.wav"), speech="recorded")
    query, kept = await made(Querist(None, 0, Store(tmp_path)), item)
    assert kept == clip
    assert query == Query("a-0", clip.digest, clip.duration_s, "recorded")


async def test_a_corrupt_recording_fails_in_words_and_is_tried_again_when_it_is_mended(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.wav").write_bytes(b"RIFF of no kind")
    item = Item("a-0", "general_knowledge", "zh", "？", audio=str(tmp_path / "a.wav"))
    (failed,) = await Querist(None, 0, Store(tmp_path))([item])
    assert isinstance(failed, Failed)
    assert failed.transient
    assert failed.reason.startswith(f"{tmp_path / 'a.wav'}: not a sound file, or a corrupt one")


async def test_a_voice_that_fails_fails_only_its_question(tmp_path: Path) -> None:
    assert await Querist(Voice(broken=True), 0, Store(tmp_path))([SPOKEN]) == [
        Failed("fake:voice: busy", transient=True)
    ]


async def test_without_a_voice_a_question_without_sound_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a-0 has no recorded query; add --speak-missing"):
        await Querist(None, 0, Store(tmp_path))([SPOKEN])


def robust(category: str, level: str) -> Item:
    return Item("r-0", "robust", "zh", "？", category=category, extra={"Level": level})


async def test_white_noise_at_ten_decibels_has_a_tenth_of_the_power(tmp_path: Path) -> None:
    querist = Querist(Voice(), 0, Store(tmp_path))
    _, clean = await made(querist, SPOKEN)
    query, noisy = await made(querist, robust("white_noise", "snr_10"))
    noise = noisy.samples - clean.samples
    assert float((clean.samples**2).mean() / (noise**2).mean()) == pytest.approx(10, rel=0.05)
    assert query.disturbed == "white_noise:snr_db=10"
    assert await made(querist, robust("white_noise", "snr_10")) == (query, noisy)
    assert (await made(Querist(Voice(), 1, Store(tmp_path)), robust("white_noise", "snr_10")))[1] != noisy


@pytest.mark.parametrize(("category", "level"), [(name, levels[-1]) for name, levels in CONDITIONS.items()])
async def test_every_kind_of_condition_is_applied_and_written_down(
    category: str, level: str, tmp_path: Path
) -> None:
    querist = Querist(Voice(), 0, Store(tmp_path))
    _, clean = await made(querist, SPOKEN)
    query, clip = await made(querist, robust(category, level))
    assert clip != clean
    assert query.disturbed is not None
    assert from_text(query.disturbed) == condition(robust(category, level))


async def test_a_spoken_robust_question_is_disturbed_and_a_recorded_one_is_already(tmp_path: Path) -> None:
    voice = ScriptedSynthesizer(VirtualClock())
    _, clip = await made(Querist(voice, 0, Store(tmp_path)), robust("white_noise", "snr_0"))
    assert words_in(clip) is None
    recorded = Clip([0.5, -0.25] * 800, 16_000)
    write(tmp_path / "r.wav", recorded)
    item = Item(
        "r-0", "robust", "zh", "？", audio=str(tmp_path / "r.wav"), category="white_noise",
        extra={"Level": "snr_0"},
    )  # fmt: skip
    query, kept = await made(Querist(voice, 0, Store(tmp_path)), item)
    assert (kept, query.disturbed) == (recorded, None)


def test_an_own_suites_subset_is_disturbed_by_what_it_is_shaped_like() -> None:
    level = {"Level": "dropping_0.30"}
    shaped = Item("d-0", "drops", "en", "?", category="packet_loss", ability="robust", extra=level)
    assert condition(shaped) == PacketLoss(0.3)
    other = Item("k-0", "quiz", "en", "?", category="easy", ability="knowledge", extra={"Level": "A1"})
    assert condition(other) is None
    assert condition(Item("c-0", "robust_clean", "zh", "？", ability="robust")) is None


def test_a_perturbation_that_is_not_here_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^r-0: no condition 'echo'; there are: background_noise"):
        condition(robust("echo", "snr_5"))
    with pytest.raises(ConfigError, match=r"^r-0: farfield has no level 'near'"):
        condition(robust("farfield", "near"))


async def test_a_question_that_cannot_be_disturbed_is_named(tmp_path: Path) -> None:
    mute = Voice(sound=Clip.silence(1, 8_000))
    (failed,) = await Querist(mute, 0, Store(tmp_path))([robust("white_noise", "snr_5")])
    assert failed == Failed(
        "r-0 Level: white_noise:snr_db=5: silence has no signal-to-noise ratio", transient=True
    )


async def test_background_noise_comes_from_the_users_recordings(tmp_path: Path) -> None:
    write(tmp_path / "hum.wav", Clip([0.5, 0.5, -0.5, -0.5] * 2_000, 8_000))
    corpus = open_corpus(tmp_path)
    _, clean = await made(Querist(Voice(), 0, Store(tmp_path)), SPOKEN)
    item = robust("background_noise", "snr_0")
    query, noisy = await made(Querist(Voice(), 0, Store(tmp_path), corpus), item)
    assert query.disturbed == f"background_noise:snr_db=0,noise={corpus.name}"
    noise = noisy.samples - clean.samples
    assert np.allclose(np.abs(noise), np.sqrt((clean.samples**2).mean()), atol=1e-3)
    assert (await made(Querist(Voice(), 0, Store(tmp_path)), item))[1] != noisy
