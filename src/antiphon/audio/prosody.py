"""Pitch and intensity of speech, every 10 ms, as Praat defines them by default.

Pitch: P. Boersma, "Accurate short-term analysis of the fundamental frequency and the harmonics-to-noise ratio of a
sampled sound", IFA Proceedings 17 (1993): autocorrelation of a windowed frame over the window's own, then the cheapest
path through the candidates. Intensity: mean square under a Kaiser window of 64 ms, in dB re 20 µPa when a sample of 1
is 1 Pa, which is dBFS + 94. Nothing of Praat's code is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.resample import resample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antiphon.audio.clip import Clip

    Floats = NDArray[np.float64]

RATE_HZ = 16_000
STEP_S = 0.01  # frame k is about (k + 0.5) * STEP_S
FLOOR_HZ, CEILING_HZ = 50.0, 600.0
SILENT_DB = -300.0  # what nothing at all has
_HOP = round(RATE_HZ * STEP_S)
_WINDOW = round(3 / FLOOR_HZ * RATE_HZ)  # three periods of the lowest pitch
_INTENSITY = round(6.4 / 100 * RATE_HZ)
_KAISER = 2 * np.pi**2 + 0.5
_REFERENCE = 4e-10  # (20 µPa)²
_CANDIDATES = 14
_VOICING, _SILENCE = 0.45, 0.03
_OCTAVE, _JUMP, _SWITCH = 0.01, 0.35, 0.14
_AT_ONCE = 512  # frames; bounds the memory


def pitch_hz(clip: Clip) -> Floats:
    """The pitch of each frame, 50 to 600 Hz; 0 where it has none. Shape (frames,)."""
    samples = resample(clip, RATE_HZ).samples.astype(np.float64)
    frames = _framed(samples, _WINDOW)
    peak = float(np.max(np.abs(samples - samples.mean()))) if len(samples) else 0.0
    if not len(frames) or peak == 0.0:
        return np.zeros(len(frames))
    parts = [_candidates(frames[at : at + _AT_ONCE], peak) for at in range(0, len(frames), _AT_ONCE)]
    return _path(np.concatenate([hz for hz, _ in parts]), np.concatenate([strength for _, strength in parts]))


def intensity_db(clip: Clip) -> Floats:
    """The intensity of each frame, dB; `SILENT_DB` where there is no sound at all. Shape (frames,)."""
    samples = resample(clip, RATE_HZ).samples.astype(np.float64)
    frames = _framed(samples, _INTENSITY)
    weights = np.kaiser(_INTENSITY, _KAISER)
    found: list[Floats] = [np.zeros(0)]
    for at in range(0, len(frames), _AT_ONCE):
        part = frames[at : at + _AT_ONCE]
        part = part - part.mean(axis=1, keepdims=True)
        power = (part**2 @ weights) / weights.sum() / _REFERENCE
        found.append(np.where(power > 1e-30, 10 * np.log10(np.maximum(power, 1e-30)), SILENT_DB))
    return np.concatenate(found)


def _framed(samples: Floats, size: int) -> Floats:
    """Windows around each frame's middle, silence beyond the ends. A view of shape (frames, size)."""
    count = len(samples) // _HOP
    if not count:
        return np.zeros((0, size))
    padded = np.pad(samples, size // 2)
    windows = np.lib.stride_tricks.sliding_window_view(padded, size)
    return windows[_HOP // 2 :: _HOP][:count]


def _candidates(frames: Floats, peak: float) -> tuple[Floats, Floats]:
    """Pitches and their strengths by frame, the unvoiced candidate (0 Hz) first. Shapes (frames, candidates)."""
    local = frames - frames.mean(axis=1, keepdims=True)
    middle = local[:, _WINDOW // 3 : _WINDOW - _WINDOW // 3]  # one period of the lowest pitch
    loud = np.minimum(np.max(np.abs(middle), axis=1) / peak, 1.0)
    curve = _autocorrelation(local)
    shortest, longest = int(RATE_HZ / CEILING_HZ), int(RATE_HZ / FLOOR_HZ)
    lags = np.arange(shortest, longest + 1)
    before, here, after = (curve[:, lags + shift] for shift in (-1, 0, 1))
    bend = 2 * here - before - after
    top = (here > before) & (here >= after) & (here > 0.5 * _VOICING)
    shift = np.where(top, (after - before) / np.where(bend > 0, 2 * bend, 1.0), 0.0)
    hz = RATE_HZ / (lags + shift)
    height = here + 0.25 * (after - before) * shift
    height = np.where(height > 1, 1 / np.maximum(height, 1e-9), height)
    strength = np.where(
        top & (hz >= FLOOR_HZ) & (hz <= CEILING_HZ), height - _OCTAVE * np.log2(FLOOR_HZ / hz), -np.inf
    )
    best = np.argpartition(-strength, _CANDIDATES, axis=1)[:, :_CANDIDATES]
    unvoiced = _VOICING + np.maximum(0.0, 2 - loud / (_SILENCE / (1 + _VOICING)))
    return (
        np.column_stack([np.zeros(len(frames)), np.take_along_axis(hz, best, 1)]),
        np.column_stack([unvoiced, np.take_along_axis(strength, best, 1)]),
    )


def _autocorrelation(frames: Floats) -> Floats:
    """Of each frame under a Hann window, over the window's own, 1 at lag 0. Shape (frames, lags)."""
    window = np.hanning(_WINDOW + 2)[1:-1]
    size = 2048  # at least the window and the longest lag
    power = np.abs(np.fft.rfft(frames * window, size, axis=1)) ** 2
    curve = np.fft.irfft(power, size, axis=1)[:, : _WINDOW // 2]
    own = np.fft.irfft(np.abs(np.fft.rfft(window, size)) ** 2, size)[: _WINDOW // 2]
    energy = curve[:, :1]
    return np.divide(curve, energy, out=np.zeros_like(curve), where=energy > 0) / (own / own[0])


def _path(hz: Floats, strength: Floats) -> Floats:
    """The pitches on the strongest path: leaps and switches of voicing cost."""
    best = strength[0]
    back = np.zeros(hz.shape, dtype=np.intp)
    for at in range(1, len(hz)):
        was, now = hz[at - 1][:, None], hz[at][None, :]
        voiced = (was > 0) & (now > 0)
        leap = np.abs(np.log2(np.where(voiced, was, 1.0) / np.where(voiced, now, 1.0)))
        cost = np.where(voiced, _JUMP * leap, np.where((was > 0) != (now > 0), _SWITCH, 0.0))
        sums = best[:, None] - cost
        back[at] = np.argmax(sums, axis=0)
        best = strength[at] + np.max(sums, axis=0)
    place = int(np.argmax(best))
    found = np.zeros(len(hz))
    for at in range(len(hz) - 1, -1, -1):
        found[at] = hz[at, place]
        place = int(back[at, place])
    return found
