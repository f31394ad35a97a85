"""Background noise: synthetic babble and street, or recordings from the user's folder.

The two synthetic ones are ours and are made here: no speech and no recording is in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.files import read
from antiphon.audio.resample import resample
from antiphon.errors import ConfigError, DataError, unknown
from antiphon.ids import hash_json, rng

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Samples = NDArray[np.float32]

# What soundfile reads and people keep noise in.
SUFFIXES = frozenset({".wav", ".flac", ".ogg", ".mp3"})
BED_S = 30
TALKERS = 8
SYLLABLES_HZ = 4.0
# The bands in which a talker's loudness moves on its own (voice, vowels, sibilants), and their amplitudes,
# after the average long-term spectrum of speech (Byrne et al., JASA 96, 1994).
VOICE_BANDS = ((120.0, 600.0, 1.0), (600.0, 1900.0, 0.3), (1900.0, 5500.0, 0.15))
PASSING_PER_MINUTE = 10


@dataclass(frozen=True, slots=True)
class Corpus:
    """The user's noise recordings; `name` tells folders with other files or other sizes apart."""

    name: str
    files: tuple[Path, ...]


def open_corpus(folder: Path) -> Corpus:
    """Every sound file under a folder, in order of its path. Raises ConfigError where there is none."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    if not files:
        listed = ", ".join(sorted(SUFFIXES))
        raise ConfigError(f"{folder} holds no noise; give a folder with sound files ({listed})")
    listing = [[path.relative_to(folder).as_posix(), path.stat().st_size] for path in files]
    return Corpus(f"corpus-{hash_json(listing)[:12]}", tuple(files))


def background(
    name: str, length: int, rate_hz: int, generator: np.random.Generator, corpus: Corpus | None = None
) -> Samples:
    """`length` samples of a noise, from a random place of a random recording, repeated where it is shorter.

    `name` is `babble`, `street` or the name of `corpus`. Raises ConfigError for any other, DataError for
    a file that is no sound and for a corpus that is silent.
    """
    if name in SYNTHETIC:
        return _piece(synthetic(name, rate_hz), length, generator)
    if corpus is None or corpus.name != name:
        given = [] if corpus is None else [corpus.name]
        raise unknown("background noise", name, [*SYNTHETIC, *given], "give the folder of that corpus")
    for index in generator.permutation(len(corpus.files)):
        piece = _piece(resample(read(corpus.files[index]), rate_hz).samples, length, generator)
        if np.any(piece):
            return piece
    raise DataError(corpus.files[0].parent, "every noise recording is silent where it was tried")


def _piece(samples: Samples, length: int, generator: np.random.Generator) -> Samples:
    start = int(generator.integers(len(samples)))
    repeated = np.tile(samples, 1 + -(-length // len(samples)))
    return repeated[start : start + length]


@lru_cache(maxsize=8)
def synthetic(name: str, rate_hz: int) -> Samples:
    """Half a minute of a synthetic noise at its own scale, always the same at one rate."""
    return Clip(SYNTHETIC[name](BED_S * rate_hz, rate_hz), rate_hz).samples


def _babble(length: int, rate_hz: int) -> Samples:
    """Several voices without words: each three bands of noise whose loudness moves as syllables do."""
    generator = rng(0, "babble")
    mixed = np.zeros(length, dtype=np.float32)
    for _ in range(TALKERS):
        pitch = generator.uniform(0.8, 1.25)
        present = generator.binomial(1, 0.8, _knots(length, rate_hz, 0.5)).astype(np.float64)
        speaking = _contour(length, rate_hz, 0.5, present)
        for low_hz, high_hz, weight in VOICE_BANDS:
            syllables = generator.gamma(1.0, 1.0, _knots(length, rate_hz, SYLLABLES_HZ))
            loudness = _contour(length, rate_hz, SYLLABLES_HZ, syllables)
            noise = _band(generator, length, rate_hz, (low_hz * pitch, high_hz * pitch), order=2)
            mixed += np.float32(weight) * noise * loudness * speaking
    return mixed


def _street(length: int, rate_hz: int) -> Samples:
    """Steady traffic far away, and vehicles that come and go."""
    generator = rng(0, "street")
    far = _band(generator, length, rate_hz, (30.0, 300.0))
    near = _band(generator, length, rate_hz, (150.0, 2500.0))
    times_s = np.arange(length, dtype=np.float32) / rate_hz
    loudness = np.full(length, 0.1, dtype=np.float32)
    duration_s = length / rate_hz
    for _ in range(round(PASSING_PER_MINUTE * duration_s / 60)):
        at_s, width_s = generator.uniform(0, duration_s), generator.uniform(0.4, 1.6)
        # A source that passes at constant speed: its power goes with the inverse square of the distance.
        loudness += np.float32(generator.uniform(0.3, 1)) / np.hypot(1, (times_s - at_s) / width_s) ** 2
    return (0.3 * far + loudness * near).astype(np.float32)


SYNTHETIC: dict[str, Callable[[int, int], Samples]] = {"babble": _babble, "street": _street}


def _band(
    generator: np.random.Generator,
    length: int,
    rate_hz: int,
    edges_hz: tuple[float, float],
    *,
    order: int = 1,
) -> Samples:
    """Gaussian noise of power 1 between two frequencies, falling by 6 dB times `order` an octave outside."""
    from scipy.signal import butter, sosfilt

    top = 0.45 * rate_hz
    edges = (min(edges_hz[0], top / 2), min(edges_hz[1], top))
    noise = generator.standard_normal(length, dtype=np.float32)
    shaped = np.asarray(sosfilt(butter(order, edges, "bandpass", fs=rate_hz, output="sos"), noise))
    return (shaped / np.sqrt(np.mean(np.square(shaped)))).astype(np.float32)


def _knots(length: int, rate_hz: int, per_s: float) -> int:
    return 2 + round(length / rate_hz * per_s)


def _contour(length: int, rate_hz: int, per_s: float, knots: NDArray[np.float64]) -> Samples:
    """Straight lines through values `per_s` a second."""
    places = np.arange(length, dtype=np.float64) * (per_s / rate_hz)
    return np.interp(places, np.arange(len(knots)), knots).astype(np.float32)
