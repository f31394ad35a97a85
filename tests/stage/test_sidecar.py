from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antiphon.errors import ConfigError, DataError
from antiphon.stage.journal import journal_path
from antiphon.stage.sidecar import claim, sidecar_path

if TYPE_CHECKING:
    from pathlib import Path

ROW = '{"key":"a"}\n'


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "takes.jsonl"


def test_the_fingerprint_lies_beside_the_rows(out: Path) -> None:
    claim(out, {"model": "whisper", "seed": 1})
    assert sidecar_path(out) == out.with_name("takes.stage.json")
    assert sidecar_path(out).read_text() == (
        '{"kind":"stage","v":1,"fingerprint":{"model":"whisper","seed":1}}\n'
    )


def test_the_same_fingerprint_in_another_order_or_as_tuples_is_the_same(out: Path) -> None:
    claim(out, {"model": "m", "sizes": (1, 2)})
    out.write_text(ROW)
    claim(out, {"sizes": [1, 2], "model": "m"})
    assert out.read_text() == ROW


def test_rows_of_another_fingerprint_are_refused_key_by_key(out: Path) -> None:
    claim(out, {"model": "m1", "seed": 1, "same": (1, 2), "old": None})
    out.write_text(ROW)
    with pytest.raises(ConfigError) as refused:
        claim(out, {"model": "m2", "seed": 2, "same": [1, 2], "new": "新"})
    assert str(refused.value) == (
        f'the rows of {out} were made with model "m1" (now "m2"), new absent (now "新"), '
        f"old null (now absent), seed 1 (now 2); choose another --out, or remove {out.parent}/takes.* "
        "to start anew"
    )


def test_rows_in_the_journal_count_as_well(out: Path) -> None:
    claim(out, {"seed": 1})
    journal_path(out).write_text(ROW)
    with pytest.raises(ConfigError, match=r"were made with seed 1 \(now 2\)"):
        claim(out, {"seed": 2})


def test_where_no_row_was_made_the_fingerprint_may_change(out: Path) -> None:
    claim(out, {"seed": 1})
    journal_path(out).touch()
    claim(out, {"seed": 2})
    out.write_text(ROW)
    with pytest.raises(ConfigError, match=r"were made with seed 2 \(now 1\)"):
        claim(out, {"seed": 1})


def test_rows_without_a_fingerprint_are_refused(out: Path) -> None:
    out.write_text(ROW)
    with pytest.raises(ConfigError, match=r"takes\.jsonl lack their fingerprint; choose another --out"):
        claim(out, {"seed": 1})


@pytest.mark.parametrize("spoilt", ["", "[]", "{}", '{"fingerprint":1}', "\x00"])
def test_a_spoilt_sidecar_is_named(spoilt: str, out: Path) -> None:
    sidecar_path(out).write_text(spoilt)
    with pytest.raises(DataError, match=r"takes\.stage\.json: holds no fingerprint; remove it"):
        claim(out, {"seed": 1})
