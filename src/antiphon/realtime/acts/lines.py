"""Labelled lines as a file: what a line does, a tab, and the line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from antiphon.errors import DataError
from antiphon.realtime.acts.classifier import ACTS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

OURS = "lines.tsv"


@dataclass(frozen=True, slots=True)
class Line:
    """A line and what it does, one of ACTS."""

    act: str
    text: str


def ours() -> list[Line]:
    """The lines that ship with the package; none of them is in a set."""
    with as_file(files("antiphon.realtime.acts") / OURS) as path:
        return read(path)


def read(path: Path) -> list[Line]:
    """Lines of a file; empty ones are passed over. Raises DataError with the place of what is no such line."""
    try:
        rows = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(path, f"not a readable text file ({error})") from error
    found = [_line(path, number, row) for number, row in enumerate(rows, 1) if row.strip()]
    if not found:
        raise DataError(path, "no lines; each is an act, a tab and the words")
    return found


def _line(path: Path, number: int, row: str) -> Line:
    act, tab, text = row.partition("\t")
    if not tab or not text.strip():
        raise DataError(path, f"{row[:40]!r} is no act, a tab and words", line=number)
    if act not in ACTS:
        raise DataError(path, f"unknown act {act!r}; there are: {', '.join(ACTS)}", line=number)
    return Line(act, text.strip())


def counted(lines: Iterable[Line]) -> dict[str, int]:
    """How many lines there are of each act."""
    counts = Counter(line.act for line in lines)
    return {act: counts[act] for act in ACTS}
