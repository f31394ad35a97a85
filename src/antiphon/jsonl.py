"""Rows on disk: typed records, appended and flushed, read back without a torn last line.

A row is one JSON object a line. A record is a frozen dataclass with class variables `KIND` and `V`;
its row carries them as `kind` and `v`, and readers accept version V and V-1.
"""

from __future__ import annotations

import dataclasses
import json
import os
from contextlib import suppress
from functools import cache
from threading import get_ident
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, TypeVar, cast

import msgspec

from antiphon.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Row = dict[str, Any]


class Record(Protocol):
    """A dataclass that can be a row. `upgrade` (optional, static) turns a V-1 row into a V row."""

    KIND: ClassVar[str]
    V: ClassVar[int]


R = TypeVar("R", bound=Record)


def dumps(row: object) -> str:
    """One line of JSON without its newline: UTF-8, keys in insertion order, no NaN."""
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character, as broken endpoints send: only an escape can carry it
        return json.dumps(row, separators=(",", ":"), allow_nan=False)
    return text


def to_row(record: Record) -> Row:
    """A record's row; fields at their default are left out. Raises TypeError for what JSON cannot carry."""
    return {"kind": record.KIND, "v": record.V, **_fields(record)}


def _fields(record: object) -> Row:
    defaults = _defaults(type(record))
    found: Row = {}
    for name, default in defaults.items():
        value = getattr(record, name)
        if value != default:
            found[name] = _plain(value)
    return found


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | int | float):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if isinstance(value, tuple | list):
        return [_plain(each) for each in cast("tuple[object, ...]", value)]
    return msgspec.to_builtins(value)


_REQUIRED = object()  # equals no value, so that a field without default is always written


@cache
def _defaults(kind: type[Any]) -> dict[str, object]:
    """Every field of a record with what it is when nobody says otherwise."""
    found: dict[str, object] = {}
    for field in dataclasses.fields(kind):
        if field.default is not dataclasses.MISSING:
            found[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            found[field.name] = field.default_factory()
        else:
            found[field.name] = _REQUIRED
    return found


def from_row(row: Row, kind: type[R], *, path: Path | str = "row", line: int | None = None) -> R:
    """The record in a row. Raises DataError that names file, line and field."""
    if row.get("kind") != kind.KIND:
        raise DataError(path, f"is {row.get('kind')!r}, not {kind.KIND!r}", line=line, field="kind")
    version = row.get("v")
    upgrade = getattr(kind, "upgrade", None)
    if version == kind.V - 1 and upgrade is not None:
        row = upgrade(row)
    elif version != kind.V:
        readable = f"{kind.V - 1} and {kind.V}" if upgrade else f"{kind.V}"
        problem = f"version {version!r} of {kind.KIND!r}; this Antiphon reads {readable}"
        raise DataError(path, problem, line=line, field="v")
    fields = {name: value for name, value in row.items() if name not in ("kind", "v")}
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise DataError(path, str(error), line=line, field=kind.KIND) from None


def read(path: Path) -> Iterator[Row]:
    """Rows of a file in order; an unfinished last line is dropped, any other bad line is a DataError."""
    for _, row in _numbered(path):
        yield row


def read_records(path: Path, kind: type[R]) -> list[R]:
    """Every record of one kind in a file."""
    return [from_row(row, kind, path=path, line=number) for number, row in _numbered(path)]


def _numbered(path: Path) -> Iterator[tuple[int, Row]]:
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.endswith(b"\n"):
                return  # a torn write: the process died inside it, so the row was never promised
            if raw.strip():
                yield number, _parse(raw, path, number)


def _parse(raw: bytes, path: Path, number: int) -> Row:
    try:
        row = json.loads(raw, parse_constant=_refuse)
    except ValueError as error:
        raise DataError(path, f"not JSON: {error}", line=number) from None
    if not isinstance(row, dict):
        raise DataError(path, f"a row must be an object, not {type(row).__name__}", line=number)
    return cast("Row", row)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


class Appender:
    """Appends rows to one file, each in a single write; a failed write leaves the file as it was.

    Opening drops an unfinished last line; DataError when the file can't be opened. A context manager.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise DataError(path, f"cannot be written ({error.strerror or error})") from error
        self._end = _end_of_last_line(self._fd)
        self._cut()

    def append(self, row: Row) -> None:
        """Write one row. Raises DataError when the disk takes only part of it; nothing is kept then."""
        data = (dumps(row) + "\n").encode()
        try:
            written = os.pwrite(self._fd, data, self._end)
            if written != len(data):
                raise OSError(f"only {written} of {len(data)} bytes fit")
        except OSError as error:
            self._cut()
            raise DataError(
                self.path, f"row not written ({error.strerror or error}); free some space and resume"
            ) from error
        self._end += len(data)

    def _cut(self) -> None:
        with suppress(OSError):  # a device has no length; readers drop a torn last line anyway
            os.ftruncate(self._fd, self._end)

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


def write_bytes(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Replace a file all or nothing: a reader sees the old bytes or the new ones, never a mix.

    `mode` is the new file's, less the umask. Raises DataError when the disk refuses; the old file is then untouched.
    """
    # The process and thread in the name: two writers of one file don't share a temporary one.
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise DataError(path, f"not written ({error.strerror or error})") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
