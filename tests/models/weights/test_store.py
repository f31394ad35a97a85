from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from antiphon.models.weights import store


def test_the_cache_is_where_the_environment_says() -> None:
    assert store.cache_folder({"ANTIPHON_CACHE": "/a", "XDG_CACHE_HOME": "/b"}) == Path("/a")
    assert store.cache_folder({"XDG_CACHE_HOME": "/b"}) == Path("/b/antiphon")
    assert store.cache_folder({}) == Path("~/.cache/antiphon").expanduser()


def test_a_users_own_file_is_named_by_its_bytes_and_hashed_once(tmp_path: Path) -> None:
    environ = {"ANTIPHON_CACHE": str(tmp_path / "cache")}
    path = tmp_path / "model.gguf"
    path.write_bytes(b"one")
    first = store.digest_of(path, environ)
    assert first == hashlib.sha256(b"one").hexdigest()[:12]
    note = tmp_path / "cache" / "weights" / ".verified.json"
    note.write_text(json.dumps({str(path): [3, path.stat().st_mtime_ns, "remembered00"]}))
    assert store.digest_of(path, environ) == "remembered00"
    path.write_bytes(b"two")
    os.utime(path, ns=(0, 0))
    assert store.digest_of(path, environ) == hashlib.sha256(b"two").hexdigest()[:12]
