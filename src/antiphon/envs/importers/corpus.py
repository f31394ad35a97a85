"""Reading a corpus: JSON that may be gzipped, and the one wording for files that are not there."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from antiphon.envs.task import read_json
from antiphon.errors import ConfigError, DataError

if TYPE_CHECKING:
    from pathlib import Path


def first_of(folder: Path, *names: str) -> Path:
    """The first of these files that exists, plain or gzipped. Raises ConfigError naming them."""
    for name in names:
        for path in (folder / name, folder / f"{name}.gz"):
            if path.is_file():
                return path
    raise ConfigError(f"{folder} has no {' or '.join(names)} (or .gz); name the corpus's folder with --data")


def load(path: Path) -> Any:
    """Parsed JSON of a file, gzipped where its name says so. Raises DataError."""
    if path.suffix != ".gz":
        return read_json(path)
    try:
        return json.loads(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError, ValueError) as error:
        raise DataError(path, f"cannot be read ({error})") from None
