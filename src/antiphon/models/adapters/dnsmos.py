"""`dnsmos:`: Microsoft's DNSMOS, predicted opinions of speech and of noise (ITU-T P.835 and P.808).

The models run on onnxruntime; their spectrogram is computed here with numpy, so librosa is not needed.
Equal to the reference `speechmos.dnsmos` (MIT) within 1e-3. DNSMOS was trained for noise suppression: it
says much about noise and little about how natural a voice is. Source: Reddy et al., "DNSMOS P.835", 2022.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.mel import mel_power
from antiphon.errors import ConfigError
from antiphon.models.native import Engines, need
from antiphon.models.scorable import RATE_HZ, NativeScorer
from antiphon.models.weights import fetch

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from antiphon.clock import Clock
    from antiphon.models.uri import Uri

NAMES = ("dnsmos_ovrl", "dnsmos_sig", "dnsmos_bak", "dnsmos_p808")
_WINDOW_S = 9.01
_MELS, _FFT, _HOP = 120, 321, 160

# P.835 outputs, in the model's order, through the published fits (highest power first).
_FITS = {
    "dnsmos_sig": (-0.08397278, 1.22083953, 0.0052439),
    "dnsmos_bak": (-0.13166888, 1.60915514, -0.39604546),
    "dnsmos_ovrl": (-0.06766283, 1.11546468, 0.04602535),
}

_Sessions = tuple[Any, Any]
_engines: Engines[_Sessions] = Engines()


def open_scorer(uri: Uri, clock: Clock) -> Dnsmos:
    """A scorer; nothing is loaded before its first clip.

    Raises ConfigError for unknown options, UnavailableError when package or weights are missing.
    """
    uri.only("threads")
    threads = uri.whole("threads", 2)
    if threads < 1 or uri.path:
        raise ConfigError(f"{uri.text}: write dnsmos: or dnsmos:?threads=N, N from 1")
    need("onnxruntime")
    folder = fetch.locate("dnsmos")
    engine = _engines.get((folder, threads), lambda: _load(folder, threads))
    return Dnsmos(f"dnsmos:p835+p808@{fetch.digest('dnsmos')}", engine)


def _load(folder: Path, threads: int) -> _Sessions:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    p835, p808 = (
        onnxruntime.InferenceSession(str(folder / name), options, providers=["CPUExecutionProvider"])
        for name in ("sig_bak_ovr.onnx", "model_v8.onnx")
    )
    return p835, p808


class Dnsmos(NativeScorer[_Sessions]):
    """Four numbers of about 1 to 5, each the mean over windows of 9.01 s."""

    names = NAMES

    def measure(self, model: _Sessions, samples: NDArray[np.float32]) -> dict[str, float]:
        rows = [_score_window(model, window) for window in windows(np.clip(samples, -1.0, 1.0))]
        return {name: float(np.mean([row[name] for row in rows])) for name in NAMES}


def _score_window(sessions: _Sessions, window: NDArray[np.float32]) -> dict[str, float]:
    p835, p808 = sessions
    raw = p835.run(None, {"input_1": window[None]})[0][0]
    row = {
        name: float(np.polyval(fit, value))
        for (name, fit), value in zip(_FITS.items(), raw.tolist(), strict=True)
    }
    spectrogram = mel_decibels(window[:-_HOP])[None]
    return row | {"dnsmos_p808": float(p808.run(None, {"input_1": spectrogram})[0][0][0])}


def windows(samples: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Windows of 9.01 s, one a second, as the reference cuts them: a short clip is doubled until it is
    long enough, and a window that ends up a sample short of the length is left out."""
    length = int(_WINDOW_S * RATE_HZ)
    while len(samples) < length:
        samples = np.append(samples, samples)
    count = int(np.floor(len(samples) / RATE_HZ) - _WINDOW_S) + 1
    cut = [samples[at * RATE_HZ : int((at + _WINDOW_S) * RATE_HZ)] for at in range(count)]
    return [window for window in cut if len(window) == length]


def mel_decibels(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """The P.808 model's input, shape (frames, 120): mel power in dB below its peak (floor 80 dB),
    shifted and scaled as (dB + 40) / 40."""
    mel = np.maximum(mel_power(samples, _MELS, _FFT, _HOP, RATE_HZ, "constant"), 1e-10)
    decibels = 10 * np.log10(mel) - 10 * np.log10(mel.max())
    return ((np.maximum(decibels, -80.0) + 40) / 40).astype(np.float32)
