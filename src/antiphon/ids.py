"""Identity and randomness: content hashes, and generators seeded by what they are for."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK = 1 << 20


def hash_bytes(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def hash_file(path: Path) -> str:
    """SHA-256 of a file's bytes in hex, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def hash_json(value: object) -> str:
    """SHA-256 of a JSON value in its one canonical spelling (sorted keys, no spaces, UTF-8)."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hash_bytes(text.encode(errors="surrogatepass"))


def seed_for(seed: int, *parts: str | int) -> int:
    """A 63-bit seed that depends on `seed` and on every part, and on nothing else."""
    return int(hash_json([seed, *parts])[:16], 16) >> 1


def rng(seed: int, *parts: str | int) -> np.random.Generator:
    """A generator for one purpose: the same seed and parts always give the same numbers."""
    return np.random.default_rng(seed_for(seed, *parts))
