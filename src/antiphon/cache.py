"""The cache: bytes and rows kept by the hash of what they were made from."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from antiphon.errors import ConfigError, DataError
from antiphon.ids import hash_json
from antiphon.jsonl import dumps, write_bytes

if TYPE_CHECKING:
    from antiphon.jsonl import Row

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{3,}(\.[A-Za-z0-9]+)?")


def default_folder() -> Path:
    """Where caches live: $ANTIPHON_CACHE, else `antiphon` in $XDG_CACHE_HOME, else in ~/.cache."""
    if chosen := os.environ.get("ANTIPHON_CACHE"):
        return Path(chosen).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "antiphon"


def key_of(*parts: object) -> str:
    """The key for what these JSON values decide: a SHA-256 in hex."""
    return hash_json(parts)


class Store:
    """Entries in two levels of folders, each replaced as a whole, so processes may share a store.

    Opening does nothing; folders come with the first `put`. An entry that cannot be read is a miss.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Where an entry is or would be. Raises ValueError for a key that is no plain name."""
        if not _KEY.fullmatch(key):
            raise ValueError(f"a cache key is letters and digits (a hash), not {key!r}")
        return self.folder / key[:2] / key

    def get(self, key: str) -> bytes | None:
        """The bytes, or None."""
        try:
            return self.path(key).read_bytes()
        except OSError:
            return None

    def put(self, key: str, data: bytes) -> None:
        """Keep bytes, all or nothing. Raises ConfigError where the folder takes no more."""
        path = self.path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(path, data)
        except (OSError, DataError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            reason = getattr(cause, "strerror", None) or error
            raise ConfigError(
                f"the cache {self.folder} takes no entry ({reason}); "
                "make room there, or set ANTIPHON_CACHE to a folder that can be written"
            ) from error

    def get_row(self, key: str) -> Row | None:
        """The row, or None. An entry that is not a row is removed."""
        data = self.get(key)
        if data is None:
            return None
        try:
            row = json.loads(data)
        except ValueError:
            row = None
        if isinstance(row, dict):
            return cast("Row", row)
        with suppress(OSError):
            self.path(key).unlink()
        return None

    def put_row(self, key: str, row: Row) -> None:
        """Keep a row. Raises ConfigError where the folder takes no more."""
        self.put(key, dumps(row).encode())
