"""Reverberation: the impulse response of a room by the image method, and its measurement.

Sources: Allen and Berkley, JASA 65 (1979), for the images; Schroeder, JASA 37 (1965), for the decay curve;
ISO 3382-2 for T30, the reverberation time from -5 to -35 dB. pyroomacoustics takes the absorption from
Sabine's formula, which in a shoebox missed the wanted time by a fifth, and holds every image in memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.levels import power, within_full_scale

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SPEED_M_S = 343.0
# A small lecture hall; no side is a simple multiple of another, so that echoes do not coincide.
ROOM_M = (11.3, 8.7, 5.1)
MICROPHONE_M = (5.2, 3.7, 1.4)
# From the microphone to the mouth: along the floor, across it, and a little upwards.
DIRECTION = (-0.8, 0.59, 0.1)
DISTANCES_M = (0.3, 5.0)
RT60_S = (0.2, 5.0)
# Images all push in the same direction; what they add up to below hearing is no sound (Allen and Berkley).
HIGH_PASS_HZ = 50.0

_BIN_S = 0.005


@dataclass(frozen=True, slots=True)
class _Images:
    """Images of the source in one layer of the room's lattice: metres from the microphone, walls met."""

    distance_m: NDArray[np.float64]
    walls: NDArray[np.int64]


@lru_cache(maxsize=16)
def impulse_response(rt60_s: float, distance_m: float, rate_hz: int) -> NDArray[np.float32]:
    """The room's answer to a click, shape (rt60_s * rate_hz,), read-only; sample 0 is the direct sound.

    The walls reflect alike at all frequencies, and as much as makes T30 equal to `rt60_s`; the air takes
    nothing. Raises ValueError for a time or a distance outside `RT60_S` and `DISTANCES_M`.
    """
    _within("rt60_s", rt60_s, RT60_S)
    _within("distance_m", distance_m, DISTANCES_M)
    reflection = _reflection(rt60_s, distance_m)
    length = max(1, round(rt60_s * rate_hz))
    direct = distance_m / SPEED_M_S * rate_hz
    response = np.zeros(length)
    powers = np.power(reflection, np.arange(_most_walls(rt60_s, distance_m)), dtype=np.float64)
    for images in _lattice(rt60_s, distance_m):
        at = np.rint(images.distance_m * (rate_hz / SPEED_M_S) - direct).astype(np.int64)
        inside = at < length
        amplitude = powers[images.walls[inside]] / images.distance_m[inside]
        response += np.bincount(at[inside], amplitude, length)
    from scipy.signal import butter, sosfilt

    high_pass = butter(2, HIGH_PASS_HZ, "highpass", fs=rate_hz, output="sos")
    filtered = np.asarray(sosfilt(high_pass, response), dtype=np.float32)
    filtered /= np.sqrt(np.sum(np.square(filtered)))
    filtered.flags.writeable = False
    return filtered


def reverberate(clip: Clip, rt60_s: float, distance_m: float) -> Clip:
    """The clip in the room, with its tail of `rt60_s` after the end; as loud as before over its own length."""
    if not len(clip):
        return clip
    from scipy.signal import oaconvolve

    response = impulse_response(rt60_s, distance_m, clip.rate_hz)
    wet = np.asarray(oaconvolve(clip.samples, response), dtype=np.float32)
    before, after = power(clip), float(np.mean(np.square(wet[: len(clip)], dtype=np.float64)))
    if before == 0 or after == 0:
        return Clip(np.zeros(len(wet), dtype=np.float32), clip.rate_hz)
    wet *= np.float32(math.sqrt(before / after))
    return within_full_scale(Clip(wet, clip.rate_hz))


def decay_db(energy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Schroeder's curve of a response's energy over time: what is still to come, in dB of the whole."""
    left = np.cumsum(energy[::-1])[::-1]
    return 10 * np.log10(np.maximum(left, np.finfo(np.float64).tiny) / left[0])


def t30_s(curve_db: NDArray[np.float64], step_s: float) -> float:
    """Time for 60 dB at the slope that a decay curve has from -5 to -35 dB; `step_s` between its points.

    0 where it falls faster than two of its points tell.
    """
    start, end = (int(np.argmax(curve_db <= level)) for level in (-5, -35))
    if end - start < 2:
        return 0.0
    slope = np.polyfit(np.arange(start, end) * step_s, curve_db[start:end], 1)[0]
    return float(-60 / slope)


def _within(name: str, value: float, limits: tuple[float, float]) -> None:
    if not limits[0] <= value <= limits[1]:
        raise ValueError(f"{name} must lie in {limits[0]:g}..{limits[1]:g}, not {value}")


def _lattice(rt60_s: float, distance_m: float) -> Iterator[_Images]:
    """Every image whose sound arrives within `rt60_s` of the direct one, layer by layer along the room."""
    reach_m = rt60_s * SPEED_M_S + distance_m
    norm = math.hypot(*DIRECTION)
    source = [at + distance_m * way / norm for at, way in zip(MICROPHONE_M, DIRECTION, strict=True)]
    axes: list[tuple[NDArray[np.float64], NDArray[np.int64]]] = []
    for side_m, heard_m, spoken_m in zip(ROOM_M, MICROPHONE_M, source, strict=True):
        cell = np.arange(-math.ceil(reach_m / side_m) - 1, math.ceil(reach_m / side_m) + 2)
        # In every second cell the room, and with it the source, is mirrored.
        place = cell * side_m + np.where(cell % 2, side_m - spoken_m, spoken_m)
        axes.append((np.square(place - heard_m, dtype=np.float64), np.abs(cell)))
    (x2, x_walls), (y2, y_walls), (z2, z_walls) = axes
    plane2 = (y2[:, None] + z2).ravel()
    plane_walls = (y_walls[:, None] + z_walls).ravel()
    order = np.argsort(plane2, kind="stable")
    plane2, plane_walls = plane2[order], plane_walls[order]
    for along2, walls in zip(x2, x_walls, strict=True):
        near = int(np.searchsorted(plane2, reach_m**2 - along2))
        if near:
            yield _Images(np.sqrt(plane2[:near] + along2), plane_walls[:near] + walls)


def _most_walls(rt60_s: float, distance_m: float) -> int:
    reach_m = rt60_s * SPEED_M_S + distance_m
    return sum(math.ceil(reach_m / side_m) + 2 for side_m in ROOM_M)


@lru_cache(maxsize=16)
def _reflection(rt60_s: float, distance_m: float) -> float:
    """How much of the amplitude a wall must return for the wanted T30, found by halving."""
    most = _most_walls(rt60_s, distance_m)
    bins = math.ceil((rt60_s + distance_m / SPEED_M_S) / _BIN_S) + 1
    # Energy by arrival and by walls met: the decay of any reflection is then one product.
    table = np.zeros(bins * most)
    for images in _lattice(rt60_s, distance_m):
        at = (images.distance_m * (1 / SPEED_M_S / _BIN_S)).astype(np.int64)
        table += np.bincount(at * most + images.walls, images.distance_m**-2, len(table))
    energy = table.reshape(bins, most)
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        decay = decay_db(energy @ np.power(middle, 2 * np.arange(most), dtype=np.float64))
        low, high = (middle, high) if t30_s(decay, _BIN_S) < rt60_s else (low, middle)
    return (low + high) / 2
