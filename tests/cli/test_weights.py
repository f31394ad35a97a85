from __future__ import annotations

import os
from pathlib import Path

import pytest

from antiphon.ids import hash_bytes
from antiphon.models.weights import table
from antiphon.models.weights.table import TABLE, File, Weight
from tests.cli.commands import antiphon

BYTES = b"four"
TINY = Weight(
    "tiny", "a test's", "CC0", "nobody/tiny", "1",
    (File("tiny.bin", 4, hash_bytes(BYTES), "{hub}/nobody/tiny"),),
)  # fmt: skip


@pytest.fixture
def place(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the one weight of a small table belongs; it is not there yet."""
    monkeypatch.setattr(table, "TABLE", {"tiny": TINY})
    folder = own_cache / "weights" / "tiny"
    folder.mkdir(parents=True)
    return folder / "tiny.bin"


def test_what_is_here_is_verified(place: Path) -> None:
    place.write_bytes(BYTES)
    done = antiphon("weights", "verify")
    assert (done.code, done.out) == (0, "tiny: present\n")


def test_a_corrupt_file_exits_with_one_and_names_the_command_that_mends_it(place: Path) -> None:
    place.write_bytes(b"five")
    done = antiphon("weights", "verify")
    assert done.code == 1
    assert done.out == "tiny: wrong bytes in tiny.bin; `antiphon weights fetch tiny` replaces them\n"


def test_what_is_not_here_is_wrong_only_when_it_was_named(place: Path) -> None:
    assert antiphon("weights", "verify").code == 0
    named = antiphon("weights", "verify", "tiny")
    assert (named.code, named.out) == (1, "tiny: absent\n")


def test_a_file_that_was_right_once_is_hashed_again(place: Path) -> None:
    place.write_bytes(BYTES)
    assert antiphon("weights", "verify").code == 0
    stat = place.stat()
    place.write_bytes(b"five")
    os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert antiphon("weights", "verify").code == 1


def test_the_list_shows_what_is_here_and_what_it_weighs(place: Path) -> None:
    assert antiphon("weights", "list").out.splitlines()[1].split() == [
        "tiny",
        "absent",
        "0",
        "CC0",
        "a",
        "test's",
    ]
    place.write_bytes(BYTES)
    (row,) = antiphon("weights", "list", "--json").json
    assert (row["name"], row["state"], row["licence"]) == ("tiny", "present", "CC0")


def test_weights_come_from_a_folder_at_hand(place: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "tiny.bin").write_bytes(BYTES)
    done = antiphon("weights", "fetch", "tiny", "--from", source)
    assert (done.code, done.out) == (0, f"tiny: {place.parent}\n")
    assert place.read_bytes() == BYTES


def test_an_unknown_weight_names_the_others() -> None:
    done = antiphon("weights", "fetch", "whisper-huge")
    assert done.code == 2
    assert done.complaint.startswith("antiphon: no weight")
    assert all(name in done.complaint for name in TABLE)
