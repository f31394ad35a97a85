"""Noise added to a clip at a given signal-to-noise ratio."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.levels import power, within_full_scale
from antiphon.ids import rng

if TYPE_CHECKING:
    from numpy.typing import NDArray


def add_noise(clip: Clip, noise: NDArray[np.float32] | NDArray[np.float64], snr_db: float) -> Clip:
    """The clip under this noise, shape (n,) like the clip's samples, at any scale.

    The ratio is that of mean powers over the whole clip, pauses included:
    `snr_db = 10 log10(sum(clip^2) / sum(noise^2))`, met exactly by the noise given.
    A mixture beyond full scale is scaled down as a whole, which keeps the ratio and clips nothing.
    Raises ValueError for silence on either side, which has no ratio, and for a ratio that is not finite.
    """
    if not math.isfinite(snr_db):
        raise ValueError(f"snr_db must be finite, not {snr_db}")
    wanted = power(clip) / 10 ** (snr_db / 10)
    given = float(np.mean(np.square(noise, dtype=np.float64)))
    if wanted == 0 or given == 0:
        raise ValueError("silence has no signal-to-noise ratio")
    mixture = clip.samples + noise * math.sqrt(wanted / given)
    return within_full_scale(Clip(mixture.astype(np.float32, copy=False), clip.rate_hz))


def add_white(clip: Clip, snr_db: float, seed: int) -> Clip:
    """The clip under Gaussian white noise, as `add_noise` mixes it.

    The same clip and seed give the same noise at every ratio.
    """
    return add_noise(clip, rng(seed, "white noise", clip.digest).standard_normal(len(clip)), snr_db)
