"""Sealing: the rows that were asked for, in input order, in one file that is replaced as a whole.

Rows that nobody asks for now (a smaller --limit, an item that was removed) are never lost: they wait in
the journal until they are asked for again.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from antiphon.errors import DataError
from antiphon.jsonl import Record, from_row, read
from antiphon.stage.journal import journal_path
from antiphon.stage.outcome import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

R = TypeVar("R", bound=Record)


class Line(NamedTuple):
    """Where a row is, and whether it is a failure (and then: one to repeat)."""

    path: Path
    offset: int
    length: int
    failed: bool
    transient: bool


class _Head(msgspec.Struct):
    key: str
    kind: str = ""


class _FailureHead(msgspec.Struct):
    transient: bool


def lines(out: Path) -> dict[str, Line]:
    """The newest row of every key, sealed or in the journal. Raises DataError for a bad line."""
    found: dict[str, Line] = {}
    for path in (out, journal_path(out)):
        if path.exists():
            found.update(_scan(path))
    return found


def seal(out: Path, keys: Sequence[str]) -> int:
    """Make `out` the rows of `keys` in that order; how many are failures.

    A kill between any two steps leaves every row in one of the two files. Raises DataError when the disk
    is full; nothing is lost then.
    """
    journal, rows = journal_path(out), lines(out)
    asked = dict.fromkeys(keys)
    failed = sum(rows[key].failed for key in asked)
    if out.exists() and [key for key, line in rows.items() if line.path == out] == list(asked):
        return failed  # sealed like this already; only rows that nobody asks for are in the journal
    if any(line.path == out for key, line in rows.items() if key not in asked):
        _replace(journal, rows.values())
        rows = dict(_scan(journal))
    _replace(out, (rows[key] for key in asked))
    if spare := [line for key, line in rows.items() if key not in asked]:
        _replace(journal, spare)
    else:
        journal.unlink(missing_ok=True)
    return failed


def read_sealed(path: Path, kind: type[R]) -> tuple[list[R], list[Failure]]:
    """The records of a sealed file and its failures, each in file order. Raises DataError."""
    records: list[R] = []
    failures: list[Failure] = []
    for number, row in enumerate(read(path), start=1):
        if row.get("kind") == Failure.KIND:
            failures.append(from_row(row, Failure, path=path, line=number))
        else:
            records.append(from_row(row, kind, path=path, line=number))
    return records, failures


def _scan(path: Path) -> Iterator[tuple[str, Line]]:
    offset = 0
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.endswith(b"\n"):
                return  # torn by a kill: never promised
            try:
                head = msgspec.json.decode(raw, type=_Head)
                failed = head.kind == Failure.KIND
                transient = failed and msgspec.json.decode(raw, type=_FailureHead).transient
            except msgspec.MsgspecError as error:
                raise DataError(path, f"not a stage's row: {error}", line=number) from None
            yield head.key, Line(path, offset, len(raw), failed, transient)
            offset += len(raw)


def _replace(path: Path, rows: Iterable[Line]) -> None:
    part = path.with_name(f".{path.name}.part")  # one name: what a kill leaves is overwritten next time
    try:
        with ExitStack() as stack:
            fds: dict[Path, int] = {}
            file = stack.enter_context(part.open("wb"))
            for line in rows:
                if line.path not in fds:
                    fds[line.path] = stack.enter_context(line.path.open("rb")).fileno()
                file.write(os.pread(fds[line.path], line.length, line.offset))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise DataError(path, f"not written ({error.strerror}); free some space and resume") from error
