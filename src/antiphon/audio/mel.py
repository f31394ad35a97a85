"""Mel spectrograms as models were trained on them: Slaney's scale, triangles of equal area, periodic Hann windows.

Equal to librosa's and to transformers' for the settings that the adapters use (tested), without either.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Slaney's scale (Auditory Toolbox, 1998): linear below 1 kHz, 27 steps for each factor of 6.4 above.
_LINEAR_HZ, _BREAK_HZ = 200 / 3, 1000.0
_LOG_STEP = np.log(6.4) / 27


@lru_cache(maxsize=8)
def hann(size: int) -> NDArray[np.float64]:
    """A periodic Hann window, shape (size,), read-only."""
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    window.flags.writeable = False
    return window


@lru_cache(maxsize=8)
def filters(mels: int, fft: int, rate_hz: int) -> NDArray[np.float64]:
    """Triangles of equal area from 0 Hz to half the rate, shape (mels, fft // 2 + 1), read-only."""
    edges_hz = _mel_to_hz(np.linspace(0, _hz_to_mel(rate_hz / 2), mels + 2))
    bins_hz = np.fft.rfftfreq(fft, 1 / rate_hz)
    widths = np.diff(edges_hz)
    away = edges_hz[:, None] - bins_hz[None, :]
    rising, falling = -away[:-2] / widths[:-1, None], away[2:] / widths[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling)) * (2 / (edges_hz[2:] - edges_hz[:-2]))[:, None]
    triangles.flags.writeable = False
    return triangles


def mel_power(
    samples: NDArray[np.float32],
    mels: int,
    fft: int,
    hop: int,
    rate_hz: int,
    edge: Literal["reflect", "constant"],
) -> NDArray[np.float32]:
    """Power in each band, shape (1 + samples // hop, mels); frames are centred, what lies outside is `edge`."""
    padded = np.pad(samples, fft // 2, mode=edge)
    frames = np.lib.stride_tricks.sliding_window_view(padded, fft)[::hop]
    power = np.square(np.abs(np.fft.rfft(frames * hann(fft), axis=1)))
    return (power @ filters(mels, fft, rate_hz).T).astype(np.float32)


def _hz_to_mel(hz: float) -> float:
    if hz < _BREAK_HZ:
        return hz / _LINEAR_HZ
    return _BREAK_HZ / _LINEAR_HZ + float(np.log(hz / _BREAK_HZ) / _LOG_STEP)


def _mel_to_hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    knee = _BREAK_HZ / _LINEAR_HZ
    return np.where(mel < knee, mel * _LINEAR_HZ, _BREAK_HZ * np.exp(_LOG_STEP * (mel - knee)))
