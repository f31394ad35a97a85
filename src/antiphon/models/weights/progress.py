"""How a download tells what it does: a small protocol, silence, and a Rich bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress as RichBars
    from rich.progress import TaskID


class Progress(Protocol):
    """Who wants to know. `moved` may come many times a file; bytes count from the file's start."""

    def moved(self, file: str, source: str, done_bytes: int, total_bytes: int) -> None: ...

    def note(self, text: str) -> None: ...


class Silent:
    """Nobody wants to know."""

    def moved(self, file: str, source: str, done_bytes: int, total_bytes: int) -> None:
        pass

    def note(self, text: str) -> None:
        pass


class Bars:
    """One bar a file on the terminal (standard error); a line a file where it is none. A context manager."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

        self._console = Console(stderr=True)
        self._bars: RichBars = Progress(
            TextColumn("fetching"), BarColumn(20), DownloadColumn(), TransferSpeedColumn(),
            TextColumn("{task.description}", markup=False),
            console=self._console, disable=not self._console.is_terminal,
        )  # fmt: skip
        self._tasks: dict[str, TaskID] = {}

    def moved(self, file: str, source: str, done_bytes: int, total_bytes: int) -> None:
        if file not in self._tasks:
            self._tasks[file] = self._bars.add_task(file, total=total_bytes)
            if not self._console.is_terminal:
                self.note(f"fetching {file}, {total_bytes / 1e6:,.0f} MB, from {source}")
        self._bars.update(self._tasks[file], completed=done_bytes)

    def note(self, text: str) -> None:
        self._console.print(text, style="dim", highlight=False, markup=False, soft_wrap=True)

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()
