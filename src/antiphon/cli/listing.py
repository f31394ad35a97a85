"""Lists in the terminal: at most 100 columns, words as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

WIDTH = 100


def console() -> Console:
    """Standard output, no wider than 100 columns; where it is no terminal, just that wide."""
    from rich.console import Console

    found = Console(highlight=False)
    return Console(width=min(WIDTH, found.width) if found.is_terminal else WIDTH, highlight=False)


def show(titles: Sequence[str], rows: Sequence[Sequence[str]], *, whole: Sequence[int] = (0,)) -> None:
    """Print rows under titles. Columns whose number is in `whole` are never broken."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0), show_header=any(titles))
    for number, title in enumerate(titles):
        table.add_column(title, no_wrap=number in whole)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console().print(table)
