"""One network of Silero's for the live streams of many sessions: in batches, beside the loop that sends sound.

A few streams are asked at once, where they stand. Many are gathered for a moment and run together by a thread of
its own, which costs half as much a window; their probabilities come with the stream's next push, in their order.
"""

from __future__ import annotations

import atexit
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

import numpy as np

from antiphon.audio.vad import WINDOW

if TYPE_CHECKING:
    from numpy.typing import NDArray

# So many streams cost the loop less than handing them over would.
ALONE = 6
# Frames of a stream come 20 ms apart: what is gathered for so long is ready for the next one.
GATHER_S = 0.008
_BEFORE = 64  # samples of the last window that the network hears again
_STATE = 128


class Network(Protocol):
    """Windows of shape (n, 576) and states of shape (2, n, 128) in; probabilities (n,) and states out."""

    def __call__(
        self, windows: NDArray[np.float32], states: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...


@dataclass(eq=False)
class CrowdVad:
    """Speech probabilities of one live stream, like `Vad`, which may come one push late."""

    crowd: Crowd
    rest: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    before: NDArray[np.float32] = field(default_factory=lambda: np.zeros(_BEFORE, dtype=np.float32))
    state: NDArray[np.float32] = field(default_factory=lambda: np.zeros((2, _STATE), dtype=np.float32))
    waiting: int = 0  # windows that the thread has not answered
    found: list[float] = field(default_factory=list[float])

    def push(self, samples: NDArray[np.float32]) -> list[float]:
        """Take the next 16 kHz samples in -1..1, shape (n,); the probabilities that are known and were not told."""
        heard = np.concatenate([self.rest, samples.astype(np.float32, copy=False)])
        whole = len(heard) // WINDOW * WINDOW
        self.rest = heard[whole:]
        return self.crowd.take(self, [*heard[:whole].reshape(-1, WINDOW)])


class Crowd:
    """The network and its streams. `gather_s` None: nothing runs by itself, `run_once` does."""

    def __init__(self, network: Network, alone: int = ALONE, gather_s: float | None = GATHER_S) -> None:
        self._network, self._alone, self._gather_s = network, alone, gather_s
        self._streams: WeakSet[CrowdVad] = WeakSet()
        self._queue: list[tuple[CrowdVad, NDArray[np.float32]]] = []
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._stopped = False

    def stream(self) -> CrowdVad:
        """Another stream; it counts as long as somebody holds it."""
        made = CrowdVad(self)
        with self._change:
            self._streams.add(made)
        return made

    def take(self, stream: CrowdVad, windows: list[NDArray[np.float32]]) -> list[float]:
        """Windows in, what is known of the stream out. Raises what the network raised in the thread."""
        with self._change:
            if self._failure is not None:
                raise self._failure
            direct = stream.waiting == 0 and len(self._streams) <= self._alone
            if windows and not direct:
                stream.waiting += len(windows)
                self._queue += [(stream, window) for window in windows]
                self._start()
                self._change.notify()
            found, stream.found = stream.found, []
        if direct:
            for window in windows:
                found += self._infer([(stream, window)])
        return found

    def run_once(self) -> int:
        """Answer the oldest window of every stream that waits; how many those were."""
        with self._change:
            batch: dict[CrowdVad, NDArray[np.float32]] = {}
            later: list[tuple[CrowdVad, NDArray[np.float32]]] = []
            for stream, window in self._queue:
                if stream in batch:
                    later.append((stream, window))
                else:
                    batch[stream] = window
            self._queue = later
        if batch:
            pairs = list(batch.items())
            for (stream, _), probability in zip(pairs, self._infer(pairs), strict=True):
                with self._change:
                    stream.found.append(probability)
                    stream.waiting -= 1
        return len(batch)

    def stop(self) -> None:
        """End the thread after the batch that it is at; windows that still wait are not answered."""
        with self._change:
            self._stopped = True
            self._change.notify()
        if self._thread is not None:
            self._thread.join()

    def _infer(self, pairs: list[tuple[CrowdVad, NDArray[np.float32]]]) -> list[float]:
        inputs = np.stack([np.concatenate([stream.before, window]) for stream, window in pairs])
        found, states = self._network(inputs, np.stack([stream.state for stream, _ in pairs], axis=1))
        for at, (stream, window) in enumerate(pairs):
            stream.before, stream.state = window[-_BEFORE:], states[:, at]
        return [float(each) for each in found]

    def _start(self) -> None:
        if self._thread is None and self._gather_s is not None and not self._stopped:
            self._thread = threading.Thread(target=self._work, name="vad", daemon=True)
            self._thread.start()
            # An interpreter that ends under a daemon thread inside the network aborts the process.
            atexit.register(self.stop)

    def _work(self) -> None:
        pause = threading.Event()  # never set: a wait that is a pause
        try:
            while True:
                with self._change:
                    self._change.wait_for(lambda: self._queue or self._stopped)
                if self._stopped:
                    return
                pause.wait(self._gather_s)
                while not self._stopped and self.run_once():
                    pass
        except BaseException as error:  # noqa: BLE001 - told to every stream at its next push
            with self._change:
                self._failure = error
