"""Progress of a stage: a bar for a person at a terminal, a line now and then for a log, or nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

from antiphon.clock import RealClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from antiphon.clock import Clock

_REAL = RealClock()
_EVERY_US = 10_000_000  # between two lines of a log
_REFRESHES_PER_SECOND = 2  # a bar must not take time from what is being measured


class Progress(Protocol):
    """Who watches a stage: `reused` of `total` records are there already, the rest arrive by `advance`."""

    def start(self, total: int, reused: int) -> None: ...

    def advance(self, done: int, failed: int) -> None: ...

    def stop(self) -> None: ...


class Silent:
    """Nobody watches."""

    def start(self, total: int, reused: int) -> None: ...

    def advance(self, done: int, failed: int) -> None: ...

    def stop(self) -> None: ...


def progress(name: str, clock: Clock = _REAL) -> Progress:
    """A bar on standard error where that is a terminal (colourless under NO_COLOR), else lines."""
    from rich.console import Console

    console = Console(stderr=True)
    return Bar(name, console, clock) if console.is_interactive else Lines(name, _to_stderr, clock)


class Tally:
    """Counts, rate and time left, in words."""

    def __init__(self, total: int, reused: int, clock: Clock) -> None:
        self.total, self.reused, self.done, self.failed = total, reused, reused, 0
        self._clock = clock
        self._began_us = clock.mono_us()

    def add(self, done: int, failed: int) -> None:
        self.done += done
        self.failed += failed

    @property
    def elapsed_us(self) -> int:
        return self._clock.mono_us() - self._began_us

    def __str__(self) -> str:
        """`120/2000, 3 failed, 4.1/s, 7:38 left`; at the end the time taken instead of the time left."""
        made = self.done - self.reused
        parts = [f"{self.done}/{self.total}"]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.reused:
            parts.append(f"{self.reused} reused")
        if made and self.elapsed_us > 0:
            rate = made * 1e6 / self.elapsed_us
            parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{1 / rate:.1f} s each")
            left_us = (self.total - self.done) * self.elapsed_us / made
            parts.append(f"{_spelt(left_us)} left" if left_us else f"in {_spelt(self.elapsed_us)}")
        return ", ".join(parts)


class Lines:
    """One plain line every ten seconds and one at the end."""

    def __init__(self, name: str, write: Callable[[str], object], clock: Clock = _REAL) -> None:
        self._name = name
        self._write = write
        self._clock = clock

    def start(self, total: int, reused: int) -> None:
        self._tally = Tally(total, reused, self._clock)
        self._next_us = _EVERY_US

    def advance(self, done: int, failed: int) -> None:
        self._tally.add(done, failed)
        if self._tally.done < self._tally.total and self._tally.elapsed_us >= self._next_us:
            self._next_us = self._tally.elapsed_us + _EVERY_US
            self._say()

    def stop(self) -> None:
        self._say()

    def _say(self) -> None:
        self._write(f"{self._name}: {self._tally}\n")


class Bar:
    """One line that moves: name, bar, and the tally."""

    def __init__(self, name: str, console: Any, clock: Clock = _REAL) -> None:
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._clock = clock
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[tally]}"),
            console=console,
            refresh_per_second=_REFRESHES_PER_SECOND,
        )
        self._task = self._bar.add_task(name, start=False, total=None, tally="")

    def start(self, total: int, reused: int) -> None:
        self._tally = Tally(total, reused, self._clock)
        self._bar.start()
        self._bar.start_task(self._task)
        self._show()

    def advance(self, done: int, failed: int) -> None:
        self._tally.add(done, failed)
        self._show()

    def stop(self) -> None:
        self._show()
        self._bar.stop()

    def _show(self) -> None:
        tally = self._tally
        self._bar.update(self._task, total=tally.total, completed=tally.done, tally=tally)


def _to_stderr(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _spelt(duration_us: float) -> str:
    """`7:38`, `1:02:03`."""
    minutes, seconds = divmod(round(duration_us / 1e6), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
