from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from antiphon.cache import Store, default_folder, key_of
from antiphon.errors import ConfigError

KEY = key_of("reply", "openai:m", {"seed": 1, "text": "你好"})


def test_a_key_is_the_hash_of_its_parts_in_one_spelling() -> None:
    canonical = '["reply","openai:m",{"seed":1,"text":"你好"}]'
    assert hashlib.sha256(canonical.encode()).hexdigest() == KEY
    assert key_of("reply", "openai:m", {"text": "你好", "seed": 1}) == KEY
    assert key_of("reply", "openai:m", {"text": "你好", "seed": 1.5}) != KEY


def test_bytes_come_back_from_two_levels_of_folders(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache")
    assert store.get(KEY) is None
    assert not (tmp_path / "cache").exists()
    store.put(KEY, b"\x00fLaC")
    store.put(KEY, b"\x01fLaC")
    assert store.get(KEY) == b"\x01fLaC"
    assert store.path(KEY) == tmp_path / "cache" / KEY[:2] / KEY
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == [store.path(KEY)]


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    store = Store(tmp_path)
    row = {"kind": "heard", "v": 1, "text": "你好", "pi": 3.14159, "none": None}
    store.put_row(KEY, row)
    assert store.get_row(KEY) == row
    assert store.get_row(key_of("other")) is None


@pytest.mark.parametrize("spoilt", [b"", b'{"kind":', b"[1]", b"\xff\xfe", b"null"])
def test_a_spoilt_row_is_a_miss_and_is_removed(spoilt: bytes, tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(KEY, spoilt)
    assert store.get_row(KEY) is None
    assert not store.path(KEY).exists()


@pytest.mark.parametrize("key", ["", "abc", "../../etc/passwd", "ab/cdef", ".hidden", "a b c d", "abcd\n"])
def test_a_key_that_is_no_plain_name_is_refused(key: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a cache key is letters and digits"):
        Store(tmp_path).get(key)


def test_a_folder_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    store = Store(tmp_path / "cache")
    assert store.get(KEY) is None
    with pytest.raises(ConfigError) as refused:
        store.put(KEY, b"x")
    assert str(refused.value) == (
        f"the cache {tmp_path / 'cache'} takes no entry (Not a directory); make room there, or set "
        "ANTIPHON_CACHE to a folder that can be written"
    )


FILL = """
import resource, sys
from pathlib import Path
from antiphon.cache import Store
from antiphon.errors import ConfigError
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
store = Store(Path(sys.argv[1]))
store.put("abcd", b"fits")
try:
    store.put("abcd", b"x" * 101)
except ConfigError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_entry_and_no_rest(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        f"the cache {tmp_path} takes no entry (File too large); make room there, or set ANTIPHON_CACHE to a "
        "folder that can be written\n"
    )
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "ab" / "abcd"]
    assert Store(tmp_path).get("abcd") == b"fits"


WRITE = """
import sys
from pathlib import Path
from antiphon.cache import Store
store = Store(Path(sys.argv[1]))
for _ in range(60):
    store.put_row("abcd", {"by": sys.argv[2] * 5000})
    row = store.get_row("abcd")
    assert row is not None and len(row["by"]) == 5000 and len(set(row["by"])) == 1, row
"""


def test_processes_share_a_store_without_mixing_entries(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path), name]) for name in "xy"]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert [path.name for path in (tmp_path / "ab").iterdir()] == ["abcd"]


def test_the_default_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTIPHON_CACHE", "/big/disk")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    monkeypatch.setenv("HOME", "/home/mei")
    assert default_folder() == Path("/big/disk")
    monkeypatch.setenv("ANTIPHON_CACHE", "~/cache")
    assert default_folder() == Path("/home/mei/cache")
    monkeypatch.setenv("ANTIPHON_CACHE", "")
    assert default_folder() == Path("/xdg/antiphon")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_folder() == Path("/home/mei/.cache/antiphon")
