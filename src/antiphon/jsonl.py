"""Rows on disk: typed records, appended and flushed, read back without a torn last line.

A row is one JSON object a line. A record is a frozen dataclass with class variables `KIND` and `V`;
its row carries them as `kind` and `v`, and readers accept version V and V-1.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, cast

import msgspec

from antiphon.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Row = dict[str, Any]


class Record(Protocol):
    """A dataclass that can be a row. `upgrade` (optional, static) turns a V-1 row into a V row."""

    KIND: ClassVar[str]
    V: ClassVar[int]


R = TypeVar("R", bound=Record)


def dumps(row: object) -> str:
    """One line of JSON without its newline: UTF-8, keys in insertion order, no NaN."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def to_row(record: Record) -> Row:
    """A record's row. Raises TypeError for fields that JSON cannot carry."""
    fields = cast("Row", msgspec.to_builtins(record))
    return {"kind": record.KIND, "v": record.V, **fields}


def from_row(row: Row, kind: type[R], *, path: Path | str = "row", line: int | None = None) -> R:
    """The record in a row. Raises DataError that names file, line and field."""
    if row.get("kind") != kind.KIND:
        raise DataError(path, f"is {row.get('kind')!r}, not {kind.KIND!r}", line=line, field="kind")
    version = row.get("v")
    if version == kind.V - 1 and (upgrade := getattr(kind, "upgrade", None)) is not None:
        row = upgrade(row)
    elif version != kind.V:
        raise DataError(
            path, f"version {version!r} of {kind.KIND!r}; this Antiphon reads {kind.V - 1} and {kind.V}",
            line=line, field="v",
        )  # fmt: skip
    fields = {name: value for name, value in row.items() if name not in ("kind", "v")}
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise DataError(path, str(error), line=line, field=kind.KIND) from None


def read(path: Path) -> Iterator[Row]:
    """Rows of a file in order; an unfinished last line is dropped, any other bad line is a DataError."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.endswith(b"\n"):
                return  # a torn write: the process died inside it, so the row was never promised
            if raw.strip():
                yield _parse(raw, path, number)


def read_records(path: Path, kind: type[R]) -> list[R]:
    """Every record of one kind in a file."""
    rows = enumerate(read(path), start=1)
    return [from_row(row, kind, path=path, line=number) for number, row in rows]


def _parse(raw: bytes, path: Path, number: int) -> Row:
    try:
        row = json.loads(raw)
    except ValueError as error:
        raise DataError(path, f"not JSON: {error}", line=number) from None
    if not isinstance(row, dict):
        raise DataError(path, f"a row must be an object, not {type(row).__name__}", line=number)
    return cast("Row", row)


class Appender:
    """Appends rows to one file, each in a single write; a failed write leaves the file as it was.

    Opening drops an unfinished last line. Use as a context manager.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._end = _end_of_last_line(self._fd)
        os.ftruncate(self._fd, self._end)

    def append(self, row: Row) -> None:
        """Write one row. Raises DataError when the disk takes only part of it; nothing is kept then."""
        data = (dumps(row) + "\n").encode()
        try:
            written = os.pwrite(self._fd, data, self._end)
            if written != len(data):
                raise OSError(f"only {written} of {len(data)} bytes fit")
        except OSError as error:
            os.ftruncate(self._fd, self._end)
            raise DataError(
                self.path, f"row not written ({error.strerror or error}); free some space and resume"
            ) from error
        self._end += len(data)

    def sync(self) -> None:
        """Ask the disk to keep what was written even through a power cut."""
        os.fsync(self._fd)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Appender:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _end_of_last_line(fd: int) -> int:
    size = os.fstat(fd).st_size
    position = size
    while position > 0:
        start = max(0, position - 4096)
        found = os.pread(fd, position - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return 0


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Replace a file by these rows, all or nothing."""
    write_bytes(path, "".join(dumps(row) + "\n" for row in rows).encode())


def write_text(path: Path, text: str) -> None:
    """Replace a file by this text, all or nothing."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file all or nothing: a reader sees the old bytes or the new ones, never a mix.

    Raises DataError when the disk refuses; the old file is then untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    name = ""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            name = file.name
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        raise DataError(path, f"not written ({error.strerror or error})") from error
