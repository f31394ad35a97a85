"""The lock on a run folder: one writer at a time, freed by the system when its process dies."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

from antiphon.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_held: set[Path] = set()  # the folders this process has locked


@contextmanager
def lock(folder: Path) -> Generator[None]:
    """Be the only writer of `folder` (made if absent). Raises ConfigError naming the process that is.

    The lock is the system's on `folder/.lock`, so a killed process leaves none behind.
    """
    fd = _open(folder)
    try:
        _take(fd, folder)
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps({"pid": os.getpid(), "host": socket.gethostname()}).encode(), 0)
        place = folder.resolve()
        _held.add(place)
        try:
            yield
        finally:
            _held.discard(place)
            os.ftruncate(fd, 0)
    finally:
        os.close(fd)


@contextmanager
def lock_unless_held(folder: Path) -> Generator[None]:
    """`lock`, or nothing where this process holds it already: a stage inside a locked run.

    Whoever runs several stages of one folder at once holds the lock around them all.
    """
    if folder.resolve() in _held:
        yield
    else:
        with lock(folder):
            yield


def _open(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written ({error.strerror}); choose another --out") from error


def _take(fd: int, folder: Path) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ConfigError(
            f"{folder} is being written by {_owner(fd)}; wait for it, stop it, or choose another --out"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"{folder} cannot be locked ({error.strerror}); choose an --out on another file system"
        ) from error


def _owner(fd: int) -> str:
    try:
        owner = json.loads(os.pread(fd, 4096, 0))
        return f"process {owner['pid']} on {owner['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"  # it has the lock and has not written its name yet
