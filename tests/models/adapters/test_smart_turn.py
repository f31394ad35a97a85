from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antiphon.audio import files
from antiphon.audio.clip import Clip
from antiphon.errors import UnavailableError
from antiphon.models.adapters.smart_turn import SmartTurn, features
from benchmarks.end_of_turn import ASTERISK, spoken

if TYPE_CHECKING:
    from collections.abc import Callable


def sound(seconds: float) -> np.ndarray:
    count = int(16_000 * seconds)
    return (np.random.default_rng(2).normal(0, 0.1, count) * np.linspace(0.1, 1, count)).astype(np.float32)


def test_what_is_shorter_than_eight_seconds_comes_after_silence_and_of_longer_the_end_counts():
    assert features(sound(3)).shape == (80, 800)
    assert np.array_equal(
        features(sound(3)), features(np.concatenate([np.zeros(5 * 16_000, np.float32), sound(3)]))
    )
    long = sound(11)
    assert np.array_equal(features(long), features(long[3 * 16_000 :]))


def test_loudness_does_not_matter():
    assert np.abs(features(sound(8)) - features(8 * sound(8))).max() < 1e-3


@pytest.mark.slow
def test_features_equal_those_it_was_trained_on():
    transformers = pytest.importorskip("transformers", reason="pip install 'antiphon[transformers]'")
    extractor = transformers.WhisperFeatureExtractor(chunk_length=8)
    theirs = extractor(
        sound(8), sampling_rate=16_000, return_tensors="np", padding="max_length", max_length=8 * 16_000,
        truncation=True, do_normalize=True,
    )  # fmt: skip
    assert np.abs(features(sound(8)) - theirs.input_features[0]).max() < 1e-5


def test_without_weights_it_says_how_to_get_them(own_cache: Path):
    with pytest.raises(UnavailableError) as caught:
        SmartTurn()
    assert caught.value.remedy == "antiphon weights fetch smart-turn"


@pytest.mark.weights
async def test_it_scores_between_0_and_1_while_the_loop_goes_on(weights: Callable[..., list[Path]]):
    weights("smart-turn")
    model = SmartTurn()
    await model.warm()
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.002)

    ticking = asyncio.create_task(tick())
    scores = [await model.score(Clip(sound(seconds), 16_000)) for seconds in (1, 8)]
    ticking.cancel()
    assert all(0 <= score <= 1 for score in scores)
    assert ticks > 4


@pytest.mark.weights
@pytest.mark.people
async def test_sentences_of_a_professional_speaker_sound_finished_at_their_end(
    weights: Callable[..., list[Path]],
):
    weights("smart-turn")
    if not ASTERISK.is_dir():
        pytest.skip("apt-get install asterisk-core-sounds-en-wav")
    model = SmartTurn()
    found = (spoken(files.read(path)) for path in sorted(ASTERISK.glob("*.wav"))[:60])
    clips = [clip for clip in found if clip is not None][:12]
    scores = [await model.score(clip) for clip in clips]
    assert len(scores) == 12
    assert sum(score >= 0.5 for score in scores) >= 10
