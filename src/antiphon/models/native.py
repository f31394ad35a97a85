"""Models that run in this process: is the package here, load once, one call at a time off the event loop."""

from __future__ import annotations

import asyncio
import importlib.util
import threading
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


class Engines(Generic[T]):
    """One engine for each setting, shared by everyone in the process who asks for the same."""

    def __init__(self) -> None:
        self._engines: dict[tuple[object, ...], Engine[T]] = {}

    def get(self, key: tuple[object, ...], load: Callable[[], T]) -> Engine[T]:
        return self._engines.setdefault(key, Engine(load))
