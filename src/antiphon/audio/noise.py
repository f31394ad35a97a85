"""White noise at a given signal-to-noise ratio."""

from __future__ import annotations

import math

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.levels import power, within_full_scale
from antiphon.ids import rng


def add_white(clip: Clip, snr_db: float, seed: int) -> Clip:
    """The clip under Gaussian white noise.

    The ratio is that of mean powers over the whole clip, pauses included:
    `snr_db = 10 log10(sum(clip^2) / sum(noise^2))`, met exactly by the noise drawn and not only on average.
    A mixture beyond full scale is scaled down as a whole, which keeps the ratio and clips nothing.
    The same clip and seed give the same noise at every ratio. Raises ValueError for silence, which has
    no ratio, and for a ratio that is not finite.
    """
    if not math.isfinite(snr_db):
        raise ValueError(f"snr_db must be finite, not {snr_db}")
    wanted = power(clip) / 10 ** (snr_db / 10)
    if wanted == 0:
        raise ValueError("silence has no signal-to-noise ratio")
    noise = rng(seed, "white noise", clip.digest).standard_normal(len(clip))
    noise *= math.sqrt(wanted / np.mean(np.square(noise)))
    mixture = (clip.samples.astype(np.float64) + noise).astype(np.float32)
    return within_full_scale(Clip(mixture, clip.rate_hz))
