"""Change of sampling rate."""

from __future__ import annotations

import numpy as np

from antiphon.audio.clip import Clip


def resample(clip: Clip, rate_hz: int) -> Clip:
    """The same sound at another rate (soxr, HQ: linear phase, flat to 0.91 of the lower Nyquist).

    The very same clip comes back when the rate is already right. Raises ValueError for a rate below one.
    """
    if rate_hz == clip.rate_hz:
        return clip
    if rate_hz < 1:
        raise ValueError(f"rate_hz must be positive, not {rate_hz}")
    import soxr

    samples = soxr.resample(clip.samples, clip.rate_hz, rate_hz, quality="HQ")
    return Clip(np.asarray(samples, dtype=np.float32), rate_hz)
