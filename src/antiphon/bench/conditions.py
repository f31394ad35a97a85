"""The conditions of robustness, which several suites share: which item is under one, and its recipe.

VocalBench and VocalBench-zh name kinds and levels; their noise, rooms, filter, frames and the meaning of a clipping level are
unpublished. What is ours: synthetic babble, or the user's corpus; a hall by the image method, 2 m away;
Butterworth of order 4; 20 ms frames, lost one by one, in silence; and a clipping level is the threshold as
a part of the clip's peak. Were it the share of samples cut, then 0.0001 could not cost what table 15 shows.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from antiphon.audio.perturb import (
    BackgroundNoise,
    Clipping,
    FarField,
    PacketLoss,
    Reverberation,
    WhiteNoise,
)
from antiphon.errors import ConfigError, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.audio.perturb import Recipe
    from antiphon.bench.items import Item

Condition = tuple[str, str]  # category and level, as the data names them

# Category → how its levels are spelt, and the recipe of one. `noise` is used by background noise only.
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_CONDITIONS: dict[str, tuple[str, Callable[[float, str], Recipe]]] = {
    "white_noise": (f"snr_{_NUMBER}", lambda level, _: WhiteNoise(level)),
    "background_noise": (f"snr_{_NUMBER}", BackgroundNoise),
    "reverberation": (r"rt60_(\d+)", lambda level, _: Reverberation(level / 10)),
    "farfield": (rf"filter_{_NUMBER}hz", lambda level, _: FarField(level)),
    "packet_loss": (f"dropping_{_NUMBER}", lambda level, _: PacketLoss(level)),
    "distortion": (f"clipping_{_NUMBER}", lambda level, _: Clipping(level)),
}


def condition_of(item: Item) -> Condition | None:
    """The condition that an item of robustness is under; None for any other item, and for its clean counterpart."""
    # An own suite's subset has a name of its own; an ability says what it is shaped like.
    if (item.ability or item.subset) != "robust" or "Level" not in item.extra:
        return None
    return item.category, str(item.extra["Level"])


def recipe_for(category: str, level: str, noise: str = "babble") -> Recipe:
    """The recipe of a condition as the data names it, such as `farfield` at `filter_400hz`.

    Levels between the published ones are read too. `noise` names the background noise.
    Raises ConfigError for a category or level that is none.
    """
    if category not in _CONDITIONS:
        raise unknown("condition", category, _CONDITIONS)
    spelt, made = _CONDITIONS[category]
    found = re.fullmatch(spelt, level)
    value = float(found[1]) if found else math.nan
    try:
        return made(value, noise)
    except ValueError as error:
        like = spelt.replace(_NUMBER, "NUMBER").replace(r"(\d+)", "TENTHS")
        why = str(error) if found else f"levels are written {like}"
        raise ConfigError(f"{category} has no level {level!r}: {why}") from None
