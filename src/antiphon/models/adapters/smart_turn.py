"""Whether somebody has finished speaking, by the sound of the voice: Daily's smart-turn v3.2 (int8, ONNX).

It takes the last 8 s of a turn as Whisper's features. Published for 23 languages, Mandarin and English among them.
It was trained on people: of synthetic voices it says little, of espeak's nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.mel import mel_power
from antiphon.audio.resample import resample
from antiphon.models.native import Engine, need
from antiphon.models.weights import fetch

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from antiphon.audio.clip import Clip

RATE_HZ = 16_000
LONGEST_S = 8
WEIGHTS = "smart-turn"
_FILE = "smart-turn-v3.2-cpu.onnx"
_SAMPLES = LONGEST_S * RATE_HZ
_MELS, _FFT, _HOP = 80, 400, 160


class SmartTurn:
    """One model for all sessions, in one thread at a time. Raises UnavailableError without onnxruntime or weights."""

    def __init__(self) -> None:
        need("onnxruntime")
        folder = fetch.locate(WEIGHTS)
        self.name = f"smart-turn:v3.2@{fetch.digest(WEIGHTS)}"
        self._engine: Engine[Any] = Engine(lambda: _load(folder / _FILE))

    async def warm(self) -> None:
        """Load it now."""
        await self._engine.warm()

    async def score(self, turn: Clip) -> float:
        """How likely the turn is over at the clip's end, 0 to 1. Only its last 8 s count."""
        return await self._engine.run(lambda session: _score(session, turn))


def _load(path: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # A second thread does not make it faster, and the loop's frames must not wait for it.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _score(session: Any, turn: Clip) -> float:
    found = session.run(None, {"input_features": features(resample(turn, RATE_HZ).samples)[None]})
    return float(found[0].reshape(-1)[0])


def features(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Whisper's features of the last 8 s at 16 kHz, shape (80, 800): silence comes before what is shorter; the
    sound has mean 0 and variance 1; log10 of the mel power, at most 8 below its peak, as (x + 4) / 4."""
    last = samples[-_SAMPLES:]
    last = np.pad(last, (_SAMPLES - len(last), 0)).astype(np.float32)
    last = (last - last.mean()) / np.sqrt(last.var() + 1e-7)
    mel = np.log10(np.maximum(mel_power(last, _MELS, _FFT, _HOP, RATE_HZ, "reflect")[:-1], 1e-10))
    mel = (np.maximum(mel, mel.max() - 8) + 4) / 4
    return np.ascontiguousarray(mel.T, dtype=np.float32)
