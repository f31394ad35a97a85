"""What a channel does to speech: it muffles, loses packets, or overloads."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from antiphon.audio.clip import Clip
from antiphon.audio.frames import FRAME_MS
from antiphon.audio.levels import power, within_full_scale

LOW_PASS_ORDER = 4


def low_pass(clip: Clip, cutoff_hz: float) -> Clip:
    """Only what lies under a frequency: Butterworth of order 4, -3 dB there, 24 dB an octave above.

    No gain makes up for what is lost. Raises ValueError for a frequency that the clip's rate cannot carry.
    """
    if not 0 < cutoff_hz < clip.rate_hz / 2:
        raise ValueError(
            f"cutoff_hz must lie between 0 and half the rate of {clip.rate_hz} Hz, not {cutoff_hz}"
        )
    if not len(clip):
        return clip
    from scipy.signal import butter, sosfilt

    sections = butter(LOW_PASS_ORDER, cutoff_hz, fs=clip.rate_hz, output="sos")
    # In double precision: so low a cut-off puts the poles next to the unit circle.
    muffled = np.asarray(sosfilt(sections, clip.samples.astype(np.float64)))
    return within_full_scale(Clip(muffled.astype(np.float32), clip.rate_hz))


def band_pass(clip: Clip, low_hz: float, high_hz: float) -> Clip:
    """Only what lies between two frequencies: Butterworth of order 4 on either side, -3 dB at both.

    Raises ValueError for frequencies that the clip's rate cannot carry.
    """
    if not 0 < low_hz < high_hz < clip.rate_hz / 2:
        raise ValueError(f"{low_hz} to {high_hz} Hz is no band below half the rate of {clip.rate_hz} Hz")
    if not len(clip):
        return clip
    from scipy.signal import butter, sosfilt

    sections = butter(LOW_PASS_ORDER, (low_hz, high_hz), btype="bandpass", fs=clip.rate_hz, output="sos")
    limited = np.asarray(sosfilt(sections, clip.samples.astype(np.float64)))
    return within_full_scale(Clip(limited.astype(np.float32), clip.rate_hz))


def frame_edges(clip: Clip, frame_ms: int = FRAME_MS) -> NDArray[np.int64]:
    """Where frames begin, and the clip's end, in samples; at odd rates a frame is a sample longer or shorter."""
    count = -(-len(clip) * 1000 // (clip.rate_hz * frame_ms))
    starts = np.rint(np.arange(count + 1) * (frame_ms * clip.rate_hz / 1000)).astype(np.int64)
    return np.minimum(starts, len(clip))


def drop_frames(clip: Clip, lost: NDArray[np.bool_], frame_ms: int = FRAME_MS) -> Clip:
    """Silence in place of the frames lost, one bool a frame; nothing conceals them."""
    kept = np.repeat(~lost, np.diff(frame_edges(clip, frame_ms)))
    return Clip(clip.samples * kept, clip.rate_hz)


def lost_at_random(count: int, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Which of `count` frames are lost: as many as the share says, rounded, wherever chance has it."""
    lost = np.zeros(count, dtype=np.bool_)
    lost[generator.permutation(count)[: round(share * count)]] = True
    return lost


def lost_in_bursts(
    count: int, share: float, mean_burst: float, generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Which of `count` frames are lost: Gilbert's two states, none lost in one and all in the other.

    Bursts have `mean_burst` frames and losses the given share on average, from a random moment on.
    Sources: Gilbert, Bell System Technical Journal 39 (1960); Elliott, ibid. 42 (1963).
    """
    mean_good = mean_burst * (1 - share) / share
    lost = bool(generator.random() < share)
    found = np.zeros(count, dtype=np.bool_)
    at = 0
    while at < count:
        run = int(generator.geometric(1 / (mean_burst if lost else mean_good)))
        found[at : at + run] = lost
        at += run
        lost = not lost
    return found


def overload(clip: Clip, threshold: float) -> Clip:
    """Samples beyond `threshold` times the clip's peak are cut there; then as loud as before.

    At 1 nothing happens; towards 0 only the signs of the samples are left.
    """
    before = power(clip) if len(clip) else 0.0
    if before == 0:
        return clip
    limit = np.float32(threshold) * np.abs(clip.samples).max()
    if limit == 0:  # too small for float32
        raise ValueError(f"a threshold of {threshold} leaves nothing of this clip")
    cut = np.clip(clip.samples, -limit, limit)
    # By the limit first: squares of tiny numbers would vanish.
    cut /= limit
    gain = math.sqrt(before / float(np.mean(np.square(cut, dtype=np.float64))))
    return within_full_scale(Clip(cut * np.float32(gain), clip.rate_hz))
