"""How loud a clip is, and how to make it louder.

Levels in dBFS refer to a sample value of 1: a full-scale square wave has 0 dBFS, a full-scale sine -3.01.
Silence has the level `-math.inf`; a row of JSON cannot carry that, so write None with a reason.
An empty clip has no level: ValueError.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antiphon.audio.vad import Span

# Gating blocks of ITU-R BS.1770-4 last 0.4 s; a shorter clip has none.
LOUDNESS_S = 0.4
# The largest sample that 16 bits keep on both sides of zero.
_TOP = 32767 / 32768


def power(clip: Clip) -> float:
    """Mean square of all samples, 0..1 for a clip within full scale."""
    if not len(clip):
        raise ValueError("an empty clip has no level")
    return float(np.mean(np.square(clip.samples, dtype=np.float64)))


def rms_dbfs(clip: Clip) -> float:
    """Root mean square over the whole clip, pauses included; -inf for silence."""
    return _db(math.sqrt(power(clip)))


def peak_dbfs(clip: Clip) -> float:
    """The largest absolute sample (not the true peak between samples); -inf for silence."""
    return _db(_peak(clip))


def clipped_share(clip: Clip) -> float:
    """Share of samples, 0..1, at or beyond the 16-bit limits -32768 and 32767."""
    if not len(clip):
        raise ValueError("an empty clip has no level")
    return float(np.mean((clip.samples >= _TOP) | (clip.samples <= -1)))


def loudness_lufs(clip: Clip) -> float | None:
    """Integrated loudness after ITU-R BS.1770-4 with gating (pyloudnorm), mono.

    None below 0.4 s, the length of one gating block; -inf where every block is under the absolute gate
    of -70 LUFS, as in silence.
    """
    if clip.duration_s < LOUDNESS_S:
        return None
    import pyloudnorm

    with np.errstate(divide="ignore"):
        return float(
            pyloudnorm.Meter(clip.rate_hz).integrated_loudness(clip.samples.astype(np.float64)[:, None])
        )


def speech_level_dbfs(clip: Clip, spans: Iterable[Span]) -> float | None:
    """Root mean square over the spans of speech only; None where there is none."""
    parts = [clip.between(span.start_s, span.end_s).samples for span in spans]
    samples = np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)
    return rms_dbfs(Clip(samples, clip.rate_hz)) if len(samples) else None


def with_gain_db(clip: Clip, gain_db: float) -> Clip:
    """Louder (positive) or softer. Samples may pass full scale: nothing is clipped here."""
    return Clip(clip.samples * np.float32(10 ** (gain_db / 20)), clip.rate_hz)


def to_peak(clip: Clip, dbfs: float = -1.0) -> Clip:
    """Scaled so that its largest sample has this level. Raises ValueError for silence."""
    peak = _peak(clip)
    if peak == 0:
        raise ValueError("silence cannot be scaled to a peak")
    return Clip(clip.samples * np.float32(10 ** (dbfs / 20) / peak), clip.rate_hz)


def within_full_scale(clip: Clip) -> Clip:
    """The same clip where 16 bits can hold it, else scaled down until they can."""
    if not len(clip) or _peak(clip) <= _TOP:
        return clip
    # Rounding to float32 may end a hair above the top.
    return Clip(np.clip(to_peak(clip, _db(_TOP)).samples, -_TOP, _TOP), clip.rate_hz)


def _peak(clip: Clip) -> float:
    if not len(clip):
        raise ValueError("an empty clip has no level")
    return float(np.abs(clip.samples).max())


def _db(amplitude: float) -> float:
    return 20 * math.log10(amplitude) if amplitude > 0 else -math.inf
