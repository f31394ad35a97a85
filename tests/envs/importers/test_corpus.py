from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from antiphon.envs.importers.corpus import first_of, load
from antiphon.errors import ConfigError, DataError


def test_json_is_read_plain_or_gzipped(tmp_path: Path):
    (tmp_path / "a.json").write_text('{"n": 1}')
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(b'{"n": 2}'))
    assert load(first_of(tmp_path, "a.json")) == {"n": 1}
    assert load(first_of(tmp_path, "c.json", "b.json")) == {"n": 2}


def test_missing_and_torn_files_are_told(tmp_path: Path):
    with pytest.raises(
        ConfigError, match=r"has no db\.json \(or \.gz\); name the corpus's folder with --data"
    ):
        first_of(tmp_path, "db.json")
    torn = tmp_path / "torn.json.gz"
    torn.write_bytes(gzip.compress(b'{"n": 2}' * 99)[:-12])
    with pytest.raises(DataError, match="cannot be read"):
        load(torn)
