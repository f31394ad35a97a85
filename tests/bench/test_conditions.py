from __future__ import annotations

import pytest

from antiphon.audio.perturb import (
    BackgroundNoise,
    Clipping,
    FarField,
    PacketLoss,
    Recipe,
    Reverberation,
    WhiteNoise,
)
from antiphon.bench.conditions import condition_of, recipe_for
from antiphon.bench.items import Item
from antiphon.bench.suites.vocalbench_zh.subsets import CONDITIONS
from antiphon.errors import ConfigError

PAPER: dict[str, list[Recipe]] = {
    "white_noise": [WhiteNoise(db) for db in (-5, 0, 5, 10, 15, 20)],
    "background_noise": [BackgroundNoise(db, "babble") for db in (-5, 0, 5, 10, 15, 20)],
    "reverberation": [Reverberation(s) for s in (0.5, 1, 1.5, 2, 2.5, 3)],
    "farfield": [FarField(hz) for hz in (100, 200, 300, 400, 500, 600, 700, 800)],
    "packet_loss": [PacketLoss(share) for share in (0.1, 0.3, 0.5, 0.7, 0.9)],
    "distortion": [Clipping(threshold) for threshold in (0.0001, 0.001, 0.01, 0.1, 0.5)],
}


def test_each_published_condition_has_its_recipe() -> None:
    found = {name: [recipe_for(name, level) for level in levels] for name, levels in CONDITIONS.items()}
    assert found == PAPER
    assert sum(len(set(recipes)) for recipes in found.values()) == 36


def test_levels_between_are_read_and_the_noise_can_be_another() -> None:
    assert recipe_for("white_noise", "snr_7.5") == WhiteNoise(7.5)
    assert recipe_for("background_noise", "snr_3", "street") == BackgroundNoise(3, "street")


@pytest.mark.parametrize(
    ("category", "level", "problem"),
    [
        ("echo", "snr_5", "no condition 'echo'; there are: background_noise, distortion, farfield"),
        ("white_noise", "5", "white_noise has no level '5': levels are written snr_NUMBER"),
        ("farfield", "filter_400", "levels are written filter_NUMBERhz"),
        ("reverberation", "rt60_0.5", "levels are written rt60_TENTHS"),
        ("reverberation", "rt60_90", r"reverberation has no level 'rt60_90': rt60_s must lie in 0\.2\.\.5, not 9"),
        ("packet_loss", "dropping_70", r"share must lie in 0\.\.1, not 70"),
        ("white_noise", "", "white_noise has no level ''"),
    ],
)  # fmt: skip
def test_a_condition_that_is_none_is_refused_in_words(category: str, level: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        recipe_for(category, level)


def test_an_item_of_robustness_names_its_condition_and_another_none() -> None:
    level = {"Level": "snr_5"}
    assert condition_of(Item("r", "robust", "zh", "？", category="white_noise", extra=level)) == (
        "white_noise",
        "snr_5",
    )
    own = Item("d", "drops", "en", "?", category="white_noise", ability="robust", extra=level)
    assert condition_of(own) == ("white_noise", "snr_5")
    assert condition_of(Item("c", "robust_clean", "zh", "？", ability="robust")) is None
    assert condition_of(Item("k", "quiz", "en", "?", category="easy", extra=level)) is None
