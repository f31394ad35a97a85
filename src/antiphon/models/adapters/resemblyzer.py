"""Whose voice it is, as 256 numbers: Resemble AI's voice encoder (Resemblyzer, trained for GE2E).

Three LSTM layers over 40 mel bands; numpy runs them. Equal to the package within 1e-5 for the same sound, without it:
it brings librosa and webrtcvad, and torch. Source: Wan et al., "Generalized End-to-End Loss for Speaker
Verification", 2018.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.mel import mel_power
from antiphon.errors import DataError
from antiphon.models.native import Engine
from antiphon.models.weights import fetch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import IO

    from numpy.typing import NDArray

RATE_HZ = 16_000
WEIGHTS = "resemblyzer"
SIZE = 256
_BLOCK = 64
_LAYERS = 3
_MELS, _FFT, _HOP = 40, 400, 160
_FRAMES, _STEP = 160, 77  # windows of 1.6 s, 1.3 a second
_LEAST_RMS = 10 ** (-30 / 20)
# A pause is what lies so far below the loud parts; windows of 30 ms.
_PAUSE, _QUIET_DB = RATE_HZ * 30 // 1000, 35.0
_NAMES = (
    *(
        f"lstm.{kind}_l{layer}"
        for layer in range(_LAYERS)
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ),
    "linear.weight",
    "linear.bias",
)

Weights = dict[str, "NDArray[np.float32]"]


class Resemblyzer:
    """One encoder for all sessions, in one thread at a time. Raises UnavailableError where the weights are missing."""

    def __init__(self) -> None:
        path = fetch.locate(WEIGHTS) / "pretrained.pt"
        self.name = f"resemblyzer:@{fetch.digest(WEIGHTS)}"
        self._engine = Engine(lambda: read(path))

    async def warm(self) -> None:
        """Load it now."""
        await self._engine.warm()

    async def embed(self, samples: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """The voice in 16 kHz samples, shape (256,), of length 1; None where there is hardly any sound.

        The product of two is their likeness, 0 to 1.
        """
        return await self._engine.run(lambda weights: embed(weights, samples))


def embed(weights: Weights, samples: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """The mean of the windows of 1.6 s, pauses cut out; less than one window is taken as it is."""
    voiced = without_pauses(samples)
    if len(voiced) < _FFT:
        return None
    rms = float(np.sqrt(np.square(voiced).mean()))
    mel = mel_power(
        voiced * np.float32(max(1.0, _LEAST_RMS / max(rms, 1e-9))), _MELS, _FFT, _HOP, RATE_HZ, "constant"
    )
    starts = range(0, max(1, len(mel) - _FRAMES + 1), _STEP)
    mean = encode(weights, np.stack([mel[at : at + _FRAMES] for at in starts])).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length > 0 else None


def without_pauses(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Only the parts within 35 dB of the loud ones."""
    whole = samples[: len(samples) // _PAUSE * _PAUSE].reshape(-1, _PAUSE)
    if not len(whole):
        return samples[:0]
    levels_db = 10 * np.log10(np.square(whole).mean(axis=1) + 1e-10)
    return whole[levels_db > np.percentile(levels_db, 95) - _QUIET_DB].reshape(-1)


def encode(weights: Weights, mels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Windows of mel power, shape (n, frames, 40), as voices, shape (n, 256), each of length 1."""
    given = mels
    for layer in range(_LAYERS):
        given = _lstm(weights, layer, given)
    voices = np.maximum(given[:, -1] @ weights["linear.weight"].T + weights["linear.bias"], 0)
    lengths = np.linalg.norm(voices, axis=1, keepdims=True)
    return (voices / np.maximum(lengths, 1e-12)).astype(np.float32)


def _lstm(weights: Weights, layer: int, given: NDArray[np.float32]) -> NDArray[np.float32]:
    """torch's order of the gates: input, forget, cell, output."""
    count, frames, _ = given.shape
    bias = weights[f"lstm.bias_ih_l{layer}"] + weights[f"lstm.bias_hh_l{layer}"]
    gates = (given @ weights[f"lstm.weight_ih_l{layer}"].T + bias).transpose(1, 2, 0)
    # In small blocks, which BLAS leaves to this thread: as a whole, more than one window took ten times as long.
    inner = weights[f"lstm.weight_hh_l{layer}"].reshape(-1, _BLOCK, SIZE)
    hidden = cell = np.zeros((SIZE, count), dtype=np.float32)
    out = np.empty((frames, SIZE, count), dtype=np.float32)
    for at in range(frames):
        now = gates[at] + np.matmul(inner, hidden).reshape(4 * SIZE, count)
        opened = _sigmoid(now)
        cell = opened[SIZE : 2 * SIZE] * cell + opened[:SIZE] * np.tanh(now[2 * SIZE : 3 * SIZE])
        hidden = opened[3 * SIZE :] * np.tanh(cell)
        out[at] = hidden
    return out.transpose(2, 0, 1)


def _sigmoid(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return (0.5 + 0.5 * np.tanh(0.5 * values)).astype(np.float32)  # exp would overflow


def read(path: Path) -> Weights:
    """The encoder's tensors out of a file that torch wrote before 1.6, without torch: of what the file
    names only an OrderedDict is made. Raises DataError."""
    try:
        with path.open("rb") as file:
            state = _state(file)
    except (
        pickle.UnpicklingError,
        EOFError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        IndexError,
    ) as error:
        raise DataError(path, f"is no checkpoint of Resemblyzer's ({error})") from error
    missing = [name for name in _NAMES if name not in state]
    if missing:
        raise DataError(path, f"is no checkpoint of Resemblyzer's: no {missing[0]}")
    return {name: state[name] for name in _NAMES}


class _Place:
    """A tensor before its numbers are read: (storage, offset, shape); all of the file's lie row by row."""

    def __init__(self, storage: str, offset: int, shape: tuple[int, ...], *_: object) -> None:
        self.storage, self.offset, self.shape = storage, offset, shape


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _Place
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        return None  # kinds of storage, and what the optimiser kept: never called

    def persistent_load(self, pid: Any) -> str:
        return pid[2]


def _state(file: IO[bytes]) -> Mapping[str, NDArray[np.float32]]:
    for _ in range(3):  # a magic number, the version, the machine
        _Reader(file).load()
    placed = _Reader(file).load()["model_state"]
    keys = _Reader(file).load()
    storages: dict[str, NDArray[np.float32]] = {}
    for key in keys:
        (count,) = np.frombuffer(file.read(8), dtype="<i8")
        storages[key] = np.frombuffer(file.read(4 * int(count)), dtype="<f4")
    found: dict[str, NDArray[np.float32]] = {}
    for name, place in placed.items():
        size = int(np.prod(place.shape, dtype=np.int64))
        found[name] = storages[place.storage][place.offset : place.offset + size].reshape(place.shape)
    return found
