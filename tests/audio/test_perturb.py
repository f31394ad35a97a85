from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from antiphon.audio.background import open_corpus
from antiphon.audio.clip import Clip
from antiphon.audio.files import write
from antiphon.audio.levels import rms_dbfs
from antiphon.audio.perturb import (
    KINDS,
    BackgroundNoise,
    Clipping,
    FarField,
    PacketLoss,
    Recipe,
    Reverberation,
    WhiteNoise,
    apply,
    from_row,
    from_text,
    to_row,
    to_text,
)
from antiphon.errors import ConfigError
from antiphon.ids import rng

RATE_HZ = 16_000
SPEECH = Clip(0.03 * rng(0, "speech").standard_normal(3 * RATE_HZ), RATE_HZ)

RECIPES: dict[str, Recipe] = {
    "white_noise:snr_db=-5": WhiteNoise(-5),
    "background_noise:snr_db=5": BackgroundNoise(5),
    "background_noise:snr_db=12.5,noise=street": BackgroundNoise(12.5, "street"),
    "reverberation:rt60_s=0.5": Reverberation(0.5),
    "reverberation:rt60_s=3,distance_m=0.5": Reverberation(3, 0.5),
    "far_field:cutoff_hz=400": FarField(400),
    "packet_loss:share=0.7": PacketLoss(0.7),
    "packet_loss:share=0.3,mean_burst=4": PacketLoss(0.3, 4),
    "clipping:threshold=0.0001": Clipping(0.0001),
}


@pytest.mark.parametrize("text", RECIPES)
def test_a_recipe_goes_into_text_and_into_a_row_and_back(text: str) -> None:
    recipe = RECIPES[text]
    assert to_text(recipe) == text
    assert from_text(text) == recipe
    assert from_row(json.loads(json.dumps(to_row(recipe)))) == recipe
    assert to_row(recipe)["name"] == text.partition(":")[0]
    assert len({recipe, from_text(text)}) == 1


def test_every_kind_is_tried_here() -> None:
    assert {recipe.NAME for recipe in RECIPES.values()} == set(KINDS)


def test_numbers_lose_nothing_in_text() -> None:
    assert from_text(to_text(WhiteNoise(1 / 3))) == WhiteNoise(1 / 3)
    assert from_text(" clipping: threshold = 1e-4 ") == Clipping(0.0001)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("echo:s=1", "no perturbation 'echo'; there are: background_noise, clipping, far_field"),
        ("", "no perturbation ''; there are: background_noise"),
        ("white_noise", "white_noise: Object missing required field `snr_db`"),
        ("white_noise:5", "'white_noise:5': '5' is not one more name=value"),
        ("white_noise:snr_db=5,snr_db=6", "'snr_db=6' is not one more name=value"),
        ("white_noise:snr=5", "no parameter 'snr'; there are: snr_db; mend white_noise"),
        ("white_noise:snr_db=loud", "white_noise: Expected `float`, got `str`"),
        ("white_noise:snr_db=nan", "white_noise: snr_db must lie in -100..100, not nan"),
        ("white_noise:snr_db=inf", "white_noise: snr_db must lie in -100..100, not inf"),
        ("packet_loss:share=1.5", "packet_loss: share must lie in 0..1, not 1.5"),
        ("packet_loss:share=0.9,mean_burst=5", "mean_burst must be at least 9 at this share, not 5.0"),
        ("packet_loss:share=0,mean_burst=5", "bursts need a share between 0 and 1, not 0.0"),
        ("packet_loss:share=0.1,mean_burst=0.5", "mean_burst must be at least 1 at this share, not 0.5"),
        ("packet_loss:share=0.1,mean_burst=nan", "mean_burst must lie in 0..1e+06, not nan"),
        ("reverberation:rt60_s=30", "reverberation: rt60_s must lie in 0.2..5, not 30.0"),
        ("far_field:cutoff_hz=0", "far_field: cutoff_hz must lie in 1..1e+06, not 0.0"),
        ("clipping:threshold=0", "clipping: threshold must lie in 1e-06..1, not 0.0"),
    ],
)
def test_a_wrong_recipe_is_refused_in_words(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        from_text(text)
    assert problem in str(caught.value)


def test_a_noise_whose_name_would_break_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="noise must be a name"):
        BackgroundNoise(5, "a,b")


@pytest.mark.parametrize("text", RECIPES)
def test_a_recipe_a_clip_and_a_seed_give_one_clip_that_16_bits_hold(text: str) -> None:
    loud = Clip(SPEECH.samples / np.abs(SPEECH.samples).max(), RATE_HZ)
    for clip in (SPEECH, loud):
        once = apply(RECIPES[text], clip, 7)
        assert apply(RECIPES[text], Clip(clip.samples.copy(), RATE_HZ), 7) == once
        assert float(np.abs(once.samples).max()) <= 1
        assert np.abs(Clip.from_pcm16(once.pcm16(), RATE_HZ).samples - once.samples).max() <= 1 / 32768
        assert once != clip
    chance = text.partition(":")[0] in ("white_noise", "background_noise", "packet_loss")
    assert (apply(RECIPES[text], SPEECH, 7) != apply(RECIPES[text], SPEECH, 8)) is chance


def snr_db(clean: Clip, noisy: Clip) -> float:
    x, y = clean.samples.astype(np.float64), noisy.samples.astype(np.float64)
    scale = float(x @ y / (x @ x))
    return 10 * math.log10(float(np.sum((scale * x) ** 2) / np.sum((y - scale * x) ** 2)))


@pytest.mark.parametrize("wanted_db", [-5, 0, 5, 10, 15, 20])
@pytest.mark.parametrize("kind", [WhiteNoise, BackgroundNoise, lambda db: BackgroundNoise(db, "street")])
def test_noise_has_the_ratio_of_its_recipe(kind, wanted_db: int) -> None:
    noisy = apply(kind(wanted_db), SPEECH, 3)
    # By chance the noise is a little like the clip, which the measurement takes for the clip itself.
    assert snr_db(SPEECH, noisy) == pytest.approx(wanted_db, abs=0.2)


def test_a_corpus_is_mixed_in_by_its_name(tmp_path: Path) -> None:
    write(tmp_path / "hum.wav", Clip(0.5 * np.sin(2 * np.pi * 50 * np.arange(8_000) / 8_000), 8_000))
    corpus = open_corpus(tmp_path)
    recipe = BackgroundNoise(3, corpus.name)
    assert snr_db(SPEECH, apply(recipe, SPEECH, 0, corpus)) == pytest.approx(3, abs=0.2)
    with pytest.raises(ConfigError, match="give the folder of that corpus"):
        apply(recipe, SPEECH, 0)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_frames_are_lost_as_the_recipe_says(share: float) -> None:
    heard = apply(PacketLoss(share), SPEECH, 0).samples.reshape(-1, RATE_HZ // 50)
    assert (~heard.any(axis=1)).mean() == pytest.approx(share, abs=1 / 150)


def test_losing_nothing_and_losing_all() -> None:
    assert apply(PacketLoss(0), SPEECH, 0) == SPEECH
    assert apply(PacketLoss(1), SPEECH, 0) == Clip.silence(3, RATE_HZ)


def test_only_reverberation_changes_the_length() -> None:
    lengths = {recipe.NAME: apply(recipe, SPEECH, 0).duration_s for recipe in RECIPES.values()}
    assert {name for name, length in lengths.items() if length != SPEECH.duration_s} == {"reverberation"}


@pytest.mark.parametrize("clip", [Clip([], RATE_HZ), Clip.silence(0.1, RATE_HZ)], ids=["empty", "silence"])
def test_what_has_no_ratio_is_refused_and_the_rest_leaves_silence_silent(clip: Clip) -> None:
    for recipe in RECIPES.values():
        if isinstance(recipe, WhiteNoise | BackgroundNoise):
            with pytest.raises(ValueError, match=r"an empty clip has no level|silence has no signal"):
                apply(recipe, clip, 0)
        else:
            assert not apply(recipe, clip, 0).samples.any()


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))
def test_a_single_sample_is_a_clip_too(recipe: Recipe) -> None:
    assert np.isfinite(apply(recipe, Clip([0.5], RATE_HZ), 0).samples).all()


def test_clipping_and_reverberation_keep_the_level() -> None:
    assert rms_dbfs(apply(Clipping(0.001), SPEECH, 0)) == pytest.approx(rms_dbfs(SPEECH), abs=0.01)
    wet = apply(Reverberation(0.5), SPEECH, 0).between(0, 3)
    assert rms_dbfs(wet) == pytest.approx(rms_dbfs(SPEECH), abs=0.01)
