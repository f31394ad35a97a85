"""The cache of weights on disk: where it is, one writer at a time, and which files were proved right."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from antiphon.ids import hash_file
from antiphon.jsonl import write_text

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from antiphon.models.weights.progress import Progress
    from antiphon.models.weights.table import File

_PROVED = ".verified.json"


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """`$ANTIPHON_CACHE`, else `antiphon` in the user's cache folder."""
    if chosen := environ.get("ANTIPHON_CACHE"):
        return Path(chosen).expanduser()
    return Path(environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "antiphon"


@contextmanager
def one_writer(folder: Path, progress: Progress) -> Generator[None]:
    """Hold a weight's folder; another process that fetches the same waits here."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.note(f"another process is fetching {folder.name}; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def is_right(folder: Path, file: File, *, again: bool = False) -> bool:
    """Whether a file has its bytes. Hashed once and remembered by size and time; `again` hashes anyway."""
    path = folder / file.name
    try:
        stat = path.stat()
    except FileNotFoundError:
        return False
    if stat.st_size != file.size:
        return False
    mark = [stat.st_size, stat.st_mtime_ns, file.sha256]
    if not again and _proved(folder).get(file.name) == mark:
        return True
    right = hash_file(path) == file.sha256
    remember(folder, file, right=right)
    return right


def remember(folder: Path, file: File, *, right: bool) -> None:
    """Note that a file was hashed. A folder that cannot be written to is only slower the next time."""
    proved = _proved(folder)
    proved.pop(file.name, None)
    if right:
        stat = (folder / file.name).stat()
        proved[file.name] = [stat.st_size, stat.st_mtime_ns, file.sha256]
    if os.access(folder, os.W_OK):
        write_text(folder / _PROVED, json.dumps(proved, indent=1) + "\n")


def _proved(folder: Path) -> dict[str, object]:
    try:
        known = json.loads((folder / _PROVED).read_text())
    except (FileNotFoundError, ValueError):
        return {}  # never proved, or a torn note: hash again
    return known if isinstance(known, dict) else {}


def digest_of(path: Path, environ: Mapping[str, str] = os.environ) -> str:
    """Twelve hex digits that name the bytes of a file of the user's own, hashed once and remembered.

    Raises OSError when it cannot be read.
    """
    stat = path.stat()
    notes = cache_folder(environ) / "weights"
    key = str(path.resolve())
    mark = [stat.st_size, stat.st_mtime_ns]
    known = _proved(notes)
    match known.get(key):
        case [size, mtime_ns, str(digest)] if [size, mtime_ns] == mark:
            return digest
        case _:
            digest = hash_file(path)[:12]
    notes.mkdir(parents=True, exist_ok=True)
    write_text(notes / _PROVED, json.dumps(known | {key: [*mark, digest]}, indent=1) + "\n")
    return digest
