"""Models that run in this process: is the package here, load once, one call at a time off the event loop."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from antiphon.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
R = TypeVar("R")

LOCAL = "pip install 'antiphon[local]'"


def need(package: str, remedy: str = LOCAL) -> None:
    """Check that a package can be imported, without importing it. Raises UnavailableError."""
    if importlib.util.find_spec(package) is None:
        raise UnavailableError(f"the package {package} is missing", remedy)


class Engine(Generic[T]):
    """A native model: loaded at its first use, kept, and used by one thread at a time."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._loaded: T | None = None

    async def run(self, work: Callable[[T], R]) -> R:
        """Work with the model in a thread; the event loop stays free. Cancelling does not stop the
        native call, it only stops waiting for it."""
        return await asyncio.to_thread(self.run_here, work)

    async def warm(self) -> None:
        """Load the model now, so that no measured call pays for it."""
        await self.run(lambda _: None)

    def run_here(self, work: Callable[[T], R]) -> R:
        """Work with the model in this thread."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load_or_say()
            return work(self._loaded)

    def _load_or_say(self) -> T:
        try:
            return self._load()
        except ImportError as error:  # installed, and broken: a library of the system is missing, say
            raise UnavailableError(f"a package is here but does not load ({error})", LOCAL) from error


@dataclass(frozen=True, slots=True)
class _Raised:
    """An error on its way from the native thread to the event loop."""

    error: Exception


class Relay(Generic[T]):
    """What a native thread hands to the event loop, in order; nothing any more once `stopped` is set."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self._queue: asyncio.Queue[T | _Raised] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()

    def put(self, value: T) -> None:
        """From the thread."""
        self._hand_over(value)

    def fail(self, error: Exception) -> None:
        """From the thread: `next` raises this."""
        self._hand_over(_Raised(error))

    async def next(self, left_s: float | None) -> T:
        """On the loop: what comes next. Raises TimeoutError when nothing does, and what `fail` was given."""
        async with asyncio.timeout(left_s):
            value = await self._queue.get()
        if isinstance(value, _Raised):
            raise value.error
        return value

    def _hand_over(self, value: T | _Raised) -> None:
        if not self.stopped.is_set():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, value)


class Engines(Generic[T]):
    """One engine for each setting, shared by everyone in the process who asks for the same."""

    def __init__(self) -> None:
        self._engines: dict[tuple[object, ...], Engine[T]] = {}

    def get(self, key: tuple[object, ...], load: Callable[[], T]) -> Engine[T]:
        return self._engines.setdefault(key, Engine(load))
