"""The journal: rows of a stage in the order in which they finished, and the blobs that belong to them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from antiphon.errors import DataError
from antiphon.jsonl import Appender, to_row
from antiphon.stage.outcome import Failed, Failure

if TYPE_CHECKING:
    from pathlib import Path

    from antiphon.jsonl import Row
    from antiphon.stage.outcome import Made, Outcome


def journal_path(out: Path) -> Path:
    """`takes.journal.jsonl` for `takes.jsonl`."""
    return out.with_name(f"{out.stem}.journal.jsonl")


class Journal:
    """Writes outcomes, blobs before the row that names them. Use as a context manager: leaving it asks
    the disk to keep everything, however the stage ended.

    Rows and blobs reach the system one by one, so killing this process loses nothing that was kept;
    they reach the disk at the end, so a power cut may cost the last half minute.
    """

    def __init__(self, out: Path) -> None:
        self._folder = out.parent
        self._part = f".{out.stem}.part"
        self._rows = Appender(journal_path(out))
        self._has_blobs = False

    def keep(self, key: str, outcome: Outcome) -> None:
        """Write one outcome. Raises DataError when the disk refuses (nothing half-written remains),
        ValueError or TypeError for a row or blob name that no worker may return."""
        if isinstance(outcome, Failed):
            self._rows.append(to_row(Failure(key, outcome.reason, outcome.transient)))
            return
        row = _with_key(key, outcome)
        for name, data in outcome.blobs.items():
            self._keep_blob(name, data)
        self._rows.append(row)

    def _keep_blob(self, name: str, data: bytes) -> None:
        path = self._folder / name
        if ".." in path.parts or not path.is_relative_to(self._folder) or path == self._folder:
            raise ValueError(f"blob name {name!r} leaves the run's folder")
        part = path.with_name(self._part)
        try:
            if not _created(path, data) and not _holds(path, data):
                part.write_bytes(data)
                part.replace(path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise DataError(path, f"not written ({error.strerror}); free some space and resume") from error
        self._has_blobs = True

    def _sync(self) -> None:
        if self._has_blobs:
            os.sync()  # one call for all of them: thousands of fsyncs cost more than everything else here
        self._rows.sync()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._sync()
        except OSError as error:
            raise DataError(self._rows.path, f"not kept by the disk ({error.strerror})") from error
        finally:
            self._rows.close()


def _with_key(key: str, made: Made) -> Row:
    row = made.row
    if row.get("key", key) != key:
        raise ValueError(f"`key` names the record ({key!r}); the row uses it for {row['key']!r}")
    if row.get("kind") == Failure.KIND:
        raise ValueError(f"a row of kind {Failure.KIND!r} is the stage's own; return Failed instead")
    head = {name: row[name] for name in ("kind", "v") if name in row}
    return {**head, "key": key, **row}


def _created(path: Path, data: bytes) -> bool:
    """Write a new file in one go; False where there is one. No rename is needed: a file cut short by a
    kill has no row yet, and the next attempt finds that it does not hold the bytes."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        return False
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _created(path, data)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left) :]
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(fd)
    return True


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except FileNotFoundError:
        return False
